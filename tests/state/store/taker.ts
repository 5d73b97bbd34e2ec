/**
 * Makes 100 concurrent calls to a rate limit and prints the number of allowed ones: `taker.ts PLACE`, with the location
 * as JSON.
 *
 * @module
 */
import { openStore } from "./place.ts";

const store = openStore(JSON.parse(Deno.args[0] ?? "{}"));
const rate = { Limit: 50, Period: 3_600_000 };
const taken = await Promise.all(Array.from({ length: 100 }, () => store.Take("key", rate)));
await Deno.stdout.write(new TextEncoder().encode(String(taken.filter((it) => it.Allowed).length)));
await store.Close?.();
