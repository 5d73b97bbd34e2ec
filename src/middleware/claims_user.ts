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
 * @param hasIssuers Whether users of several issuers meet: `sub` tells users apart only within one of them. An issuer
 *   has no fragment, so no two users share an ID.
 * @returns The user, or `undefined` without `sub`.
 */
export function userOfClaims(
  claims: Readonly<Record<string, unknown>>,
  method: string,
  hasIssuers: boolean,
): User | undefined {
  const { iss, sub, name, preferred_username: nick, email, roles } = claims;
  if (typeof sub !== "string" || sub === "") return undefined;
  const [shown = sub] = [name, nick, email].filter((it) => typeof it === "string");
  return {
    ID: hasIssuers ? `${iss}#${sub}` : sub,
    Name: shown,
    Roles: Array.isArray(roles) ? roles.filter((role) => typeof role === "string") : [],
    Method: method,
    Claims: claims,
  };
}
