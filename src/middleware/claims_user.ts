/**
 * The user that the claims of a token describe.
 *
 * @module
 */

import type { User } from "../context/user.ts";

/**
 * Creates a user from claims. A token that does not say whom it is for is refused: all users without an id would be
 * one.
 *
 * @param claims The claims: `sub`, then `name`, `preferred_username` or `email`, and `roles`.
 * @param method How the user was authenticated.
 * @returns The user, or `undefined` without `sub`.
 */
export function userOfClaims(claims: Readonly<Record<string, unknown>>, method: string): User | undefined {
  const { sub, name, preferred_username: nick, email, roles } = claims;
  if (typeof sub !== "string" || sub === "") return undefined;
  const [shown = sub] = [name, nick, email].filter((it) => typeof it === "string");
  return {
    ID: sub,
    Name: shown,
    Roles: Array.isArray(roles) ? roles.filter((role) => typeof role === "string") : [],
    Method: method,
    Claims: claims,
  };
}
