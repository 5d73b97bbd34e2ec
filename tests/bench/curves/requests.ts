/**
 * The curves of requests: tables of routes and chains of middleware.
 *
 * @module
 */

import * as fw from "@fw/web";
import * as apps from "@fw/web/apps";
import { patternTables, type RouteTable, routeTables } from "../../core/app/route_tables.ts";
import type { Curve, Work } from "./curve.ts";

/** Creates an application without a log. */
function newApp(): fw.Application {
  const app = fw.New();
  app.Logger().SetLevel("disable");
  return app;
}

async function build({ register }: RouteTable, size: number): Promise<fw.Application> {
  const app = newApp();
  app.Macros().Register({ Name: "counted", Test: (text, start, end) => /^\d+$/.test(text.slice(start, end)) });
  register(app, size);
  await app.Build();
  return app;
}

function* routeCurves(): Generator<[string, Curve]> {
  for (const [name, table] of Object.entries({ ...routeTables, ...patternTables })) {
    yield [`${name}: build`, {
      sizes: [250, 1_000, 4_000, 16_000],
      per: "unit",
      prepare: (size) => ({ run: () => build(table, size) }),
    }];
    for (const [url, status] of Object.entries(table.requests)) {
      const isTried = name in patternTables;
      yield [`${name}: ${url} (${status})`, {
        sizes: [250, 1_000, 4_000, 16_000],
        per: isTried ? "unit" : "request",
        prepare: async (size) => requesting(await build(table, size), url, isTried ? 20 : 300),
      }];
    }
  }
}

function requesting(app: fw.Application, url: string, times: number): Work {
  const request = new Request(url);
  return { run: () => app.fetch(request), times };
}

/** Middleware by what it does. */
const layers: Readonly<Record<string, fw.Handler>> = {
  "synchronous middleware": (ctx) => ctx.Next(),
  "asynchronous middleware": async (ctx) => {
    await ctx.Next();
  },
  "middleware that does not await": async (ctx) => {
    ctx.Next();
    await Promise.resolve();
  },
};

function* chainCurves(): Generator<[string, Curve]> {
  for (const [name, layer] of Object.entries(layers)) {
    yield [name, {
      sizes: [25, 100, 400, 1_600],
      per: "unit",
      prepare: async (size) => {
        const app = newApp();
        for (let i = 0; i < size; i++) app.Use((ctx) => layer(ctx));
        app.Get("/", async (ctx) => {
          await Promise.resolve();
          ctx.WriteString("x");
        });
        await app.Build();
        return requesting(app, "http://localhost/", 20);
      },
    }];
  }
}

/** A request for a host that is not served. */
const unknownHost: Curve = {
  sizes: [50, 200, 800, 3_200],
  per: "request",
  prepare: async (size) => {
    const app = apps.Switch(Array.from({ length: size }, (_, i) => ({ Pattern: `t${i}.example`, Target: newApp() })));
    app.Logger().SetLevel("disable");
    await app.Build();
    return requesting(app, "http://other.example/", 300);
  },
};

/** The curves by name. */
export const requestCurves: ReadonlyMap<string, Curve> = new Map([
  ...routeCurves(),
  ...chainCurves(),
  ["hosts: http://other.example/ (404)", unknownHost],
]);
