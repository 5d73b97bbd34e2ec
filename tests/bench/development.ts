// deno-lint-ignore-file no-console -- this is a command-line program
/**
 * Measures the cost of the development pages: the CPU time that recording adds to a request, and the memory of a full
 * history. Run it with `deno task bench development`.
 *
 * @module
 */

import process from "node:process";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import * as fw from "../../mod.ts";

/** Collects garbage. */
function collect(): void {
  setFlagsFromString("--expose-gc");
  runInNewContext("gc")();
}

const ROUNDS = 15;
const REQUESTS = 4_000;

/** Returns an application whose requests have three handlers. */
function newApp(...configurators: fw.Configurator[]): fw.Application {
  const app = fw.New().Configure(...configurators);
  app.Logger().SetOutput(() => {});
  app.Use(async function one(ctx) {
    await ctx.Next();
  }, async function two(ctx) {
    await ctx.Next();
  });
  app.Get("/teas/{id:int}", (ctx) => ctx.WriteString("tea"));
  app.Post("/teas/{id:int}", async (ctx) => {
    const [tea] = await ctx.ReadJSON<{ name: string }>();
    ctx.WriteString(tea?.name ?? "");
  });
  return app;
}

/** Returns the CPU time of a request, in microseconds. */
async function cost(app: fw.Application, method: string): Promise<number> {
  const headers: Record<string, string> = {
    accept: "text/html",
    "user-agent": "bench",
    "accept-language": "en",
    cookie: "a=b",
  };
  const body = method === "GET" ? null : JSON.stringify({ name: "Assam", tags: ["black", "malty"], price: 12.5 });
  if (body !== null) {
    Object.assign(headers, { "content-type": "application/json", "content-length": String(body.length) });
  }
  const before = process.cpuUsage();
  for (let at = 0; at < REQUESTS; at++) {
    await (await app.fetch(new Request(`http://localhost/teas/${at}?size=large`, { method, headers, body }))).text();
  }
  const { user, system } = process.cpuUsage(before);
  return (user + system) / REQUESTS;
}

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;
}

const [plain, recorded] = [newApp(), newApp(fw.WithDevelopment)];
for (const method of ["GET", "POST"]) {
  const differences: number[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    const [without, within] = [await cost(plain, method), await cost(recorded, method)];
    if (round > 2) differences.push(within - without);
  }
  console.log(`recording: ${median(differences).toFixed(1)} µs of CPU per ${method} request (limit 50)`);
}

// The longest requests that the history keeps: long messages in every event, and many long headers.
const full = newApp(fw.WithDevelopment);
const words = "x".repeat(5_000);
full.Get("/full", (ctx) => {
  for (let line = 0; line < 10; line++) ctx.Application().Logger().Warn(`${line} ${Math.random()} ${words}`);
  ctx.WriteString("full");
});
const headers = Object.fromEntries(Array.from({ length: 80 }, (_, at) => [`x-header-${at}`, "y".repeat(500)]));
await full.Build();
collect();
const start = Deno.memoryUsage().heapUsed;
for (let at = 0; at < 5_000; at++) {
  await (await full.fetch(new Request("http://localhost/full", { headers }))).text();
}
collect();
const used = (Deno.memoryUsage().heapUsed - start) / 1024 / 1024;
const list = await full.fetch(
  new Request("http://localhost/_fw/requests", { headers: { accept: "application/json" } }),
);
console.log(`history: ${used.toFixed(1)} MB with ${(await list.json()).length} requests after 5,000 (limit 20)`);
