import { assertEquals } from "@std/assert";
import { z } from "npm:zod@^4";
import * as fw from "@fw/web";
import * as mcp from "@fw/web/mcp";
import * as auth from "@fw/web/middleware/auth";
import * as basicauth from "@fw/web/middleware/basicauth";
import * as csrf from "@fw/web/middleware/csrf";
import * as ipfilter from "@fw/web/middleware/ipfilter";
import * as ratelimit from "@fw/web/middleware/ratelimit";
import * as timeout from "@fw/web/middleware/timeout";
import * as mvc from "@fw/web/mvc";
import * as versioning from "@fw/web/versioning";
import { Agent, textOf } from "./agent.ts";

interface Case {
  readonly name: string;
  /** Adds the route, with the name "guarded". */
  readonly add: (app: fw.Application) => void;
  /** The arguments of the tool and the same request over HTTP. */
  readonly given?: Record<string, unknown>;
  readonly query?: string;
  readonly headers?: Record<string, string>;
  /** The number of requests before the rejected one. */
  readonly before?: number;
  readonly status: number;
}

function ok(ctx: fw.Context): void {
  ctx.WriteString("ok");
}

const users = [{ Name: "ada", Password: "pass" }];
const ada = { authorization: `Basic ${btoa("ada:pass")}` };

const cases: readonly Case[] = [
  {
    name: "authentication",
    add: (app) => app.Post("/guarded", basicauth.New({ Users: users }), ok).SetName("guarded"),
    status: 401,
  },
  {
    name: "roles",
    add: (app) => app.Post("/guarded", basicauth.New({ Users: users }), auth.Allow("admin"), ok).SetName("guarded"),
    headers: ada,
    status: 403,
  },
  {
    name: "a filter of addresses",
    add: (app) => app.Post("/guarded", ipfilter.New({ Allow: ["10.0.0.0/8"] }), ok).SetName("guarded"),
    status: 403,
  },
  {
    name: "a filter of origins",
    add: (app) => app.Post("/guarded", csrf.New(), ok).SetName("guarded"),
    headers: { origin: "http://localhost:9999", "sec-fetch-site": "cross-site" },
    status: 403,
  },
  {
    name: "a rate limit",
    add: (app) => app.Post("/guarded", ratelimit.New({ Limit: 2, Period: 60_000 }), ok).SetName("guarded"),
    before: 2,
    status: 429,
  },
  {
    name: "a time limit",
    add: (app) =>
      app.Post("/guarded", timeout.New({ After: 20 }), () => new Promise<void>(() => {})).SetName("guarded"),
    status: 503,
  },
  {
    name: "validation",
    add: (app) =>
      app.ConfigureContainer().Post(
        "/guarded",
        (_ctx, query = mvc.Query(z.object({ n: z.string().min(2) }))) => query.n,
      )
        .SetName("guarded"),
    given: { n: "x" },
    query: "?n=x",
    status: 422,
  },
  {
    name: "a version",
    add: (app) => versioning.NewGroup(app, "1.x").Post("/guarded", ok).SetName("guarded"),
    headers: { "accept-version": "3.0.0" },
    status: 501,
  },
];
for (const { name, add, given = {}, query = "", headers = {}, before = 0, status } of cases) {
  for (const version of ["2026-07-28", "2025-11-25"]) {
    Deno.test(`mcp.New() gives the verdict of ${name} as over HTTP, in revision ${version}`, async () => {
      const newApp = () => {
        const app = fw.New();
        app.Logger().SetLevel("disable");
        add(app);
        mcp.New(app, { Name: "guarded", Routes: ({ Name }) => Name === "guarded" });
        return app;
      };
      const plain = newApp();
      const ask = async () => {
        const response = await plain.fetch(
          new Request(`http://localhost/guarded${query}`, { method: "POST", headers }),
        );
        await response.body?.cancel();
        return response.status;
      };
      for (let at = 0; at < before; at++) assertEquals(await ask(), 200);
      assertEquals(await ask(), status);
      const agent = await new Agent(newApp(), version, headers).connect();
      for (let at = 0; at < before; at++) assertEquals(textOf(await agent.call("guarded", given)), "ok");
      const called = await agent.call("guarded", given);
      if (status === 401) return assertEquals([called.status, called.error["code"]], [401, -32600]);
      assertEquals([called.result["isError"], textOf(called).slice(0, 3)], [true, String(status)]);
    });
  }
}
