import * as fw from "@fw/web";
import * as basicauth from "@fw/web/middleware/basicauth";
import * as cache from "@fw/web/middleware/cache";
import * as compress from "@fw/web/middleware/compress";
import * as etag from "@fw/web/middleware/etag";
import * as ipfilter from "@fw/web/middleware/ipfilter";
import * as jwt from "@fw/web/middleware/jwt";
import * as ratelimit from "@fw/web/middleware/ratelimit";
import * as mvc from "@fw/web/mvc";
import * as versioning from "@fw/web/versioning";
import { assertEquals } from "@std/assert";

/** The ways to refuse a request or to respond early, each with the status that the client receives. */
const answers: Record<string, () => Promise<[status: number, handler: fw.Handler]> | [number, fw.Handler]> = {
  basicauth: () => [401, basicauth.New({ Users: [{ Name: "ada", Password: "a long secret" }] })],
  jwt: () => [401, jwt.New({ Algorithms: ["HS256"], Key: "0123456789abcdef0123456789abcdef" })],
  ipfilter: () => [403, ipfilter.New({ Allow: ["192.0.2.1"] })],
  ratelimit: async () => {
    const limit = ratelimit.New({ Limit: 1, Period: 60_000, Key: () => "all" });
    const other = fw.New();
    other.Get("/", limit, () => {});
    await other.fetch(new Request("http://localhost/"));
    return [429, limit];
  },
  status: () => [409, (ctx) => ctx.StopWithStatus(409)],
  statusLater: () => [409, async (ctx) => {
    await Promise.resolve();
    ctx.StopWithStatus(409);
  }],
  bareStop: () => [200, (ctx) => ctx.StopExecution()],
  bareStopLater: () => [200, async (ctx) => {
    await Promise.resolve();
    ctx.StopExecution();
  }],
  error: () => [418, () => {
    throw new fw.HTTPError(418);
  }],
  redirect: () => [302, (ctx) => {
    ctx.Redirect("/login");
    ctx.StopExecution();
  }],
  returned: () => [202, (ctx) => {
    ctx.StopExecution();
    return new Response("returned", { status: 202 });
  }],
  stream: () => [200, (ctx) => {
    ctx.Stream(new Blob(["streamed"]).stream());
    ctx.StopExecution();
  }],
  text: () => [200, (ctx) => {
    ctx.WriteString("text");
    ctx.StopExecution();
  }],
};

const recorders: Record<string, () => fw.Handler[]> = {
  nothing: () => [],
  compress: () => [compress.New()],
  cache: () => [cache.New({ MaxAge: 1000 })],
  etag: () => [etag.New()],
};

type Ran = (name: string) => fw.Handler;

/** Applications with a route of version 2 behind a handler, and the same route outside. */
const applications: Record<string, (app: fw.Application, answer: fw.Handler, ran: Ran) => void> = {
  "Use of a group": (app, answer, ran) => {
    versioning.NewGroup(app, "2.x").Use(answer).Any("/teas", ran("guarded"));
    app.Any("/teas", ran("outside"));
  },
  "a group below overlapping routes": (app, answer, ran) => {
    app.SetRegisterRule(fw.RouteOverlap);
    app.Any("/{name}", ran("outside"));
    app.Any("/{name}", ran("outside"));
    versioning.NewGroup(app, "2.x").Use(answer).Any("/{tea}", ran("guarded"));
  },
  "UseRouter of a group": (app, answer, ran) => {
    app.Any("/teas", ran("outside"));
    versioning.NewGroup(app, "2.x").UseRouter(answer).Any("/teas", ran("guarded"));
  },
  "a party inside a group": (app, answer, ran) => {
    const group = versioning.NewGroup(app, "2.x");
    group.Party("/teas", answer).Any("/", ran("guarded"));
    versioning.NewGroup(app, ">=1.0.0").Any("/teas", ran("outside"));
    app.Any("/teas", ran("outside"));
  },
  "a handler of a route": (app, answer, ran) => {
    versioning.NewGroup(app, "2.x").Any("/teas", answer, ran("guarded"));
    app.Any("/teas", ran("outside"));
  },
  "the same route twice": (app, answer, ran) => {
    const group = versioning.NewGroup(app, "2.x");
    group.Any("/teas", answer, ran("guarded"));
    group.Any("/teas", ran("outside"));
  },
  "BeginRequest of a controller": (app, answer, ran) => {
    class Teas {
      BeginRequest(ctx: fw.Context): ReturnType<fw.Handler> {
        return answer(ctx);
      }
      Get(ctx: fw.Context): ReturnType<fw.Handler> {
        return ran("guarded")(ctx);
      }
    }
    class Others {
      Get(ctx: fw.Context): ReturnType<fw.Handler> {
        return ran("outside")(ctx);
      }
    }
    mvc.New(app.Party("/teas")).Handle(Teas, mvc.Version("2.x")).Handle(Others);
  },
  "ConfigureContainer": (app, answer, ran) => {
    const group = versioning.NewGroup(app, "2.x");
    group.ConfigureContainer((api) => void api.Get("/teas", answer, ran("guarded")));
    app.Any("/teas", ran("outside"));
  },
  "a mounted application": (app, answer, ran) => {
    const inner = fw.New();
    inner.Any("/", ran("guarded"));
    versioning.NewGroup(app, "2.x").Use(answer).Mount("/teas", inner.fetch);
    const outside = fw.New();
    outside.Any("/", ran("outside"));
    app.Mount("/teas", outside.fetch);
  },
};

Deno.test("NewGroup() runs no other route once the route of a version has started", async (t) => {
  for (const [answerName, answering] of Object.entries(answers)) {
    for (const [place, register] of Object.entries(applications)) {
      // A controller sends the response that its hook returned only if the method runs.
      if (place.startsWith("BeginRequest") && answerName === "returned") continue;
      await t.step(`${answerName} as ${place}`, async () => {
        for (const [name, recorder] of Object.entries(recorders)) {
          const [status, answer] = await answering();
          const app = fw.New().Use(...recorder());
          app.Logger().SetLevel("disable");
          const runs: string[] = [];
          register(app, answer, (name) => (ctx) => {
            runs.push(name);
            ctx.WriteString(name);
          });
          for (const method of ["GET", "HEAD"]) {
            const headers = { "accept-version": "2.0.0" };
            const response = await app.fetch(new Request("http://localhost/teas", { method, headers }));
            await response.body?.cancel();
            assertEquals([response.status, runs], [status, []], `${method} inside of ${name}`);
          }
          const other = await app.fetch(new Request("http://localhost/teas"));
          await other.body?.cancel();
          if (place === "the same route twice") continue;
          assertEquals(runs, ["outside"], `version 1 inside of ${name}`);
        }
      });
    }
  }
});
