/**
 * Policies decide who may do what. A policy is a plain class with one method per action.
 *
 * {@linkcode Check} needs no request context, so that routes, controllers, socket events, tools and jobs ask in the
 * same way. A policy allows an action only by returning `true`. Everything else is a refusal, which is logged once with
 * its reason.
 *
 * In a program that imports this module, tests with `@fw/web/httptest` fail if a write succeeds although neither a
 * guard nor a policy was asked. Routes that are meant for everyone, such as a login form, say so with
 * {@linkcode Anyone}.
 *
 * @example Let only authors edit their posts
 * ```ts
 * import * as fw from "@fw/web";
 * import * as policy from "@fw/web/policy";
 *
 * interface Post {
 *   id: number;
 *   author: string;
 * }
 *
 * class PostPolicy {
 *   edit(user: fw.User, post: Post) {
 *     return post.author === user.ID || policy.Deny("only the author may edit a post");
 *   }
 * }
 *
 * const ada: fw.User = { ID: "ada", Name: "Ada", Roles: [], Method: "test" };
 * policy.Allows(ada, PostPolicy, "edit", { id: 1, author: "ada" }); // → true
 * policy.Allows(ada, PostPolicy, "edit", { id: 2, author: "bob" }); // → false
 *
 * policy.Logger().SetLevel("disable");
 * const app = fw.New();
 * app.Put("/posts/{id:int}", (ctx) => {
 *   const post = { id: ctx.Params().GetIntDefault("id", 0), author: "bob" };
 *   policy.Check(ada, PostPolicy, "edit", post);
 *   ctx.JSON(post);
 * });
 * (await app.fetch(new Request("http://localhost/posts/2", { method: "PUT" }))).status; // → 403
 * ```
 *
 * @example List with the condition of the policy
 * ```ts
 * import type * as fw from "@fw/web";
 * import * as policy from "@fw/web/policy";
 *
 * interface Post {
 *   id: number;
 *   author: string;
 *   isPublic: boolean;
 * }
 *
 * class PostPolicy {
 *   view(user: fw.User, post: Post) {
 *     return post.isPublic || post.author === user.ID;
 *   }
 *
 *   viewWhere(user: fw.User) {
 *     return { SQL: "is_public = 1 OR author = ?", Values: [user.ID] };
 *   }
 * }
 *
 * const ada: fw.User = { ID: "ada", Name: "Ada", Roles: [], Method: "test" };
 * const { SQL, Values } = policy.Where(ada, PostPolicy, "view");
 * [`SELECT * FROM posts WHERE ${SQL}`, Values]; // → ["SELECT * FROM posts WHERE is_public = 1 OR author = ?", ["ada"]]
 * ```
 *
 * @module
 */

import { decisions } from "../../core/context/decisions.ts";

export { Compare, type Comparison } from "./compare.ts";
export {
  type ActionOf,
  Allows,
  Anyone,
  type ArgumentsOf,
  type AskedOf,
  Check,
  type ConditionOf,
  Deny,
  Guard,
  type ListedActionOf,
  Logger,
  type PolicyMethod,
  Require,
  SetLogger,
  type UserOf,
  Where,
} from "./policy.ts";
export type { Decision, Denial, Policy, RefusalStatus } from "./verdict.ts";

decisions.isUsed = true;
