/**
 * Calls the functions of middleware, sessions and stores that take options.
 *
 * @module
 */

import * as fw from "../../../../mod.ts";
import * as versioning from "../../../../src/hosts/versioning/mod.ts";
import * as accesslog from "../../../../src/middleware/accesslog/mod.ts";
import * as apikeys from "../../../../src/middleware/apikeys/mod.ts";
import * as sqliteKeys from "../../../../src/middleware/apikeys/sqlite.ts";
import * as auth from "../../../../src/middleware/auth.ts";
import * as basicauth from "../../../../src/middleware/basicauth/mod.ts";
import * as cache from "../../../../src/middleware/cache/mod.ts";
import * as compress from "../../../../src/middleware/compress/mod.ts";
import * as cors from "../../../../src/middleware/cors.ts";
import * as csrf from "../../../../src/middleware/csrf/mod.ts";
import * as etag from "../../../../src/middleware/etag.ts";
import * as health from "../../../../src/middleware/health/mod.ts";
import * as ipfilter from "../../../../src/middleware/ipfilter.ts";
import * as jwt from "../../../../src/middleware/jwt/mod.ts";
import * as logger from "../../../../src/middleware/logger.ts";
import * as login from "../../../../src/middleware/login/mod.ts";
import * as methodoverride from "../../../../src/middleware/methodoverride/mod.ts";
import * as monitor from "../../../../src/middleware/monitor/mod.ts";
import * as oauth from "../../../../src/middleware/oauth/mod.ts";
import * as policy from "../../../../src/middleware/policy/mod.ts";
import * as ratelimit from "../../../../src/middleware/ratelimit.ts";
import * as recover from "../../../../src/middleware/recover.ts";
import * as requestid from "../../../../src/middleware/requestid.ts";
import * as rewrite from "../../../../src/middleware/rewrite/mod.ts";
import * as secure from "../../../../src/middleware/secure/mod.ts";
import * as telemetry from "../../../../src/middleware/telemetry.ts";
import * as timeout from "../../../../src/middleware/timeout.ts";
import * as redisStore from "../../../../src/state/redis/store.ts";
import * as kvSessions from "../../../../src/state/sessions/kv.ts";
import * as keyRing from "../../../../src/state/keys/mod.ts";
import * as tokens from "../../../../src/state/keys/tokens.ts";
import * as sessions from "../../../../src/state/sessions/mod.ts";
import * as redisSessions from "../../../../src/state/sessions/redis.ts";
import * as sqliteSessions from "../../../../src/state/sessions/sqlite.ts";
import * as store from "../../../../src/state/store/mod.ts";
import * as sqliteStore from "../../../../src/state/store/sqlite.ts";
import { inHandler, type Recipes } from "./recipe.ts";

const secret = "a secret of at least thirty-two bytes";
const signing = { Algorithm: "HS256", Key: secret } as const;
const verifying = { Algorithms: ["HS256"], Key: secret };

// deno-lint-ignore no-explicit-any -- Clients of databases are not needed for their options.
const redis: any = { sendCommand() {}, call() {}, duplicate() {}, on() {} };
// deno-lint-ignore no-explicit-any
const kv: any = { get() {}, set() {}, list() {}, atomic() {}, getMany() {}, delete() {} };

const token = { Keys: keyRing.New(keyRing.Generate()), Purpose: "reset", Lifetime: 1000 };

/** Runs a function in the handler of a request with a session. */
async function inSession(use: (ctx: fw.Context) => unknown): Promise<void> {
  const app = fw.New();
  let failure: unknown;
  app.Logger().SetLevel("disable");
  app.Use(sessions.New().Handler());
  app.Get("/", async (ctx) => {
    try {
      await use(ctx);
    } catch (error) {
      failure = error;
    }
  });
  await (await app.fetch(new Request("http://localhost/"))).body?.cancel();
  if (failure !== undefined) throw failure;
}

function keys(): apikeys.Keys {
  return apikeys.New({ Store: apikeys.NewMemory() });
}

class ViewPolicy {
  view(): boolean {
    return true;
  }

  viewWhere(): string {
    return "";
  }
}

/** The functions of middleware, sessions and stores. */
export const middlewareRecipes: Recipes = {
  "middleware/accesslog New": accesslog.New,
  "middleware/accesslog AccessLog.constructor": (options) => new accesslog.AccessLog(options),
  "middleware/accesslog AccessLog.Listen": (options) => accesslog.New().Listen(options),
  "apikeys New": [apikeys.New, { Store: apikeys.NewMemory() }],
  "apikeys Keys.Create": [(options) => keys().Create(options), { Owner: "ada", Name: "CI" }],
  "apikeys Keys.Rotate": (options) => keys().Rotate("ada", "x", options),
  "apikeys/sqlite New": [sqliteKeys.New, { File: ":memory:" }],
  "policy Compare": [(options) => policy.Compare(ViewPolicy, "view", options), { Users: [], Rows: [], List: () => [] }],
  "auth Next": (options) => inHandler((ctx) => login.Next(ctx, options)),
  "auth Login": (options) => inSession((ctx) => login.Login(ctx, { ID: "ada" }, options)),
  "auth Session": [login.Session, { Sessions: sessions.New(), Load: () => undefined }],
  "tokens New": [tokens.New, token],
  "tokens Tokens.constructor": [(options) => new tokens.Tokens(options), token],
  "middleware/auth CheckPassword": (options) => auth.CheckPassword("assam and darjeeling", options),
  "middleware/auth HashPassword": [(options) => auth.HashPassword("x", options), { Memory: 1024, Iterations: 1 }],
  "middleware/auth NeedsRehash": (options) => auth.NeedsRehash("x", options),
  "middleware/auth VerifyPassword": (options) => auth.VerifyPassword("", undefined, options),
  "middleware/basicauth New": [basicauth.New, { Users: () => undefined }],
  "middleware/cache New": cache.New,
  "middleware/compress New": compress.New,
  "middleware/cors New": cors.New,
  "middleware/csrf New": csrf.New,
  "middleware/etag New": etag.New,
  "middleware/health New": health.New,
  "middleware/health Health.constructor": (options) => new health.Health(options),
  "middleware/ipfilter New": [ipfilter.New, { Deny: ["10.0.0.0/8"] }],
  "middleware/jwt New": [jwt.New, verifying],
  "middleware/jwt NewVerifier": [jwt.NewVerifier, verifying],
  "middleware/jwt NewSigner": [jwt.NewSigner, signing],
  "middleware/jwt NewPairs": [jwt.NewPairs, { Signer: jwt.NewSigner(signing), Verification: verifying }, {
    Verification: verifying,
  }],
  "middleware/jwt Signer.Sign": (options) => jwt.NewSigner(signing).Sign({}, options),
  "middleware/logger New": logger.New,
  "middleware/methodoverride New": methodoverride.New,
  "middleware/monitor New": monitor.New,
  "middleware/monitor Monitor.constructor": (options) => new monitor.Monitor(options),
  "middleware/oauth New": [oauth.New, {
    Issuer: "https://login.example",
    ClientID: "tea",
    ClientSecret: secret,
    RedirectURL: "https://tea.example/callback",
    Sessions: sessions.New(),
  }],
  "middleware/ratelimit New": [ratelimit.New, { Limit: 1, Period: 1000 }],
  "middleware/recover New": recover.New,
  "middleware/requestid New": requestid.New,
  "middleware/rewrite New": [rewrite.New, { Rules: [] }],
  "middleware/secure New": secure.New,
  "middleware/telemetry New": telemetry.New,
  "middleware/timeout New": [timeout.New, { After: 1000 }],
  "sessions New": sessions.New,
  "sessions Sessions.constructor": (options) => new sessions.Sessions(options),
  "sessions NewMemory": sessions.NewMemory,
  "sessions/kv New": (options) => kvSessions.New(kv, options),
  "sessions/redis New": (options) => redisSessions.New(redis, options),
  "sessions/sqlite New": [sqliteSessions.New, { File: ":memory:" }],
  "store NewMemory": store.NewMemory,
  "store/redis New": (options) => redisStore.New(redis, options),
  "store/sqlite New": [sqliteStore.New, { File: ":memory:" }],
  "versioning Deprecated": (options) => versioning.Deprecated(() => {}, options),
  "versioning WriteDeprecated": (options) => inHandler((ctx) => versioning.WriteDeprecated(ctx, options)),
  "versioning Group.Deprecated": (options) => versioning.NewGroup(fw.New(), "1.0.0").Deprecated(options),
  "mvc Deprecated": (options) => fw.mvc.Deprecated(options),
};
