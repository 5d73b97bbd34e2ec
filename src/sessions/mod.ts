/**
 * Sessions that share data between the requests of a visitor. The data is stored in memory or in another store.
 *
 * Other stores are available in `@fw/web/sessions/sqlite`, `@fw/web/sessions/redis` and `@fw/web/sessions/kv`.
 *
 * @example Remember the logged-in user
 * ```ts
 * import * as fw from "@fw/web";
 * import * as sessions from "@fw/web/sessions";
 *
 * const manager = sessions.New();
 * const app = fw.New();
 * app.Use(manager.Handler());
 * app.Post("/login", (ctx) => {
 *   const session = manager.Get(ctx);
 *   session?.Regenerate(); // use a new ID after every login
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
export { Get, New, Sessions } from "./manager.ts";
export { type MemoryConfig, NewMemory } from "./memory.ts";
export { type AnyKey, Session } from "./session.ts";
export { SessionManager } from "./session_manager.ts";
export { AddTo, type Changes, type Store, type Stored } from "./store.ts";
