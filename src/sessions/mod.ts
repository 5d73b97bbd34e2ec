/**
 * Sessions: what a visitor's requests share, kept in memory or in a store of your choice.
 *
 * Stores have entries of their own: `@fw/web/sessions/sqlite`, `@fw/web/sessions/redis`, `@fw/web/sessions/kv`.
 *
 * @example A login that survives
 * ```ts
 * import * as fw from "@fw/web";
 * import * as sessions from "@fw/web/sessions";
 *
 * const manager = sessions.New();
 * const app = fw.New();
 * app.Use(manager.Handler());
 * app.Post("/login", (ctx) => {
 *   const session = manager.Get(ctx);
 *   session?.Regenerate(); // a new id at every login
 *   session?.Set("user", "ada");
 * });
 * app.Get("/", (ctx) => ctx.WriteString(manager.Get(ctx)?.GetString("user") ?? ""));
 *
 * const login = await app.fetch(new Request("http://localhost/login", { method: "POST" }));
 * const cookie = login.headers.get("set-cookie")?.split(";")[0] ?? "";
 * const response = await app.fetch(new Request("http://localhost/", { headers: { cookie } }));
 * await response.text(); // → "ada"
 * ```
 *
 * @module
 */

export type { Config } from "./config.ts";
export { New, Sessions } from "./manager.ts";
export { type MemoryConfig, NewMemory } from "./memory.ts";
export { type AnyKey, Session } from "./session.ts";
export { SessionManager } from "./session_manager.ts";
export type { Awaitable } from "../store/awaitable.ts";
export { AddTo, type Changes, type Store, type Stored } from "./store.ts";
