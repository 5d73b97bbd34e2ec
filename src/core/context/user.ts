/**
 * The authenticated user of a request.
 *
 * @module
 */

import { isThenable } from "../../base/async/thenable.ts";
import { kind } from "../../base/config/option_kinds.ts";
import { checkArgument } from "../../base/config/option_table.ts";
import { assertFunction, returned } from "../../base/config/returned.ts";
import { type Exchange, exchangesOf, valuesOf } from "../exchange/exchange.ts";
import { Key } from "../exchange/values.ts";

/** An authenticated user. Every authentication middleware provides one. */
export interface User {
  /** The unique ID of the user. */
  readonly ID: string;
  /** The display name. */
  readonly Name: string;
  /** The roles of the user, such as `admin` or `editor`. */
  readonly Roles: readonly string[];
  /** The authentication method: `basic`, `jwt`, `oidc`, or a custom name. */
  readonly Method: string;
  /** Additional information, such as the claims of a token. */
  readonly Claims?: Readonly<Record<string, unknown>>;
}

/**
 * Checks the user that a callback returns. Anything else would pass guards that require a user.
 *
 * @param value The value. `undefined` and `null` refuse the request.
 * @param source The callback, such as `User of jwt`.
 */
export function returnedUser(value: unknown, source: string): User | undefined {
  return value === undefined || value === null ? undefined : returned(value, source, isUser, userRule.noun);
}

function isUser(value: unknown): value is User {
  return typeof value === "object" && value !== null && typeof (value as Partial<User>).ID === "string";
}

const userRule = kind("a user with an ID", isUser, undefined);

interface Login {
  /** The user, or `undefined` after a logout. */
  readonly user: User | undefined;
  readonly logout: ((ctx: never) => unknown) | undefined;
  /** Whether a mounted application has set the user. */
  readonly isReported?: boolean;
}

const loginKey: Key<Login> = Key<Login>("user");
const loggedOut: Login = { user: undefined, logout: undefined };

/**
 * Returns the user, if one is logged in. The user of an outer call is also the user of the calls inside it, unless
 * another of these calls has reported it.
 */
export function userOf<C>(exchange: Exchange<C>): User | undefined {
  return loginOf(exchange)?.user;
}

/** Stores the user for the rest of the call. Outer calls without a user of their own take the user over. */
export function setUser<C>(exchange: Exchange<C>, user: User, logout: Login["logout"]): void {
  checkArgument(user, userRule, "user", "SetUser");
  if (logout !== undefined) assertFunction(logout, "logout of SetUser");
  for (const at of exchangesOf(exchange)) {
    const login = at.values?.Get(loginKey);
    const isReported = at !== exchange;
    if (isReported && login?.user !== undefined && !login.isReported) return;
    valuesOf(at).Set(loginKey, { user, logout, isReported });
  }
}

/** Removes the user of this call and of those inside it, without logging out. */
export function forgetUser<C>(exchange: Exchange<C>): void {
  valuesOf(exchange).Set(loginKey, loggedOut);
}

/** Removes the user and runs the logout callback set by the authentication middleware. */
export function logout<C>(exchange: Exchange<C>): void | Promise<void> {
  const login = loginOf(exchange);
  if (login?.user === undefined) return;
  for (const { values } of exchangesOf(exchange)) {
    if (values?.Get(loginKey)?.user === login.user) values.Set(loginKey, loggedOut);
  }
  // Otherwise, the user of an outer call would take this user's place.
  forgetUser(exchange);
  const done = login.logout?.(exchange.context as never);
  if (isThenable(done)) return done.then(() => {});
}

function loginOf<C>(exchange: Exchange<C>): Login | undefined {
  for (const at of exchangesOf(exchange)) {
    const login = at.values?.Get(loginKey);
    if (login !== undefined && (at === exchange || !login.isReported)) return login;
  }
  return undefined;
}
