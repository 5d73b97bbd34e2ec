/**
 * Takes 100 times at once from a rate and prints how often it was allowed: `taker.ts PLACE`, the place as JSON.
 *
 * @module
 */
import { openStore } from "./place.ts";

const store = openStore(JSON.parse(Deno.args[0] ?? "{}"));
const rate = { Limit: 50, Period: 3_600_000 };
const taken = await Promise.all(Array.from({ length: 100 }, () => store.Take("key", rate)));
await Deno.stdout.write(new TextEncoder().encode(String(taken.filter((it) => it.Allowed).length)));
await store.Close?.();
