/**
 * Middleware that lets only some users on, whichever way they were authenticated.
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
 * @module
 */

import { isThenable } from "../base/thenable.ts";
import type { Context } from "../context/context.ts";
import type { Handler } from "../context/handler.ts";
import type { User } from "../context/user.ts";

export type { User } from "../context/user.ts";

/**
 * Lets users on who have one of some roles. Without a user the response is 401, without the role it is 403.
 *
 * @param roles The roles, compared letter by letter; without any, every user is let on.
 * @returns The middleware.
 */
export function Allow(...roles: string[]): Handler {
  return AllowFunc((user) => roles.length === 0 || roles.some((role) => user.Roles.includes(role)));
}

/**
 * Lets users on of whom a function says so. Without a user the response is 401, and where it says no, 403.
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

function proceed(ctx: Context, isAllowed: boolean): void | Promise<void> {
  // Only true itself: a test that forgot to return anything must not let all on.
  return isAllowed === true ? ctx.Next() : ctx.StopWithStatus(403);
}
