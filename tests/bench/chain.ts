/**
 * `deno task bench chain`: measures asynchronous handlers and middleware in process, in nanoseconds per request.
 *
 * The raw candidate is a hand-written switch over the path with nested async functions as handlers. All candidates take
 * turns in one process. The minimum and the median of many short runs are printed, along with the overhead of fw and
 * Hono compared to the raw candidate. The requests are created in advance and are not included.
 *
 * Options: --rounds=N (1500), --requests=N per run (200).
 */

import * as fw from "@fw/web";
import { Hono } from "npm:hono@4.13.17";
import { option, printRow } from "./report.ts";

type Serve = (request: Request) => Response | Promise<Response>;
type Next = () => Promise<Response>;

const rounds = Number(option("rounds", "1500"));
const requests = Number(option("requests", "200"));
const layers = 5;

/** Awaits the next handler, as middleware of each candidate. */
async function rawLayer(next: Next): Promise<Response> {
  return await next();
}

function rawServe(): Serve {
  async function handler(): Promise<Response> {
    return await Promise.resolve(new Response("pong"));
  }
  let nested: Next = () => Promise.resolve(new Response("pong"));
  for (let layer = 0; layer < layers; layer++) {
    const below = nested;
    nested = () => rawLayer(below);
  }
  return function (request) {
    const { url } = request;
    const path = url.slice(url.indexOf("/", 8));
    switch (path) {
      case "/sync":
        return new Response("pong");
      case "/handler":
        return handler();
      case "/layers":
        return nested();
    }
    return new Response("Not Found", { status: 404 });
  };
}

function fwServe(): Serve {
  const app = fw.New();
  app.Get("/sync", (ctx) => ctx.WriteString("pong"));
  app.Get("/handler", async (ctx) => {
    await Promise.resolve();
    ctx.WriteString("pong");
  });
  const party = app.Party("/layers");
  for (let layer = 0; layer < layers; layer++) {
    party.Use(async (ctx) => {
      await ctx.Next();
    });
  }
  party.Get("/", (ctx) => ctx.WriteString("pong"));
  return app.fetch;
}

function honoServe(): Serve {
  const app = new Hono();
  app.get("/sync", (c) => c.text("pong"));
  app.get("/handler", async (c) => {
    await Promise.resolve();
    return c.text("pong");
  });
  for (let layer = 0; layer < layers; layer++) {
    app.use("/layers", async (_c, next) => {
      await next();
    });
  }
  app.get("/layers", (c) => c.text("pong"));
  return (request) => app.fetch(request);
}

const candidates: Readonly<Record<string, Serve>> = { raw: rawServe(), fw: fwServe(), hono: honoServe() };
const scenarios: Readonly<Record<string, string>> = {
  "sync handler": "/sync",
  "async handler": "/handler",
  [`${layers} async middlewares`]: "/layers",
};

async function time(serve: Serve, path: string): Promise<number> {
  const all = Array.from({ length: requests }, () => new Request(`http://localhost${path}`));
  const begin = performance.now();
  for (const request of all) {
    const response = serve(request);
    if (response instanceof Promise) await response;
  }
  return (performance.now() - begin) / requests * 1e6;
}

const times = new Map<string, number[]>();
for (let round = 0; round < rounds; round++) {
  for (const [scenario, path] of Object.entries(scenarios)) {
    // Rotate the candidates, so that none always has the same neighbor.
    const names = Object.keys(candidates);
    for (const at of names.keys()) {
      const name = names[(at + round) % names.length] ?? "";
      const spent = await time(candidates[name] ?? honoServe(), path);
      // The first tenth of the rounds is for warming up.
      if (round >= rounds / 10) times.set(`${scenario}/${name}`, [...times.get(`${scenario}/${name}`) ?? [], spent]);
    }
  }
}

function figure(scenario: string, name: string): { least: number; median: number } {
  const sorted = (times.get(`${scenario}/${name}`) ?? []).toSorted((a, b) => a - b);
  return { least: sorted[0] ?? NaN, median: sorted[sorted.length >> 1] ?? NaN };
}

printRow("ns per request: least / median", "raw", "fw", "fw over raw", "hono", "hono over raw");
for (const scenario of Object.keys(scenarios)) {
  const [raw, ours, hono] = [figure(scenario, "raw"), figure(scenario, "fw"), figure(scenario, "hono")];
  const show = ({ least, median }: { least: number; median: number }) => `${least.toFixed(0)} / ${median.toFixed(0)}`;
  const over = (one: { least: number; median: number }) =>
    show({ least: one.least - raw.least, median: one.median - raw.median });
  printRow(scenario, show(raw), show(ours), over(ours), show(hono), over(hono));
}
