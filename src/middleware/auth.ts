/**
 * Authorization and passwords. The middleware restricts access by role or with a custom predicate, regardless of the
 * authentication method. The functions check, hash and verify passwords. Logins that are stored in sessions are in
 * `@fw/web/auth`.
 *
 * @example Restrict a route to administrators
 * ```ts
 * import * as fw from "@fw/web";
 * import * as auth from "@fw/web/middleware/auth";
 * import * as basicauth from "@fw/web/middleware/basicauth";
 *
 * const app = fw.New();
 * app.Use(basicauth.New({
 *   Users: [
 *     { Name: "ada", Password: "engine", Roles: ["admin"] },
 *     { Name: "bob", Password: "builder" },
 *   ],
 * }));
 * app.Get("/", (ctx) => ctx.WriteString(`hello ${ctx.User()?.Name}`));
 * app.Get("/admin", auth.Allow("admin"), (ctx) => ctx.WriteString("welcome"));
 *
 * const ask = async (name: string, password: string) => {
 *   const headers = { authorization: `Basic ${btoa(`${name}:${password}`)}` };
 *   return (await app.fetch(new Request("http://localhost/admin", { headers }))).status;
 * };
 * [await ask("ada", "engine"), await ask("bob", "builder"), await ask("bob", "x")]; // → [200, 403, 401]
 * ```
 *
 * @example Log in with hashed passwords
 * ```ts
 * import * as auth from "@fw/web/middleware/auth";
 *
 * const users = new Map([["ada", await auth.HashPassword("engine", { Memory: 64 })]]);
 *
 * async function logIn(name: string, password: string): Promise<boolean> {
 *   const hash = users.get(name);
 *   // Takes as long for a user who does not exist.
 *   if (!await auth.VerifyPassword(password, hash)) return false;
 *   if (auth.NeedsRehash(hash)) users.set(name, await auth.HashPassword(password));
 *   return true;
 * }
 *
 * [await logIn("ada", "engine"), await logIn("ada", "x"), await logIn("bob", "engine")]; // → [true, false, false]
 * auth.NeedsRehash(users.get("ada")); // → false
 * ```
 *
 * @module
 */

import { checkArgument } from "../base/config/option_table.ts";
import { filled, func, listOf } from "../base/config/option_kinds.ts";
import type { Context } from "../core/context/context.ts";
import type { Handler } from "../core/context/handler.ts";
import type { User } from "../core/context/user.ts";
import { FrameworkError } from "../base/errors/errors.ts";
import { noteFacts } from "../core/exchange/handler_facts.ts";
import { hashOfNobody, type HashOptions, isOutdated, isReadableHash, verifyHash } from "./password_hash.ts";

export { CheckPassword, type PasswordOptions, type PasswordProblem } from "./password/password_check.ts";
export { type HashOptions, HashPassword } from "./password_hash.ts";

/**
 * Allows only users that have at least one of the given roles. Responds with 401 if there is no authenticated user, and
 * with 403 if the user has none of the roles. This is role-based access control (RBAC).
 *
 * @param roles The accepted roles, case-sensitive. If omitted, every authenticated user is allowed.
 * @returns The middleware.
 */
export function Allow(...roles: string[]): Handler {
  checkArgument(roles, listOf(filled(), "non-empty strings"), "roles", "Allow");
  return noteFacts(function allow(ctx: Context): void | Promise<void> {
    const user = ctx.User();
    return proceed(ctx, user, roles.length === 0 || roles.some((role) => user?.Roles.includes(role)));
  }, { isGuard: true, needsUser: true, guard: `auth.Allow(${roles.map((role) => JSON.stringify(role)).join(", ")})` });
}

/**
 * Allows only users that satisfy a predicate. Responds with 401 if there is no authenticated user, and with 403 if the
 * predicate returns `false`.
 *
 * @param test The predicate, called with the user and the request context.
 * @returns The middleware.
 */
export function AllowFunc(test: (user: User, ctx: Context) => boolean | Promise<boolean>): Handler {
  checkArgument(test, func(), "test", "AllowFunc");
  return noteFacts(async function allow(ctx: Context): Promise<void> {
    const user = ctx.User();
    await proceed(ctx, user, user !== undefined && await test(user, ctx));
  }, { isGuard: true, needsUser: true, guard: "auth.AllowFunc" });
}

/**
 * Verifies a password against its hash. Supports hashes of {@linkcode HashPassword} with any parameters, and argon2,
 * bcrypt, scrypt and PBKDF2 hashes created by other programs, including those of Django. They can be replaced at the
 * next login, because {@linkcode NeedsRehash} reports them.
 *
 * @param password The password that the client sent.
 * @param hash The stored hash. Pass `null` or `undefined` if the user does not exist. The call then takes the same time
 * and returns `false`, so that the response time does not reveal which users exist.
 * @param options The cost parameters of new hashes, which determine the time for a user that does not exist.
 * @returns Whether the password matches the hash.
 * @throws {FrameworkError} If the hash is of another kind or malformed, or if an option is invalid.
 */
export async function VerifyPassword(
  password: string,
  hash: string | null | undefined,
  options: HashOptions = {},
): Promise<boolean> {
  const nobody = hashOfNobody(options);
  const compared = hash ?? nobody;
  if (!isReadableHash(compared)) {
    throw new FrameworkError(
      "FW_AUTH",
      "Cannot verify a password: the hash is not a valid argon2, bcrypt, scrypt or PBKDF2 hash",
    );
  }
  // Anything else is a wrong password, such as a number in a JSON body, and takes as long.
  const isText = typeof password === "string";
  return await verifyHash(isText ? password : "", compared) && isText && compared === hash;
}

/**
 * Reports whether a stored hash should be replaced at the next login, because it is weaker than a new hash or of
 * another kind.
 *
 * @param hash The stored hash.
 * @param options The cost parameters of new hashes.
 * @returns Whether to call {@linkcode HashPassword} again. `false` if there is no hash.
 */
export function NeedsRehash(hash: string | null | undefined, options: HashOptions = {}): boolean {
  return hash !== undefined && hash !== null && isOutdated(hash, options);
}

function proceed(ctx: Context, user: User | undefined, isAllowed: boolean): void | Promise<void> {
  if (user === undefined) return ctx.StopWithStatus(401);
  // Compare with `true`, so that a predicate without a return statement does not allow every user.
  return isAllowed === true ? ctx.Next() : ctx.StopWithStatus(403);
}
