/**
 * Logins at another server, such as a company's or Google's, by OpenID Connect.
 *
 * @example Logging in elsewhere
 * ```ts
 * import * as fw from "@fw/web";
 * import * as oauth from "@fw/web/middleware/oauth";
 * import * as sessions from "@fw/web/sessions";
 *
 * const manager = sessions.New({ Expires: 8 * 60 * 60 * 1000 });
 * const login = oauth.New({
 *   Issuer: "https://accounts.google.com",
 *   ClientID: "teahouse", // usually from the environment, as is the secret
 *   ClientSecret: "what only the provider and the application know",
 *   RedirectURL: "https://app.example/login/callback",
 *   Sessions: manager,
 * });
 *
 * const app = fw.New();
 * app.Use(login.Handler()); // finds the user of the session
 * app.Get("/login", login.Login());
 * app.Get("/login/callback", login.Callback());
 * app.Post("/logout", login.Logout());
 * app.Get("/", login.Require("/login"), (ctx) => ctx.WriteString(`hello ${ctx.User()?.Name}`));
 *
 * const visit = new Request("https://app.example/", { headers: { accept: "text/html" } });
 * const response = await app.fetch(visit);
 * response.headers.get("location"); // → "/login?return=%2F"
 * ```
 *
 * The login is the code flow with PKCE; state and nonce are stored in the session, can be used once, and only at the
 * callback of the provider that the login began with. The ID token is verified by the provider's keys. With the login
 * the session gets another id.
 *
 * An application may have several providers, each with a client, routes and a `RedirectURL` of its own. A user of one
 * is not a user of another: {@linkcode Client.Require} demands a login at its own provider, and the default `ID` of a
 * user is the issuer and the subject.
 *
 * @module
 */

import { FrameworkError, HTTPError } from "../../base/errors.ts";
import type { Context } from "../../context/context.ts";
import type { Handler } from "../../context/handler.ts";
import { noteFacts } from "../../context/handler_facts.ts";
import type { User } from "../../context/user.ts";
import { Key } from "../../context/values.ts";
import { goOn } from "../../store/awaitable.ts";
import { userOfClaims } from "../claims_user.ts";
import { dropOldFlows, keepFlow, type LoginSession, type LoginSessions, safePath, takeFlow } from "./flow.ts";
import { depart, goodbye } from "./leave.ts";
import { Provider, ProviderUnavailable } from "./provider.ts";
import { redeem, type Tokens } from "./redeem.ts";

export type { User } from "../../context/user.ts";
export type { LoginSession, LoginSessions } from "./flow.ts";
export type { Tokens } from "./redeem.ts";

/** Where users log in. */
export interface Options {
  /** The provider, by the URL that it calls itself: `https://accounts.google.com`. */
  Issuer: string;
  /** The name that the provider knows the application by. */
  ClientID: string;
  /** The application's secret; left out where the provider gave none. */
  ClientSecret?: string;
  /** How the secret is sent: in a header, when left out, or in the body. */
  SendSecret?: "basic" | "post";
  /** The whole URL of the route that `Callback` serves, as it is registered with the provider. */
  RedirectURL: string;
  /** Where logins under way and users are kept: what `sessions.New()` returned. */
  Sessions: LoginSessions;
  /** What is asked for; `openid`, `profile` and `email` when left out. */
  Scopes?: readonly string[];
  /** More parameters of the request that the browser is sent with: `{ prompt: "select_account" }`. */
  Params?: Readonly<Record<string, string>>;
  /**
   * Creates a user from the claims of the ID token, or refuses the login by `undefined`. Defaults to the user that
   * `name`, `email` and `roles` describe, whose `ID` is `iss` and `sub`, joined by `#`: two providers may have users of
   * the same `sub`. The tokens are for requests to the provider: store them where only the server reads them.
   */
  User?: (
    claims: Readonly<Record<string, unknown>>,
    tokens: Tokens,
  ) => User | undefined | Promise<User | undefined>;
  /**
   * How many milliseconds one request to the provider may take, its response body included, before the login fails with
   * 503.
   *
   * @default {10000}
   */
  Timeout?: number;
  /** Responds when a login fails, in place of a bare 401. */
  OnFailure?: (ctx: Context, error: Error) => ReturnType<Handler>;
}

/** Handlers of logins; created by {@linkcode New}. */
export interface Client {
  /**
   * Middleware that finds the user of the session, if one has logged in at this provider. If the session has users of
   * several providers, the one who logged in last is the user of the request.
   *
   * @returns The middleware.
   */
  Handler(): Handler;
  /**
   * Middleware that lets only users on who have logged in at this provider, and makes them the user of the request. A
   * browser that requests a page is sent to log in; every other request gets 401.
   *
   * @param path The path that `Login` serves.
   * @returns The middleware.
   */
  Require(path: string): Handler;
  /**
   * Sends the browser to the provider. The query parameter `return` names the path to come back to.
   *
   * @returns The handler of a GET route.
   */
  Login(): Handler;
  /**
   * Ends the login when the browser comes back.
   *
   * @returns The handler of the GET route that `RedirectURL` names.
   */
  Callback(): Handler;
  /**
   * Ends the session, here and, where it has a page for that, at the provider.
   *
   * @param path Where the browser goes then; `/` when left out.
   * @returns The handler of a POST route.
   */
  Logout(path?: string): Handler;
}

/** The provider of the last login, in the session. */
const lastKey = "fw.oauth.last";
/** The provider whose user is that of the request. */
const providerKey: Key<string> = Key<string>("oauth provider");

/**
 * Creates the handlers.
 *
 * @param options Where users log in.
 * @returns The handlers.
 */
export function New(options: Options): Client {
  const provider = new Provider({ ...options, Timeout: options.Timeout ?? 10_000 });
  const userKey = `fw.oauth.user.${provider.name}`;
  const { ClientID, Sessions, Scopes = ["openid", "profile", "email"], RedirectURL } = options;
  if (ClientID === "" || URL.parse(RedirectURL) === null || !Scopes.includes("openid")) {
    throw new FrameworkError("FW_CONFIG", 'Cannot log users in: ClientID, a whole RedirectURL and the scope "openid"');
  }
  const request = { ClientID, RedirectURL, Scopes, Params: options.Params ?? {} };
  const toUser = options.User ?? ((claims) => userOfClaims(claims, "oidc", true));

  async function leave(ctx: Context): Promise<void> {
    const { state, flow, url } = await depart(provider, request, safePath(ctx.URLParam("return")));
    await keepFlow(await Sessions.Start(ctx), provider.name, state, flow);
    ctx.Header("Cache-Control", "no-store");
    ctx.Redirect(url);
  }

  async function comeBack(ctx: Context): Promise<void> {
    const session = await Sessions.Start(ctx);
    const flow = await takeFlow(session, provider.name, ctx.URLParam("state"));
    if (flow === undefined) {
      throw new FrameworkError("FW_AUTH", "Cannot end the login: this session has none in flight at this provider");
    }
    const { claims, tokens } = await redeem({ provider, options, flow, url: new URL(ctx.Request().url) });
    const user = await toUser(claims, tokens);
    if (user === undefined) throw new FrameworkError("FW_AUTH", "Cannot log the user in: the application refused");
    // An id that was known before the login must not open what comes after it.
    session.Regenerate();
    session.Set(userKey, user);
    session.Set(lastKey, provider.name);
    ctx.Header("Cache-Control", "no-store");
    ctx.Redirect(flow.path, 303);
  }

  async function failing(ctx: Context, work: Promise<void>): Promise<void | Response> {
    try {
      await work;
    } catch (error) {
      if (error instanceof HTTPError) throw error;
      if (error instanceof ProviderUnavailable) {
        ctx.Application().Logger().Error("Cannot reach the provider of logins:", error);
        throw new HTTPError(503, "", { cause: error, Code: "FW_AUTH" });
      }
      ctx.Application().Logger().Warn("Cannot log a user in:", error);
      ctx.StopWithStatus(401);
      return await options.OnFailure?.(ctx, error as Error);
    }
  }

  function setUser(ctx: Context, session: LoginSession, user: User): void {
    ctx.SetUser(user, () => session.Destroy());
    ctx.Values().Set(providerKey, provider.name);
  }

  function identify(ctx: Context): void | Promise<void> {
    return goOn(Sessions.Start(ctx), (session) => {
      const user = session.Get(userKey) as User | undefined;
      const isFirst = ctx.Values().Get(providerKey) === undefined || session.Get(lastKey) === provider.name;
      if (user !== undefined && isFirst) setUser(ctx, session, user);
      return goOn(dropOldFlows(session), () => ctx.Next());
    });
  }

  function require(ctx: Context, path: string): void | Promise<void> {
    // As the middleware before it left the user: with roles of the application's own, say, or logged out.
    if (ctx.Values().Get(providerKey) === provider.name) {
      return ctx.User() === undefined ? demandLogin(ctx, path) : ctx.Next();
    }
    return goOn(Sessions.Start(ctx), (session) => {
      const user = session.Get(userKey) as User | undefined;
      if (user === undefined) return demandLogin(ctx, path);
      setUser(ctx, session, user);
      return ctx.Next();
    });
  }

  async function logOut(ctx: Context, path: string): Promise<void> {
    (await Sessions.Start(ctx)).Destroy();
    await ctx.Logout();
    ctx.Redirect(await goodbye(provider, ClientID, new URL(path, RedirectURL)), 303);
  }

  return {
    Handler: () => noteFacts(identify, { security: { name: "oidc", scheme: schemeOf(options.Issuer) } }),
    Require: (path) => (ctx) => require(ctx, path),
    Login: () => (ctx) => failing(ctx, leave(ctx)),
    Callback: () => (ctx) => failing(ctx, comeBack(ctx)),
    Logout: (path = "/") => (ctx) => failing(ctx, logOut(ctx, path)),
  };
}

function demandLogin(ctx: Context, path: string): void {
  ctx.AddHeader("Vary", "Accept");
  const wantsPage = (ctx.Method() === "GET" || ctx.Method() === "HEAD") &&
    /\btext\/html\b/.test(ctx.GetHeader("accept"));
  if (!wantsPage) return ctx.StopWithStatus(401);
  const url = new URL(ctx.Request().url);
  // A browser must not keep the way to the login for the page itself.
  ctx.Header("Cache-Control", "no-store");
  ctx.Redirect(`${path}?return=${encodeURIComponent(url.pathname + url.search)}`);
}

function schemeOf(issuer: string): Record<string, unknown> {
  return { type: "openIdConnect", openIdConnectUrl: `${issuer.replace(/\/$/, "")}/.well-known/openid-configuration` };
}
