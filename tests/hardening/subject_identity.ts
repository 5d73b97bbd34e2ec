/**
 * The part of the subject with tokens, logins, request IDs and rules before the router.
 *
 * @module
 */

import type * as fw from "@fw/web";
import * as health from "@fw/web/middleware/health";
import * as jwt from "@fw/web/middleware/jwt";
import * as methodoverride from "@fw/web/middleware/methodoverride";
import * as oauth from "@fw/web/middleware/oauth";
import * as requestid from "@fw/web/middleware/requestid";
import * as rewrite from "@fw/web/middleware/rewrite";
import * as timeout from "@fw/web/middleware/timeout";
import * as sessions from "@fw/web/sessions";
import { secret } from "./expect.ts";

/** The features that this part adds to the subject. */
export const identityFeatures: readonly string[] = [
  "health",
  "jwt",
  "method override",
  "oidc",
  "request ids",
  "rewrite",
  "time limit",
];

/** The key that signs tokens. */
export const tokenKey = "the key of the tokens, which has more than 32 bytes";

type Wrapper = ReturnType<typeof rewrite.New>;

/** Adds the routes. */
export function addIdentity(app: fw.Application): void {
  const tokens = app.Party("/jwt");
  tokens.Use(jwt.New({ Algorithms: ["HS256"], Key: tokenKey, Issuer: "subject", Audience: "attacks" }));
  tokens.Get("/", (ctx) => ctx.WriteString(secret));
  addLogin(app);
  const identify = requestid.New();
  app.Party("/identified").UseRouter(identify).Get("/", (ctx) => ctx.WriteString(ctx.GetID()));
  const timed = app.Party("/timed");
  timed.Use(timeout.New({ After: 50 }));
  timed.Get("/never", () => new Promise<void>(() => {}));
  timed.Get("/late", async (ctx) => {
    await new Promise((resolve) => setTimeout(resolve, 100));
    ctx.WriteString(secret);
  });
  addLateWriters(app);
  health.New({
    Checks: {
      database: () => {
        throw new Error(secret);
      },
    },
  }).Register(app);
  addRules(app);
}

/** Adds handlers that keep writing while the end of their request takes time, as with a slow session store. */
function addLateWriters(app: fw.Application): void {
  const slow = app.Party("/slow-end");
  slow.Use((ctx) => {
    const acted = Promise.withResolvers<void>();
    ctx.Values().Set("acted", acted.resolve);
    ctx.Recorder().OnSend(() => acted.promise);
    return ctx.Next();
  });
  async function writeLate(ctx: fw.Context): Promise<void> {
    await new Promise((resolve) => setTimeout(resolve, 100));
    ctx.StatusCode(200);
    ctx.SetCookie("late", secret);
    ctx.Header("x-late", secret);
    ctx.WriteString(secret);
    ctx.Recorder().OnSend((recorder) => recorder.SetBody(secret));
    (ctx.Values().Get("acted") as () => void)();
  }
  slow.Get("/timeout", timeout.New({ After: 50 }), writeLate);
  slow.Get("/error", (ctx) => {
    void writeLate(ctx);
    throw new Error("failed meanwhile");
  });
  slow.Get("/forgotten", (ctx) => {
    void writeLate(ctx);
    ctx.WriteString("early");
  });
}

function addLogin(app: fw.Application): void {
  const login = oauth.New({
    Issuer: "https://login.invalid",
    ClientID: "subject",
    RedirectURL: "https://localhost/oidc/callback",
    Sessions: sessions.New({ Cookie: "oidc" }),
  });
  const party = app.Party("/oidc");
  party.Use(login.Handler());
  party.Get("/callback", login.Callback());
  party.Get("/home", login.Require("/oidc/login"), (ctx) => ctx.WriteString(secret));
  party.Get("/home/{rest:path}", login.Require("/oidc/login"), (ctx) => ctx.WriteString(secret));
}

/** Adds rules that only apply below certain paths. */
function addRules(app: fw.Application): void {
  const meant = app.Party("/meant");
  meant.Get("/", (ctx) => ctx.WriteString("read"));
  meant.Post("/", (ctx) => ctx.WriteString("posted"));
  meant.Delete("/", (ctx) => ctx.WriteString("deleted"));
  app.WrapRouter(below("/meant", methodoverride.New({ FormField: "_method" })));
  const moved = app.Party("/moved");
  moved.Get("/{rest:path}", (ctx) => ctx.WriteString(ctx.Params().Get("rest")));
  const shut = app.Party("/moved-shut");
  shut.Use((ctx) => ctx.StopWithStatus(403));
  shut.Get("/{rest:path}", (ctx) => ctx.WriteString(secret));
  app.WrapRouter(below(
    "/old",
    rewrite.New({
      Rules: [
        { From: "/old/away/{rest:path}", To: "/{rest}", Status: 301 },
        { From: "/old/shut/{rest:path}", To: "/moved-shut/{rest}" },
        { From: "/old/in/{rest:path}", To: "/moved/{rest}" },
      ],
    }),
  ));
}

function below(path: string, wrapper: Wrapper): Wrapper {
  return (request, next) =>
    request.url.includes(path, request.url.indexOf("/", 8)) ? wrapper(request, next) : next(request);
}
