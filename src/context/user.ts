/**
 * The authenticated user of a request.
 *
 * @module
 */

import { Key, type Values } from "../exchange/values.ts";

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

interface Login {
  readonly user: User;
  readonly logout: (() => void | Promise<void>) | undefined;
}

/** An object that holds the values of a request, if there are any. */
interface Keeper {
  readonly values: Values | undefined;
}

const loginKey: Key<Login> = Key<Login>("user");

/** Returns the user, if one is logged in. */
export function userOf(keeper: Keeper): User | undefined {
  return keeper.values?.Get(loginKey)?.user;
}

/** Stores the user for the rest of the request. */
export function setUser(values: Values, user: User, logout: (() => void | Promise<void>) | undefined): void {
  values.Set(loginKey, { user, logout });
}

/** Removes the user and runs the logout callback set by the authentication middleware. */
export function logout(keeper: Keeper): void | Promise<void> {
  const login = keeper.values?.Get(loginKey);
  keeper.values?.Remove(loginKey);
  return login?.logout?.();
}
