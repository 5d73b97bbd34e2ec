/**
 * Logins that are stored in sessions.
 *
 * @module
 */

import { flag, func, methods, required, texts, where } from "../../base/config/option_kinds.ts";
import { checkArgument, optionTable, readOptions } from "../../base/config/option_table.ts";
import { path as pathRule } from "../../base/config/option_shapes.ts";
import { returned } from "../../base/config/returned.ts";
import { FrameworkError } from "../../base/errors/errors.ts";
import { type Context, exchangeOf } from "../../core/context/context.ts";
import type { Handler } from "../../core/context/handler.ts";
import { forgetUser, returnedUser, type User } from "../../core/context/user.ts";
import { outermostExchange, valueOf, valuesOf } from "../../core/exchange/exchange.ts";
import { noteFacts } from "../../core/exchange/handler_facts.ts";
import { Key } from "../../core/exchange/values.ts";
import { currentManager, SessionManager } from "../../state/sessions/session_manager.ts";
import { andThen, type Awaitable } from "../../state/store/store.ts";
import { demandLogin } from "./next.ts";

/** Options for {@linkcode Session}. */
export interface SessionOptions {
  /** The session manager, created by `sessions.New()`. */
  Sessions: SessionManager;
  /**
   * Loads the user with the ID of a login, usually from the database. It is called at most once per request, so that
   * changed roles and deleted users take effect with the next request. If it returns `undefined` or `null`, the request
   * has no user. If it throws, the request fails.
   */
  Load: (id: string, ctx: Context) => Awaitable<User | null | undefined>;
}

/** Options for {@linkcode Login}. */
export interface LoginOptions {
  /**
   * Whether the login outlives the browser session. If `true`, the session has the lifetime of the session manager, or
   * 30 days if its sessions end with the browser. If `false`, the session ends when the browser is closed. If omitted,
   * the setting of the session manager applies.
   */
  Remember?: boolean;
  /**
   * The names of the session values to take over, such as a shopping cart. All others are dropped, because someone else
   * may have set them before the login.
   *
   * @default {[]}
   */
  Keep?: readonly string[];
}

const table = optionTable<SessionOptions>("auth.SessionOptions", "auth.Session")({
  Sessions: required(methods("Start", "Get")),
  Load: required(func()),
});

const loginTable = optionTable<LoginOptions>("auth.LoginOptions", "auth.Login")({
  Remember: flag(),
  Keep: texts([]),
});

/** The rule for login pages. Two slashes lead to another site, and a fragment would contain the address to go on to. */
const loginPath = where(pathRule(), "a path that starts with a single slash, without a fragment", (path) => {
  return !/^\/[/\\]|#/.test(path);
});

/** The function that loads users, and its last result. */
interface Loader {
  readonly load: SessionOptions["Load"];
  readonly id: string;
  readonly user: Awaitable<User | undefined>;
}

/** The manager whose users the handlers load. An ID of another manager may be that of another user. */
const loaderKey: Key<Readonly<SessionOptions>> = Key<Readonly<SessionOptions>>("loader of users");
/** The last result. It belongs to the outermost request, so that a mounted application does not load the user again. */
const loadedKey: Key<Loader> = Key<Loader>("loaded user");
/** The user of the last session with a login. */
const identifiedKey: Key<User> = Key<User>("user of a session");

/**
 * Creates middleware that starts the session and sets `ctx.User()` to the user who has logged in with
 * {@linkcode Login}. The user is loaded anew for each request. If several of these run for a request, such as those of
 * customers and, in one party, of the staff, the last one decides: without a login there, `ctx.User()` is reset.
 *
 * @param options The session manager, and the function that loads a user.
 * @returns The middleware.
 * @throws {FrameworkError} If an option is invalid.
 */
export function Session(options: SessionOptions): Handler {
  const settings = readOptions(table, options);
  const { Sessions, Load } = settings;
  if (!(Sessions instanceof SessionManager)) {
    throw new FrameworkError("FW_CONFIG", "Sessions must be a session manager, created by sessions.New()");
  }
  return noteFacts(function session(ctx: Context): void | Promise<void> {
    valuesOf(exchangeOf(ctx)).Set(loaderKey, settings);
    return andThen(identify(ctx, Sessions, Load), () => ctx.Next()) as void | Promise<void>;
  }, {});
}

/**
 * Logs a user in. The request gets a new session with a new ID, which belongs to the user, and the session before the
 * login ends. Call it only after the user has been authenticated, for example with a password. As with all changes of a
 * session, the login is stored even if the handler throws afterwards, so call it last.
 *
 * @param ctx The request context. {@linkcode Session} or a session manager's `Handler()` must have run before.
 * @param user The user, or an object with the user's ID.
 * @param options The lifetime, and the session values to keep.
 * @returns A promise that resolves when `ctx.User()` is set. The session is stored before the response is sent.
 * @throws {FrameworkError} If the request has no session manager, or if an option is invalid.
 */
export async function Login(
  ctx: Context,
  user: { readonly ID: string } & Partial<User>,
  options: LoginOptions = {},
): Promise<void> {
  const { Remember, Keep } = readOptions(loginTable, options);
  const manager = managerOf(ctx, "log in");
  if (typeof user?.ID !== "string" || user.ID === "") {
    throw new FrameworkError("FW_AUTH", "Cannot log in: the user has no ID");
  }
  await manager.logIn(ctx, user.ID, { keep: Keep, remember: Remember });
  const loader = valueOf(exchangeOf(ctx), loaderKey);
  // Managers with the same cookie share the login.
  const isShared = loader?.Sessions.handleOf(ctx) === manager.handleOf(ctx);
  if (loader !== undefined && isShared) return void await identify(ctx, manager, loader.Load);
  if (user.Roles !== undefined && user.Name !== undefined) setUser(ctx, manager, user as User);
}

/**
 * Logs the user out. The session ends, with its WebSocket connections and event streams, and `ctx.User()` is reset.
 *
 * @param ctx The request context.
 * @throws {FrameworkError} If the request has no session manager.
 */
export async function Logout(ctx: Context): Promise<void> {
  const manager = managerOf(ctx, "log out");
  await ctx.Logout();
  (await manager.Start(ctx)).Destroy();
}

/**
 * Creates middleware that allows only requests with a user. A browser that requests a page without a login is
 * redirected to the login page, with the page's address in the query parameter `next`, which {@linkcode Next} reads.
 * All other requests without a login get 401.
 *
 * @param path The path of the login page. It may have a query string.
 * @returns The middleware.
 * @throws {FrameworkError} If the path does not start with a single slash, or has a fragment.
 */
export function Require(path: string): Handler {
  checkArgument(path, loginPath, "path", "auth.Require");
  return noteFacts(function requireLogin(ctx: Context): void | Promise<void> {
    return ctx.User() === undefined ? demandLogin(ctx, path, "next") : ctx.Next();
  }, { isGuard: true, needsUser: true, guard: "auth.Require" });
}

function identify(ctx: Context, manager: SessionManager, load: SessionOptions["Load"]): Awaitable<void> {
  return andThen(manager.userOf(ctx), (id) => {
    if (id === undefined) return forgetOther(ctx);
    return andThen(
      loadOnce(ctx, id, load),
      (user) => user === undefined ? forgetOther(ctx) : setUser(ctx, manager, user),
    );
  });
}

/** Resets the user of another session. Guards would otherwise accept a customer in the area of the staff. */
function forgetOther(ctx: Context): void {
  const exchange = exchangeOf(ctx);
  const identified = valueOf(exchange, identifiedKey);
  if (identified !== undefined && identified === ctx.User()) forgetUser(exchange);
}

function loadOnce(ctx: Context, id: string, load: SessionOptions["Load"]): Awaitable<User | undefined> {
  const values = valuesOf(outermostExchange(exchangeOf(ctx)));
  const known = values.Get(loadedKey);
  if (known?.load === load && known.id === id) return known.user;
  const user = andThen(load(id, ctx), (it) => checkUser(it, id));
  values.Set(loadedKey, { load, id, user });
  return user;
}

/** Checks a loaded user. Another user's record would give access to another account. */
function checkUser(value: unknown, id: string): User | undefined {
  const user = returnedUser(value, "Load of auth.Session");
  return user &&
    returned(
      user,
      "Load of auth.Session",
      (it): it is User => it === user && user.ID === id,
      "a user with the given ID",
    );
}

function setUser(ctx: Context, manager: SessionManager, user: User): void {
  valuesOf(exchangeOf(ctx)).Set(identifiedKey, user);
  ctx.SetUser(user, async (current) => (await manager.Start(current)).Destroy());
}

function managerOf(ctx: Context, act: string): SessionManager {
  const manager = currentManager(ctx);
  if (manager !== undefined) return manager;
  throw new FrameworkError(
    "FW_AUTH",
    `Cannot ${act}: register auth.Session or the Handler() of a session manager first`,
  );
}
