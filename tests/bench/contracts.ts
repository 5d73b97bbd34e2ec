/**
 * `deno task bench contracts`: measures a POST request whose JSON body is validated by a schema, in process and over a
 * socket. Compares an fw controller with `mvc.Body`, Hono with `zValidator` and Elysia with its own validation to a
 * hand-written handler that calls zod.
 *
 * In process, the candidates take turns in many short rounds, and only the fastest quarter is used, because it is least
 * affected by other load on the machine. Over a socket, each candidate is measured between two runs of the hand-written
 * handler.
 *
 * It then measures typed clients of 100 routes: the cost for the compiler and the size in a browser, compared to Hono,
 * Eden and tRPC.
 *
 * Options: --rounds=N (200), --requests=N per round (300), --launches=N (3), --seconds=N a measurement (1).
 */

import { body, checked } from "./checked.ts";
import { compareClients } from "./client_types.ts";
import { Service } from "./load.ts";
import { Figures, option, printRow } from "./report.ts";

const rounds = Number(option("rounds", "200"));
const requests = Number(option("requests", "300"));
const launches = Number(option("launches", "3"));
const seconds = Number(option("seconds", "1"));
const json = { "content-type": "application/json" };
const headers = { ...json, "content-length": String(body.length) };
const others = Object.keys(checked.serve).filter((name) => name !== "raw");
const times = new Figures();
const rates = new Figures();
const ratios = new Figures();
const costs = new Figures();

/** Measures one round, in microseconds per request. In-process requests have no connection. */
async function measure(name: string): Promise<number> {
  const serve = checked.serve[name] as (request: Request, info?: Deno.ServeHandlerInfo) => Promise<Response>;
  const started = performance.now();
  for (let at = 0; at < requests; at++) {
    const response = await serve(new Request("http://localhost/users", { method: "POST", body, headers }));
    if (response.status !== 200) throw new Error(`A candidate responded with ${response.status}`);
    await response.text();
  }
  return (performance.now() - started) * 1000 / requests;
}

for (let round = 0; round < rounds + 20; round++) {
  for (const name of ["raw", ...others]) {
    const time = await measure(name);
    if (round >= 20) times.add(name, time);
  }
}
const base = times.quartile("raw");
printRow("in process", "µs per request", "of raw");
for (const name of ["raw", ...others]) {
  printRow(`  ${name}`, times.quartile(name).toFixed(1), (times.quartile(name) / base).toFixed(2));
}

for (let launch = 0; launch < launches; launch++) {
  await using service = await Service.start();
  const ask = (name: string, time: number) => service.measure(["checked", name], checked.path, time, json, body);
  for (const name of ["raw", ...others]) await ask(name, 2);
  let before = await ask("raw", seconds);
  for (const at of others.keys()) {
    const name = others[(at + launch) % others.length] ?? "";
    const measured = await ask(name, seconds);
    const after = await ask("raw", seconds);
    ratios.add(name, measured.rate / ((before.rate + after.rate) / 2));
    costs.add(name, (before.cost + after.cost) / 2 / measured.cost);
    rates.add(name, measured.rate);
    rates.add("raw", after.rate);
    before = after;
  }
}
printRow("over a socket", "requests/s", "share of raw", "by processor time");
printRow("  raw", String(Math.round(rates.median("raw"))), "1", "1");
for (const name of others) {
  printRow(`  ${name}`, String(Math.round(rates.median(name))), ratios.spread(name), costs.spread(name));
}

await compareClients();
