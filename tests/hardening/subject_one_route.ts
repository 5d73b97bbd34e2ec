/**
 * The part of the subject with several routes at the same path, of which only the first may run, and with files behind
 * guards.
 *
 * @module
 */

import * as fw from "@fw/web";
import * as auth from "@fw/web/middleware/auth";
import * as basicauth from "@fw/web/middleware/basicauth";
import * as cache from "@fw/web/middleware/cache";
import * as compress from "@fw/web/middleware/compress";
import * as etag from "@fw/web/middleware/etag";
import * as ipfilter from "@fw/web/middleware/ipfilter";
import * as jwt from "@fw/web/middleware/jwt";
import * as ratelimit from "@fw/web/middleware/ratelimit";
import * as versioning from "@fw/web/versioning";
import { hashedFile, recorders, refusals } from "./cases/one_route_names.ts";
import { secret } from "./expect.ts";
import type { Grounds } from "./grounds.ts";

/** The features that this part adds to the subject. */
export const oneRouteFeatures: readonly string[] = ["routes of versions", "overlapping routes", "guarded files"];

const users = basicauth.New({ Users: [{ Name: "ann", Password: "sesame" }], MaxTries: 0 });

const guards: Record<typeof refusals[number], () => fw.Handler> = {
  "a password": () => users,
  "a token": () => jwt.New({ Algorithms: ["HS256"], Key: "0123456789abcdef0123456789abcdef" }),
  "a role": () => auth.Allow("admin"),
  "an address": () => ipfilter.New({ Allow: ["192.0.2.1"] }),
  "a rate limit": () => {
    const limit = ratelimit.New({ Limit: 1, Period: 3_600_000, Key: () => "all" });
    let isSpent = false;
    return (ctx) => {
      if (isSpent) return limit(ctx);
      isSpent = true;
      // The first request uses up the limit.
      ctx.StopWithStatus(429);
      return limit(ctx);
    };
  },
  "a conflict": () => (ctx) => ctx.StopWithStatus(409),
  "an error": () => () => {
    throw new fw.HTTPError(403);
  },
  "a redirect": () => (ctx) => {
    ctx.Redirect("/login");
    ctx.StopExecution();
  },
  "a response": () => (ctx) => {
    ctx.StopExecution();
    return new Response("answered", { status: 403 });
  },
  "a stream": () => (ctx) => {
    ctx.Stream(new Blob(["answered"]).stream());
    ctx.StopExecution();
  },
  "a bare stop": () => (ctx) => ctx.StopExecution(),
};

const around: Record<typeof recorders[number], () => fw.Handler[]> = {
  nothing: () => [],
  compress: () => [compress.New()],
  cache: () => [cache.New({ MaxAge: 60_000 })],
  etag: () => [etag.New()],
};

/** Adds the routes. */
export function addOneRoute(app: fw.Application, grounds: Grounds): void {
  const runs = new Map<string, number>();
  for (const [at, refusal] of refusals.entries()) {
    for (const recorder of recorders) {
      const versions = app.Party(`/versions/${at}/${recorder}`, ...around[recorder]());
      versions.Any("/", outside(`/versions/${at}/${recorder}`));
      versioning.NewGroup(versions, "2.x").Use(guards[refusal]()).Any("/", (ctx) => ctx.WriteString(secret));
      const overlap = app.Party(`/overlap/${at}/${recorder}`, ...around[recorder]()).SetRegisterRule(fw.RouteOverlap);
      overlap.Party("/", guards[refusal]()).Any("/", (ctx) => ctx.WriteString(secret));
      overlap.Any("/", outside(`/overlap/${at}/${recorder}`));
    }
  }
  app.Get("/runs", (ctx) => ctx.WriteString(String(runs.get(ctx.URLParam("of")) ?? 0)));
  addGuardedFiles(app, grounds);

  function outside(path: string): fw.Handler {
    return (ctx) => {
      runs.set(path, (runs.get(path) ?? 0) + 1);
      ctx.WriteString(secret);
    };
  }
}

/** Adds files and pages behind guards, inside and outside of a cache. */
function addGuardedFiles(app: fw.Application, { root }: Grounds): void {
  const file = `${root}/${hashedFile}`;
  Deno.mkdirSync(`${root}/hashed`, { recursive: true });
  Deno.writeTextFileSync(file, secret);
  const byCookie: fw.Handler = (ctx) => ctx.GetCookie("key") === "open" ? ctx.Next() : ctx.StopWithStatus(401);
  const byUser: fw.Handler = (ctx) => {
    if (ctx.GetHeader("x-key") !== "open") return ctx.StopWithStatus(401);
    ctx.SetUser({ ID: "ann", Name: "Ann", Roles: [], Method: "key" });
    return ctx.Next();
  };
  for (const [name, guard] of Object.entries({ password: users, cookie: byCookie, user: byUser })) {
    const party = app.Party(`/guarded/${name}`, cache.New({ MaxAge: 60_000 }), guard);
    party.HandleDir("/hashed", `${root}/hashed`);
    party.Favicon(file, "/icon");
    party.Get("/page", fw.StaticCache(60_000), (ctx) => ctx.WriteString(secret));
    party.Get("/marked", (ctx) => {
      ctx.Header("cache-control", "public, s-maxage=60");
      return ctx.ServeFile(file);
    });
  }
}
