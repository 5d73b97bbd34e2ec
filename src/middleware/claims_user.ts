/**
 * Creates users from token claims.
 *
 * @module
 */

import type { User } from "../core/context/user.ts";

/**
 * Creates a user from token claims. Returns `undefined` if `sub` is missing, because all users without an ID would be
 * treated as the same user.
 *
 * @param claims The claims. `sub`, `name`, `preferred_username`, `email` and `roles` are used.
 * @param method The authentication method.
 * @param hasIssuers Whether tokens come from several issuers. A `sub` is unique only per issuer, so the ID is then
 * prefixed with the issuer and a `#`. Issuer URLs do not contain a fragment, so IDs cannot collide.
 * @returns The user, or `undefined` if the claims have no `sub`.
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
