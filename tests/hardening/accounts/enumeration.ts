/**
 * Measures whether the time of a response tells if an address has an account. It sends requests with known and with
 * unknown addresses in random order, and prints the 95 % interval of the difference of their medians, from a bootstrap.
 * If it contains 0, the times tell nothing. Run it with the number of requests of each kind:
 * `deno run -A tests/hardening/accounts/enumeration.ts 1000`. Further arguments select the forms: `/login`. Passwords
 * that are empty are not hashed, so `/login?empty` shows differences that the time of a hash would hide.
 *
 * @module
 */

import * as fw from "@fw/web";
import { Ground } from "./ground.ts";

/** The times of the responses, in milliseconds. */
interface Times {
  readonly known: number[];
  readonly unknown: number[];
}

/** Sends the requests of one form. The limits do not apply: each one has an address and a client of its own. */
async function measure(origin: string, path: string, first: number, count: number): Promise<Times> {
  const times: Times = { known: [], unknown: [] };
  for (let at = first; at < first + count; at++) {
    const order: (keyof Times)[] = Math.random() < 0.5 ? ["known", "unknown"] : ["unknown", "known"];
    for (const kind of order) {
      const body = new URLSearchParams({ mail: addressOf(kind, at), password: path.endsWith("?empty") ? "" : "wrong" });
      const client = `10.${kind === "known" ? 1 : 2}.${at >> 8}.${at & 255}`;
      const headers = { "sec-fetch-site": "same-origin", "x-forwarded-for": client };
      const from = performance.now();
      const response = await fetch(origin + path, { method: "POST", body, headers });
      await response.text();
      times[kind].push(performance.now() - from);
      if (response.status !== (path.startsWith("/login") ? 422 : 200)) throw new Error(`${path}: ${response.status}`);
    }
  }
  return times;
}

/** Returns an address. All of them have the same length. */
function addressOf(kind: keyof Times, at: number): string {
  return `${kind === "known" ? "known" : "other"}${String(at).padStart(6, "0")}@example.org`;
}

function median(values: readonly number[]): number {
  const sorted = values.toSorted((one, other) => one - other);
  return sorted[sorted.length >> 1] ?? 0;
}

/** Returns the 95 % interval of the difference of medians. */
function interval({ known, unknown }: Times): [low: number, high: number] {
  const sample = (values: readonly number[]) =>
    values.map(() => values[Math.floor(Math.random() * values.length)] ?? 0);
  const differences = Array.from({ length: 2_000 }, () => median(sample(known)) - median(sample(unknown)));
  differences.sort((one, other) => one - other);
  return [differences[50] ?? 0, differences[1949] ?? 0];
}

if (import.meta.main) {
  const count = Number(Deno.args[0] ?? 1000);
  const ground = new Ground();
  ground.app.Configure(fw.WithProxy({ Trust: ["127.0.0.1"] }));
  for (let at = 0; at <= count; at++) await ground.add(addressOf("known", at));
  await using _ = await ground.app.Start();
  const server = Deno.serve({ hostname: "127.0.0.1", port: 0, onListen() {} }, ground.app.fetch);
  const origin = `http://127.0.0.1:${server.addr.port}`;
  await measure(origin, "/login", count, 1); // loads the modules
  const paths = Deno.args.length > 1 ? Deno.args.slice(1) : ["/signup", "/reset", "/login", "/login?empty"];
  for (const path of paths) {
    const times = await measure(origin, path, 0, count);
    const [low, high] = interval(times).map((each) => each.toFixed(3));
    const medians = `${median(times.known).toFixed(3)} ms known, ${median(times.unknown).toFixed(3)} ms unknown`;
    const verdict = Number(low) <= 0 && Number(high) >= 0 ? "contains 0" : "does NOT contain 0";
    const line = `${path}: ${count} requests each; medians ${medians}; 95 % interval [${low}, ${high}] ms ${verdict}\n`;
    Deno.stdout.writeSync(new TextEncoder().encode(line));
  }
  await server.shutdown();
}
