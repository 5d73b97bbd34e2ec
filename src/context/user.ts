/**
 * Who sends a request.
 *
 * @module
 */

import { Key, type Values } from "./values.ts";

/** Who sends a request, whichever middleware found out. */
export interface User {
  /** What tells the user from all others. */
  readonly ID: string;
  /** The name, for people. */
  readonly Name: string;
  /** What the user may be: `admin`, `editor`. */
  readonly Roles: readonly string[];
  /** How the user was authenticated: `basic`, `jwt`, `oidc`, or a word of the application's. */
  readonly Method: string;
  /** What else is known: the claims of a token, or whatever the application found. */
  readonly Claims?: Readonly<Record<string, unknown>>;
}

interface Login {
  readonly user: User;
  readonly logout: (() => void | Promise<void>) | undefined;
}

/** What keeps the values of a request, if there are any. */
interface Keeper {
  readonly values: Values | undefined;
}

const loginKey: Key<Login> = Key<Login>("user");

/** The user, if one has logged in. */
export function userOf(keeper: Keeper): User | undefined {
  return keeper.values?.Get(loginKey)?.user;
}

/** Keeps the user for the rest of the request. */
export function setUser(values: Values, user: User, logout: (() => void | Promise<void>) | undefined): void {
  values.Set(loginKey, { user, logout });
}

/** Forgets the user, and does what the middleware wants done then. */
export function logout(keeper: Keeper): void | Promise<void> {
  const login = keeper.values?.Get(loginKey);
  keeper.values?.Remove(loginKey);
  return login?.logout?.();
}
