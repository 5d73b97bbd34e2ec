/**
 * API keys for scripts and agents, which act with the rights of their owner or fewer.
 *
 * A key consists of a prefix that programs searching for leaked secrets recognize, random characters and a checksum.
 * Only a hash of it is stored. A key has scopes and expires, can be rotated with an overlap, and cannot manage accounts
 * or other keys if those routes use {@linkcode Deny}.
 *
 * {@linkcode New} returns an object instead of a handler, because keys are also created, listed and revoked. Its
 * `Require()` is the middleware.
 *
 * @example Accept requests with a key
 * ```ts
 * import * as fw from "@fw/web";
 * import * as apikeys from "@fw/web/apikeys";
 *
 * const keys = apikeys.New({ Store: apikeys.NewMemory(), Prefix: "tea" });
 * const app = fw.New();
 * app.Get("/posts", keys.Require("posts:read"), (ctx) => ctx.WriteString(`posts of ${ctx.User()?.ID}`));
 * app.Post("/posts", keys.Require("posts:write"), (ctx) => ctx.WriteString("saved"));
 *
 * const { Key } = await keys.Create({ Owner: "ada", Name: "CI", Scopes: ["posts:read"] });
 * Key.startsWith("tea_"); // → true
 * const headers = { authorization: `Bearer ${Key}` };
 * await (await app.fetch(new Request("http://localhost/posts", { headers }))).text(); // → "posts of ada"
 * (await app.fetch(new Request("http://localhost/posts", { headers, method: "POST" }))).status; // → 403
 * (await app.fetch(new Request("http://localhost/posts"))).status; // → 401
 * ```
 *
 * @module
 */

export { Deny, Of } from "./guard.ts";
export { Keys, New, type NewKey, type NewKeyOptions, type Options, type RotateOptions } from "./keys.ts";
export { type KeyInfo, NewMemory, type Store, type StoredKey } from "./store.ts";
