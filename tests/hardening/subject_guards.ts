/**
 * The part of the subject with middleware: origins, forgery, passwords, rate limits, addresses, caches.
 *
 * @module
 */

import type * as fw from "@fw/web";
import * as keys from "@fw/web/keys";
import * as accesslog from "@fw/web/middleware/accesslog";
import * as auth from "@fw/web/middleware/auth";
import * as basicauth from "@fw/web/middleware/basicauth";
import * as cache from "@fw/web/middleware/cache";
import * as compress from "@fw/web/middleware/compress";
import * as cors from "@fw/web/middleware/cors";
import * as csrf from "@fw/web/middleware/csrf";
import * as etag from "@fw/web/middleware/etag";
import * as ipfilter from "@fw/web/middleware/ipfilter";
import * as metrics from "@fw/web/middleware/metrics";
import * as ratelimit from "@fw/web/middleware/ratelimit";
import * as secure from "@fw/web/middleware/secure";
import { secret } from "./expect.ts";

/** The features that this part adds to the subject. */
export const guardFeatures: readonly string[] = [
  "access logs",
  "basic auth",
  "cache",
  "compress",
  "cors",
  "csrf",
  "csrf tokens",
  "ip filter",
  "metrics",
  "rate limit",
  "roles",
  "secure headers",
  "signed cookies",
];

const ring = keys.New("a secret of the test that has more than 32 bytes");

/** Adds the guarded routes. */
export function addMiddleware(app: fw.Application): void {
  addOrigins(app);
  addForgery(app);
  addPasswords(app);
  addCaches(app);
  addCookies(app);
  addLogs(app);
  addMetrics(app);
  const rated = app.Party("/rated");
  rated.Use(ratelimit.New({ Limit: 5, Period: 60_000 }));
  rated.Get("/", (ctx) => ctx.WriteString("counted"));
  const local = app.Party("/local");
  local.Use(ipfilter.New({ Allow: ["10.0.0.0/8"] }));
  local.Get("/", (ctx) => ctx.WriteString(secret));
  const safe = app.Party("/secure");
  safe.Use(secure.New({ Nonce: true }));
  safe.Get("/", (ctx) => ctx.HTML(`<script nonce="${secure.Nonce(ctx)}"></script>`));
  safe.Get("/throw", () => {
    throw new Error(secret);
  });
}

function addOrigins(app: fw.Application): void {
  const handle = cors.New({ Origins: ["https://shop.example", "https://*.shop.example"], AllowCredentials: true });
  app.UseRouter((ctx) => ctx.Path().startsWith("/cors") ? handle(ctx) : ctx.Next());
  app.Get("/cors", (ctx) => ctx.WriteString("shared"));
}

function addForgery(app: fw.Application): void {
  const forms = app.Party("/csrf");
  forms.Use(csrf.New());
  forms.Post("/transfer", (ctx) => ctx.WriteString("done"));
  forms.Delete("/transfer", (ctx) => ctx.WriteString("done"));
  const tokens = app.Party("/tokens");
  tokens.Use(csrf.New({ Keys: ring }));
  tokens.Get("/", (ctx) => ctx.WriteString(csrf.Token(ctx)));
  tokens.Post("/transfer", (ctx) => ctx.WriteString("done"));
}

function addPasswords(app: fw.Application): void {
  const Users = [{ Name: "ann", Password: "sesame" }, { Name: "bob", Password: "open", Roles: ["administrator"] }];
  const basic = app.Party("/basic");
  basic.Use(basicauth.New({ Users, MaxTries: 0 }));
  basic.Get("/", (ctx) => ctx.WriteString(secret));
  const roles = app.Party("/roles");
  roles.Use(basicauth.New({ Users, MaxTries: 0 }), auth.Allow("admin"));
  roles.Get("/", (ctx) => ctx.WriteString(secret));
  const tried = app.Party("/tried");
  tried.Use(basicauth.New({ Users, MaxTries: 3 }));
  tried.Get("/", (ctx) => ctx.WriteString(secret));
}

function addCaches(app: fw.Application): void {
  let runs = 0;
  const cached = app.Party("/cached");
  cached.Use(cache.New({ MaxAge: 60_000 }));
  cached.Get("/page", (ctx) => ctx.JSON({ run: ++runs, host: ctx.Host() }));
  cached.Get("/private", (ctx) => {
    ctx.Header("cache-control", "private, max-age=60");
    ctx.JSON({ run: ++runs });
  });
  cached.Get("/cookie", (ctx) => {
    ctx.SetCookie("who", String(++runs));
    ctx.JSON({ run: runs });
  });
  cached.Get("/who", (ctx) => ctx.JSON({ run: ++runs, who: ctx.GetHeader("authorization") || ctx.GetCookie("who") }));
  cached.Get("/file", (ctx) => ctx.ServeFile("public/a.txt"));
  const small = app.Party("/compressed");
  small.Use(compress.New(), etag.New());
  small.Get("/", (ctx) => ctx.WriteString("text ".repeat(1000)));
}

/** Logs requests below `/logged` in three ways and provides the lines. */
function addLogs(app: fw.Application): void {
  const lines: string[] = [];
  const logged = app.Party("/logged");
  for (const Format of ["text", "csv", "json"]) {
    logged.UseRouter(accesslog.New({ Format, Query: true, Output: (line) => lines.push(line) }).Handler());
  }
  logged.Get("/{rest:path}", (ctx) => ctx.WriteString("logged"));
  app.Get("/log", (ctx) => ctx.WriteString(lines.filter((line) => line.includes(ctx.URLParam("mark"))).join("\n")));
}

/** Counts requests below `/measured`. */
function addMetrics(app: fw.Application): void {
  const counted = metrics.New();
  const measured = app.Party("/measured");
  measured.UseRouter(counted.Handler());
  measured.Get("/{name}", (ctx) => ctx.WriteString("measured"));
  app.Get("/metrics", counted.Page());
}

function addCookies(app: fw.Application): void {
  app.Get("/signed/set", (ctx) => {
    ctx.SetCookie(ctx.URLParamDefault("name", "role"), ctx.URLParam("value"), { Sign: ring });
    ctx.WriteString("set");
  });
  app.Get(
    "/signed/get",
    (ctx) => ctx.JSON({ value: ctx.GetCookie(ctx.URLParamDefault("name", "role"), { Sign: ring }) }),
  );
  app.Get("/sealed/set", (ctx) => {
    ctx.SetCookie("role", ctx.URLParam("value"), { Encrypt: ring });
    ctx.WriteString("set");
  });
  app.Get("/sealed/get", (ctx) => ctx.JSON({ value: ctx.GetCookie("role", { Encrypt: ring }) }));
}
