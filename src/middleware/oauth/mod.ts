/**
 * Middleware for OpenID Connect logins with an external provider, such as Google or a company's identity server.
 *
 * The login uses the authorization code flow with PKCE. State and nonce are stored in the session and can be used only
 * once, at the callback of the provider that the login started with. The ID token is verified with the provider's keys.
 * After the login, the session gets a new ID.
 *
 * An application can use several providers, each with its own client, routes and `RedirectURL`. Logging in at one
 * provider does not log the user in at another. {@linkcode Client.Require} requires a login at its own provider, and by
 * default a user's `ID` consists of issuer and subject.
 *
 * {@linkcode New} returns an object instead of a handler, because a login has several routes. Its `Handler()` is the
 * middleware.
 *
 * @example Log in at an external provider
 * ```ts
 * import * as fw from "@fw/web";
 * import * as oauth from "@fw/web/middleware/oauth";
 * import * as sessions from "@fw/web/sessions";
 *
 * const manager = sessions.New({ Expires: 8 * 60 * 60 * 1000 });
 * const login = oauth.New({
 *   Issuer: "https://accounts.google.com",
 *   ClientID: "teahouse", // usually from the environment, like the secret
 *   ClientSecret: "what only the provider and the application know",
 *   RedirectURL: "https://app.example/login/callback",
 *   Sessions: manager,
 * });
 *
 * const app = fw.New();
 * app.Use(login.Handler()); // loads the user from the session
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
 * @module
 */

import {
  filled,
  formerly,
  func,
  methods,
  oneOf,
  record,
  required,
  text,
  texts,
  timeLimit,
} from "../../base/config/option_kinds.ts";
import { nonEmpty } from "../../base/config/option_shapes.ts";
import { optionTable, readOptions } from "../../base/config/option_table.ts";
import { type Context, exchangeOf } from "../../core/context/context.ts";
import type { Handler } from "../../core/context/handler.ts";
import { refuseWith } from "../../core/context/refusal.ts";
import { returnedUser, type User } from "../../core/context/user.ts";
import { FrameworkError, HTTPError } from "../../base/errors/errors.ts";
import { asPage, noteFacts } from "../../core/exchange/handler_facts.ts";
import { rootedPath } from "../../core/exchange/public_url.ts";
import { valueOf } from "../../core/exchange/exchange.ts";
import { Key } from "../../core/exchange/values.ts";
import { userOfClaims } from "../claims_user.ts";
import { demandLogin, nextPath } from "../login/next.ts";
import { SessionManager } from "../../state/sessions/session_manager.ts";
import { dropOldFlows, keepFlow, type LoginSession, type LoginSessions, takeFlow } from "./flow.ts";
import { Provider, ProviderUnavailable } from "./provider.ts";
import { logoutURL, startLogin } from "./provider_redirect.ts";
import { redeem, type Tokens } from "./redeem.ts";

export type { LoginSession, LoginSessions } from "./flow.ts";
export type { Tokens } from "./redeem.ts";

/** Options for {@linkcode New}. */
export interface Options {
  /** The provider's issuer URL, such as `https://accounts.google.com`. */
  Issuer: string;
  /** The client ID that the provider assigned to the application. */
  ClientID: string;
  /** The client secret. Omit it for a public client. */
  ClientSecret?: string;
  /**
   * Whether the secret is sent in a header (`basic`) or in the request body (`post`).
   *
   * @default {"basic"}
   */
  SendSecret?: "basic" | "post";
  /** The absolute URL of the `Callback` route, as registered with the provider. */
  RedirectURL: string;
  /** The sessions in which logins and users are stored, created by `sessions.New()`. */
  Sessions: LoginSessions;
  /**
   * The requested scopes.
   *
   * @default {["openid", "profile", "email"]}
   */
  Scopes?: readonly string[];
  /** Additional parameters for the authorization request, such as `{ prompt: "select_account" }`. */
  Params?: Readonly<Record<string, string>>;
  /**
   * Creates a user from the claims in the ID token, or returns `undefined` to reject the login. If omitted, the user is
   * created from `name`, `email` and `roles`. Its `ID` consists of `iss` and `sub`, joined by `#`, because two
   * providers may use the same `sub`. The tokens can be used for requests to the provider. Store them only on the
   * server.
   */
  User?: (
    claims: Readonly<Record<string, unknown>>,
    tokens: Tokens,
  ) => User | undefined | Promise<User | undefined>;
  /**
   * The time limit for a request to the provider, including the response body, in milliseconds. If it is exceeded, the
   * login fails with 503.
   *
   * @default {10000}
   */
  Timeout?: number;
  /**
   * The handler that writes the response to failed logins. The status is 401 unless the handler sets another one. If
   * omitted, the response is a plain 401.
   */
  OnRefuse?: (ctx: Context, error: Error) => ReturnType<Handler>;
}

/** The handlers for logins at a provider, created by {@linkcode New}. */
export interface Client {
  /**
   * Creates middleware that loads the session's user if the user has logged in at this provider. If the session has
   * users of several providers, the most recent login determines the request's user.
   *
   * @returns The middleware.
   */
  Handler(): Handler;
  /**
   * Creates middleware that allows only users who have logged in at this provider, and sets the request's user. If a
   * browser requests a page without a login, it is redirected to the login. All other requests without a login get 401.
   *
   * @param path The path of the `Login` route.
   * @returns The middleware.
   */
  Require(path: string): Handler;
  /**
   * Creates the handler that redirects the browser to the provider. The query parameter `return` specifies the path to
   * return to.
   *
   * @returns The handler, for a GET route.
   */
  Login(): Handler;
  /**
   * Creates the handler that completes the login when the browser returns.
   *
   * @returns The handler, for the GET route at `RedirectURL`.
   */
  Callback(): Handler;
  /**
   * Creates the handler that ends the session, also at the provider if it has a logout page.
   *
   * @param path The path to redirect to afterwards. Defaults to `/`.
   * @returns The handler, for a POST route.
   */
  Logout(path?: string): Handler;
}

/** The session key for the provider of the most recent login. */
const lastKey = "fw.oauth.last";
/** The key for the provider of the request's user. */
const providerKey: Key<string> = Key<string>("oauth provider");

const table = optionTable<Options>("middleware/oauth.Options", "oauth")({
  Issuer: required(text()),
  ClientID: required(filled()),
  ClientSecret: filled(),
  SendSecret: oneOf("basic", "basic", "post"),
  RedirectURL: required(text()),
  Sessions: required(methods("Start")),
  Scopes: nonEmpty(texts(["openid", "profile", "email"])),
  Params: record({}),
  User: func(defaultUser),
  Timeout: timeLimit(10_000),
  OnRefuse: formerly("OnFailure", func()),
});

/**
 * Creates the handlers for logins at a provider, such as a social login with Google or single sign-on (SSO) with
 * Keycloak.
 *
 * @param options The options.
 * @returns The handlers.
 * @throws {FrameworkError} If an option is invalid.
 */
export function New(options: Options): Client {
  const settings = readOptions(table, options);
  const provider = new Provider(settings);
  const userKey = `fw.oauth.user.${provider.name}`;
  const { ClientID, Sessions, Scopes, RedirectURL, Params, User: toUser } = settings;
  if (ClientID === "" || URL.parse(RedirectURL) === null || !Scopes.includes("openid")) {
    throw new FrameworkError(
      "FW_CONFIG",
      'Cannot create logins: set ClientID, an absolute RedirectURL and the scope "openid"',
    );
  }
  const request = { ClientID, RedirectURL, Scopes, Params };

  async function leave(ctx: Context): Promise<void> {
    const { state, flow, url } = await startLogin(provider, request, nextPath(ctx, ctx.URLParam("return")));
    await keepFlow(await Sessions.Start(ctx), provider.name, state, flow);
    ctx.Header("Cache-Control", "no-store");
    ctx.Redirect(url);
  }

  async function comeBack(ctx: Context): Promise<void> {
    const session = await Sessions.Start(ctx);
    const flow = await takeFlow(session, provider.name, ctx.URLParam("state"));
    if (flow === undefined) {
      throw new FrameworkError("FW_AUTH", "Cannot complete the login: none is in flight for this session and provider");
    }
    const { claims, tokens } = await redeem({ provider, options: settings, flow, url: new URL(ctx.Request().url) });
    const user = returnedUser(await toUser(claims, tokens), "User of oauth");
    if (user === undefined) throw new FrameworkError("FW_AUTH", "Cannot log the user in: refused by the application");
    // This prevents session fixation. An ID that was known before the login must not be valid after it.
    if (Sessions instanceof SessionManager) await Sessions.logIn(ctx, user.ID, { keep: true, isBeside: true });
    else session.Regenerate();
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
        ctx.Application().Logger().Error("Cannot reach the login provider:", error);
        throw new HTTPError(503, "", { cause: error, Code: "FW_AUTH" });
      }
      ctx.Application().Logger().Warn("Cannot log a user in:", error);
      return await refuseWith(ctx, 401, () => settings.OnRefuse?.(ctx, error as Error));
    }
  }

  function setUser(ctx: Context, session: LoginSession, user: User): void {
    ctx.SetUser(user, () => session.Destroy());
    ctx.Values().Set(providerKey, provider.name);
  }

  async function identify(ctx: Context): Promise<void> {
    const session = await Sessions.Start(ctx);
    const user = session.Get(userKey) as User | undefined;
    const isFirst = valueOf(exchangeOf(ctx), providerKey) === undefined || session.Get(lastKey) === provider.name;
    if (user !== undefined && isFirst) setUser(ctx, session, user);
    await dropOldFlows(session);
    await ctx.Next();
  }

  async function require(ctx: Context, path: string): Promise<void> {
    // Keep the user that earlier middleware has set, for example with additional roles or after a logout.
    if (valueOf(exchangeOf(ctx), providerKey) !== provider.name) {
      const session = await Sessions.Start(ctx);
      const user = session.Get(userKey) as User | undefined;
      if (user === undefined) return demandLogin(ctx, path, "return");
      setUser(ctx, session, user);
    }
    if (ctx.User() === undefined) return demandLogin(ctx, path, "return");
    await ctx.Next();
  }

  async function logOut(ctx: Context, path: string): Promise<void> {
    (await Sessions.Start(ctx)).Destroy();
    await ctx.Logout();
    ctx.Redirect(
      await logoutURL(provider, ClientID, new URL(rootedPath(exchangeOf(ctx).target, path), RedirectURL)),
      303,
    );
  }

  const security = { name: "oidc", scheme: schemeOf(options.Issuer) };
  return {
    Handler: () => noteFacts(identify, { security }),
    Require: (path) =>
      noteFacts<Handler>(function requireLogin(ctx) {
        return require(ctx, path);
      }, { security, isGuard: true, needsUser: true, guard: "oauth.Require" }),
    Login: () =>
      asPage<Handler>(function oauthLogin(ctx) {
        return failing(ctx, leave(ctx));
      }),
    Callback: () =>
      asPage<Handler>(function oauthCallback(ctx) {
        return failing(ctx, comeBack(ctx));
      }),
    Logout: (path = "/") =>
      asPage<Handler>(function oauthLogout(ctx) {
        return failing(ctx, logOut(ctx, path));
      }),
  };
}

function schemeOf(issuer: string): Record<string, unknown> {
  return { type: "openIdConnect", openIdConnectUrl: `${issuer.replace(/\/$/, "")}/.well-known/openid-configuration` };
}

function defaultUser(claims: Readonly<Record<string, unknown>>): User | undefined {
  return userOfClaims(claims, "oidc", true);
}
