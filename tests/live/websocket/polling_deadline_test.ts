import { assertEquals, assertMatch } from "@std/assert";
import * as live from "../../../src/live/hub/mod.ts";
import * as timeout from "../../../src/middleware/timeout.ts";
import * as websocket from "../../../src/live/websocket/mod.ts";
import * as socketio from "../../../src/live/websocket/socketio.ts";
import * as fw from "../../../mod.ts";
import { type Ask, overSocket, quiet } from "../../serving.ts";

/** The time limits, in milliseconds. A longer one is only used if a busy machine needs more time for short requests. */
const limits = [40, 400, 4_000];
const query = "?EIO=4&transport=polling";

/** Registers the polling route and a handler that ends with its signal. */
function routes(app: fw.Application, server: websocket.Server): fw.Application {
  app.Configure(fw.WithoutPathCorrectionRedirection);
  app.Any("/socket.io", socketio.Handler(server));
  app.Get("/slow", (ctx) => new Promise((resolve) => ctx.Signal().addEventListener("abort", () => resolve())));
  return app;
}

/** The places of the time limit: the paths begin with the prefix. */
const places: Record<string, { prefix: string; newApp: (server: websocket.Server, limit: number) => fw.Application }> =
  {
    "the application": {
      prefix: "",
      newApp: (server, limit) => routes(quiet().Configure(fw.WithHandlerTimeout(limit)), server),
    },
    "middleware": {
      prefix: "",
      newApp: (server, limit) => {
        const app = quiet();
        app.Use(timeout.New({ After: limit }));
        return routes(app, server);
      },
    },
    "the application around it": {
      prefix: "/inner",
      newApp: (server, limit) => {
        const app = quiet().Configure(fw.WithHandlerTimeout(limit));
        app.Mount("/inner", routes(quiet(), server));
        return app;
      },
    },
    "the route that executes it": {
      prefix: "/other",
      newApp: (server, limit) => {
        const app = routes(quiet().Configure(fw.WithHandlerTimeout(limit)), server);
        app.Any("/other/{rest:path}", async (ctx) => {
          const { search } = new URL(ctx.Request().url);
          await ctx.Exec(ctx.Method(), `/${ctx.Params().Get("rest")}${search}`);
        });
        return app;
      },
    },
  };

for (const [place, { prefix, newApp }] of Object.entries(places)) {
  Deno.test(`Handler() of socketio polls for longer than the time limit of ${place}`, () =>
    withLimits(async (limit) => {
      const server = websocket.New({ Hub: live.New() });
      server.On("tell", (conn) => conn.Emit("told"));
      await overSocket(newApp(server, limit), async (ask) => {
        const path = await joined(ask, `${prefix}/socket.io${query}`);
        const poll = ask(path);
        // Each of them takes as long as the limit.
        for (let i = 0; i < 3; i++) assertEquals((await ask(`${prefix}/slow`)).status, 503);
        assertEquals((await ask(path, { method: "POST", body: '42["tell"]' })).text, "ok");
        const { status, text } = await poll;
        assertEquals([status, text], [200, '42["told"]']);
        const next = ask(path);
        assertEquals((await ask(path, { method: "POST", body: '42["tell"]' })).text, "ok");
        assertEquals((await next).text, '42["told"]');
      }).finally(() => server.Close());
    }));
}

/** Runs a test with the first limit, and again with a longer one if it fails. */
async function withLimits(run: (limit: number) => Promise<void>, [limit = 0, ...others] = limits): Promise<void> {
  try {
    await run(limit);
  } catch (error) {
    if (others.length === 0) throw error;
    await withLimits(run, others);
  }
}

/** Opens a session and connects to the default namespace. */
async function joined(ask: Ask, base: string): Promise<string> {
  const { text } = await ask(base);
  const path = `${base}&sid=${JSON.parse(text.slice(1)).sid}`;
  assertEquals((await ask(path, { method: "POST", body: "40" })).text, "ok");
  assertMatch((await ask(path)).text, /^40\{"sid":"[^"]+"\}$/);
  return path;
}
