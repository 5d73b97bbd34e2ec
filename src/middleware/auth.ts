/**
 * Users and their passwords: middleware that allows only some users, whichever way they were authenticated, and hashes
 * of passwords for those who log in.
 *
 * @example A part of a site for administrators
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
 * @example A login with hashed passwords
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

import { FrameworkError } from "../base/errors.ts";
import { isThenable } from "../base/thenable.ts";
import type { Context } from "../context/context.ts";
import type { Handler } from "../context/handler.ts";
import type { User } from "../context/user.ts";
import { type HashOptions, hashPassword, isOutdated, isReadableHash, verifyHash } from "./password_hash.ts";

export type { User } from "../context/user.ts";
export type { HashOptions } from "./password_hash.ts";

/**
 * Allows only users that have one of some roles. Responds with 401 if there is no user, and with 403 if the user has
 * none of the roles.
 *
 * @param roles The roles. If omitted, every user is allowed.
 * @returns The middleware.
 */
export function Allow(...roles: string[]): Handler {
  return AllowFunc((user) => roles.length === 0 || roles.some((role) => user.Roles.includes(role)));
}

/**
 * Allows only users that satisfy a predicate. Responds with 401 if there is no user, and with 403 if the predicate
 * returns `false`.
 *
 * @param test Decides about a user.
 * @returns The middleware.
 */
export function AllowFunc(test: (user: User, ctx: Context) => boolean | Promise<boolean>): Handler {
  return function allow(ctx) {
    const user = ctx.User();
    if (user === undefined) return ctx.StopWithStatus(401);
    const verdict = test(user, ctx);
    return isThenable(verdict) ? verdict.then((isAllowed) => proceed(ctx, isAllowed)) : proceed(ctx, verdict);
  };
}

/**
 * Hashes a password with argon2id, to be stored in its place. The hash contains its salt and its parameters.
 *
 * A hash takes tens of milliseconds of the thread that serves requests, so they are computed one at a time. If more
 * than 100 wait, the call fails with an `HTTPError` 503. Put a rate limit before a login.
 *
 * @param password The password; an empty one is an error.
 * @param options The cost. Defaults to what OWASP recommends.
 * @returns The hash, which begins with `$argon2id$`.
 */
export function HashPassword(password: string, options: HashOptions = {}): Promise<string> {
  return hashPassword(password, options);
}

/**
 * Reports whether a password is the one that was hashed. Reads hashes of {@linkcode HashPassword} with any parameters,
 * and of argon2 and bcrypt that other programs created.
 *
 * @param password The password that a client sent.
 * @param hash The stored hash. If there is none because the user does not exist, the call takes as long as if there
 * were, and returns `false`: the time of the response does not tell who has an account.
 * @returns Whether they belong together. Throws if the hash cannot be read.
 */
export async function VerifyPassword(password: string, hash: string | null | undefined): Promise<boolean> {
  if (hash === undefined || hash === null) {
    await verifyHash(password, await (noUser ??= hashPassword("no user")));
    return false;
  }
  if (!isReadableHash(hash)) {
    throw new FrameworkError("FW_AUTH", "Cannot verify a password: its hash is neither of argon2 nor of bcrypt");
  }
  return await verifyHash(password, hash);
}

/**
 * Reports whether a stored hash should be replaced at the next login, because it is cheaper than a new one would be or
 * of another kind.
 *
 * @param hash The stored hash.
 * @param options The cost that new hashes have.
 * @returns Whether to call {@linkcode HashPassword} again; `false` if there is no hash.
 */
export function NeedsRehash(hash: string | null | undefined, options: HashOptions = {}): boolean {
  return hash !== undefined && hash !== null && isOutdated(hash, options);
}

/** What the password of a user is compared with who does not exist. */
let noUser: Promise<string> | undefined = undefined;

function proceed(ctx: Context, isAllowed: boolean): void | Promise<void> {
  // Only true itself: a test that forgot to return anything must not let all on.
  return isAllowed === true ? ctx.Next() : ctx.StopWithStatus(403);
}
