/**
 * The callbacks of middleware.
 *
 * @module
 */

import * as fw from "@fw/web";
import * as accounts from "@fw/web/auth";
import * as keys from "@fw/web/keys";
import * as accesslog from "@fw/web/middleware/accesslog";
import * as auth from "@fw/web/middleware/auth";
import * as basicauth from "@fw/web/middleware/basicauth";
import * as cache from "@fw/web/middleware/cache";
import * as compress from "@fw/web/middleware/compress";
import * as cors from "@fw/web/middleware/cors";
import * as csrf from "@fw/web/middleware/csrf";
import * as health from "@fw/web/middleware/health";
import * as ipfilter from "@fw/web/middleware/ipfilter";
import * as jwt from "@fw/web/middleware/jwt";
import * as logger from "@fw/web/middleware/logger";
import * as ratelimit from "@fw/web/middleware/ratelimit";
import * as recover from "@fw/web/middleware/recover";
import * as sessions from "@fw/web/sessions";
import * as tokens from "@fw/web/tokens";
import * as requestid from "@fw/web/middleware/requestid";
import type { Fault } from "./faults.ts";
import { type Asked, serve, type Site } from "./site.ts";
import type { Family, Row } from "./table.ts";

const secretKey = new Uint8Array(32).fill(7);

function end(ctx: fw.Context): void {
  ctx.WriteString("end");
}

function row(
  of: string | readonly string[],
  middleware: (fault: Fault) => fw.Handler | readonly fw.Handler[],
  gives: Row["gives"],
  ask?: Site["ask"],
): Row {
  const set = (app: fw.Application, fault: Fault) => {
    app.Any("/x", ...[middleware(fault)].flat(), end);
  };
  return {
    of: [of].flat(),
    run: (fault) => serve(fault, { set, ...ask && { ask } }),
    gives,
  };
}

/** A decision: anything but a value of the right type fails the request. */
const decision = { throws: "500 logged", rejects: "500 logged", never: "503 logged", values: "500 logged" };
/** A decision that must be made at once. */
const decisionNow = { ...decision, never: "500 logged" };
/** A callback whose failure does not change the response. */
const besides = { throws: "200 logged", rejects: "200 logged", never: "200 logged", values: "200 logged" };
/** Returns the results of a handler that writes the response to a refused request. */
function refusal(status: number): Row["gives"] {
  return { ...decision, null: `${status}` };
}

function get(headers: Readonly<Record<string, string>>, method = "GET"): Site["ask"] {
  return ({ url }) => fetch(`${url}/x`, { headers, method });
}

async function token({ url }: Asked): Promise<Response> {
  const signer = jwt.NewSigner({ Algorithm: "HS256", Key: secretKey });
  const text = await signer.Sign({ sub: "ada" }, { MaxAge: 60_000 });
  return await fetch(`${url}/x`, { headers: { authorization: `Bearer ${text}` } });
}

const crossSite = get({ "sec-fetch-site": "cross-site", origin: "https://evil.example" }, "POST");
const quiet = { Output: () => {} };

const rows: readonly Row[] = [
  row(
    "middleware/accesslog/access_log.Options.Skip",
    ({ fn }) => accesslog.New({ ...quiet, Skip: fn }).Handler(),
    besides,
  ),
  row("middleware/accesslog/access_log.Options.Fields", ({ fn }) => accesslog.New({ ...quiet, Fields: fn }).Handler(), {
    ...besides,
    object: "200",
    null: "200",
  }),
  row(
    ["middleware/accesslog/access_log.Options.Format", "middleware/accesslog/formats.Formatter"],
    ({ fn }) => accesslog.New({ ...quiet, Format: fn }).Handler(),
    besides,
  ),
  row("middleware/auth.AllowFunc(test)", ({ fn }) => [user, auth.AllowFunc(fn)], { ...decision, values: "403" }),
  row(
    ["middleware/basicauth/mod.Options.Users", "middleware/basicauth/users.Lookup"],
    ({ fn }) => basicauth.New({ Users: fn }),
    { ...decision, null: "401" },
    get({ authorization: `Basic ${btoa("ada:engine")}` }),
  ),
  row("middleware/cache/mod.Options.Key", ({ fn }) => cache.New({ MaxAge: 1_000, Key: fn }), besides),
  row(
    "middleware/compress/mod.Options.Types",
    ({ fn }) => compress.New({ Types: fn, MinBody: 1 }),
    besides,
    get({ "accept-encoding": "gzip" }),
  ),
  row(
    ["middleware/cors.Options.Origins", "middleware/cors.OriginTest"],
    ({ fn }) => cors.New({ Origins: fn }),
    decision,
    get({ origin: "https://a.example" }),
  ),
  row("middleware/csrf/mod.Options.Skip", ({ fn }) => csrf.New({ Skip: fn }), decisionNow, crossSite),
  row("middleware/csrf/mod.Options.OnRefuse", ({ fn }) => csrf.New({ OnRefuse: fn }), refusal(403), crossSite),
  row(
    "middleware/csrf/mod.Options.Bind",
    ({ fn }) => [
      csrf.New({ Keys: keys.New(secretKey), Bind: fn }),
      (ctx) => void ctx.WriteString(csrf.Token(ctx)),
    ],
    decisionNow,
  ),
  row(
    "middleware/ipfilter.Options.OnRefuse",
    ({ fn }) => ipfilter.New({ Deny: ["127.0.0.1"], OnRefuse: fn }),
    refusal(403),
  ),
  row(
    ["middleware/jwt/guard.Options.From", "middleware/jwt/guard.TokenSource"],
    ({ fn }) => jwt.New({ Algorithms: ["HS256"], Key: secretKey, From: [fn] }),
    decisionNow,
  ),
  row(
    "middleware/jwt/guard.Options.User",
    ({ fn }) => jwt.New({ Algorithms: ["HS256"], Key: secretKey, User: fn }),
    { ...decisionNow, null: "401" },
    token,
  ),
  row(
    "middleware/login/session.SessionOptions.Load",
    ({ fn }) => {
      const manager = sessions.New();
      const logIn = async (ctx: fw.Context) => {
        await accounts.Login(ctx, { ID: "ada" });
        await ctx.Next();
      };
      return [manager.Handler(), logIn, accounts.Session({ Sessions: manager, Load: fn })];
    },
    { ...decision, null: "200" },
  ),
  row(
    "middleware/password/password_check.PasswordOptions.Breached",
    ({ fn }) => async (ctx) => {
      const problem = await auth.CheckPassword("the kettle sings at dawn", { Breached: fn });
      ctx.StopWithStatus(problem === undefined ? 200 : 400);
    },
    decision,
  ),
  row(
    "keys/tokens.Tokens.Verify(stampOf)",
    ({ fn }) => async (ctx) => {
      const links = tokens.New({ Keys: keys.New(secretKey), Purpose: "reset" });
      const subject = await links.Verify(links.Issue("7", ["stamp"]), fn);
      ctx.StopWithStatus(subject === undefined ? 401 : 200);
    },
    { ...decision, null: "401" },
  ),
  row("middleware/logger.Options.Skip", ({ fn }) => logger.New({ Skip: fn }), besides),
  row("middleware/logger.Options.LogFunc", ({ fn }) => logger.New({ LogFunc: fn }), {
    throws: "200 logged",
    rejects: "200 logged",
    never: "200",
    values: "200",
  }),
  row("middleware/ratelimit.Options.Key", ({ fn }) => ratelimit.New({ Limit: 9, Period: 1_000, Key: fn }), decision),
  row(
    "middleware/ratelimit.Options.OnRefuse",
    ({ fn }) => {
      const limit = ratelimit.New({ Limit: 1, Period: 60_000, OnRefuse: fn });
      return limit;
    },
    refusal(429),
    async ({ url }) => {
      await (await fetch(`${url}/x`)).text();
      return await fetch(`${url}/x`);
    },
  ),
  row("middleware/recover.Options.OnError", ({ fn }) => [
    recover.New({ OnError: fn }),
    () => {
      throw new Error("first");
    },
  ], { throws: "500 logged", rejects: "500 logged", never: "500 logged", values: "500 logged" }),
  row("middleware/redirect_to_https.HTTPSOptions.Skip", ({ fn }) => fw.RedirectToHTTPS({ Skip: fn }), decisionNow),
  row("middleware/requestid.Options.Generator", ({ fn }) => requestid.New({ Generator: fn }), besides),
];

function user(ctx: fw.Context): Promise<void> | undefined {
  ctx.SetUser({ ID: "1", Name: "Ada", Roles: [], Method: "test" });
  return ctx.Next();
}

const pairs: Row = {
  of: ["middleware/jwt/pairs.PairOptions.OnRefresh"],
  run: (fault) =>
    serve(fault, {
      set: (app) => {
        const pairs = jwt.NewPairs({
          Signer: jwt.NewSigner({ Algorithm: "HS256", Key: secretKey }),
          Verification: { Algorithms: ["HS256"], Key: secretKey },
          OnRefresh: fault.fn,
        });
        app.Get("/x", async (ctx) => {
          const { RefreshToken } = await pairs.Issue({ sub: "ada" });
          const [pair] = await pairs.Refresh(RefreshToken);
          ctx.StopWithStatus(pair === undefined ? 401 : 200);
        });
      },
    }),
  gives: { ...decision, object: "200" },
};

const signing: Row = {
  of: ["middleware/jwt/signer.Signer.Sign"],
  run: (fault) =>
    serve(fault, {
      set: (app) => {
        const pairs = jwt.NewPairs({
          Signer: { Sign: fault.fn },
          Verification: { Algorithms: ["HS256"], Key: secretKey },
        });
        app.Get("/x", async (ctx) => {
          await pairs.Issue({ sub: "ada" });
          ctx.StopWithStatus(200);
        });
      },
    }),
  gives: decision,
};

const checks: Row = {
  of: [
    "middleware/health/check.CheckFunc",
    "middleware/health/health.Options.Checks",
    "middleware/health/check.Checkable.Check",
  ],
  run: (fault, name) =>
    serve(fault, {
      set: (app) => {
        const Odd = name.endsWith(".Check") ? { Check: fault.fn } : fault.fn;
        health.New({ Checks: { Odd }, Timeout: 100 }).Register(app);
      },
      ask: ({ url }) => fetch(`${url}/readyz`),
    }),
  gives: { throws: "503 logged", rejects: "503 logged", never: "503 logged", values: "200" },
};

const closing: Row = {
  of: ["middleware/health/check.Checkable.CloseCheck"],
  run: async (fault) => {
    return await serve(fault, {
      set: (app) => health.New({ Checks: { Odd: { Check: () => true, CloseCheck: fault.fn } } }).Register(app),
      ask: ({ url }) => fetch(`${url}/readyz`),
    });
  },
  gives: { throws: "200", rejects: "200", never: "200", values: "200" },
};

export const family: Family = { name: "middleware", rows: [...rows, pairs, signing, checks, closing] };
