/**
 * Sessions that store data across a visitor's requests. By default, the data is stored in the memory of one thread,
 * which the threads of `deno serve --parallel` do not share.
 *
 * Use `@fw/web/sessions/sqlite` for all threads and processes on a machine, `@fw/web/sessions/redis` for several
 * machines, and `@fw/web/sessions/kv` for Deno KV.
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
export { type MemoryOptions, NewMemory } from "./memory.ts";
export { type AnyKey, Session } from "./session.ts";
export { SessionManager } from "./session_manager.ts";
export { type SessionInfo, UserSessions } from "./user_sessions.ts";
export { AddTo, type Changes, type Store, type Stored } from "./store.ts";
