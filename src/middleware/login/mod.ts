/**
 * Logins that are stored in sessions, and the address to go on to after a login.
 *
 * Passwords and authorization by role are in `@fw/web/middleware/auth`. The method `Of` of a session manager lists and
 * ends the sessions of a user. Tokens for links in mails are in `@fw/web/tokens`.
 *
 * @example Log in and out
 * ```ts
 * import * as fw from "@fw/web";
 * import * as auth from "@fw/web/auth";
 * import * as httptest from "@fw/web/httptest";
 * import { HashPassword, VerifyPassword } from "@fw/web/middleware/auth";
 * import * as sessions from "@fw/web/sessions";
 *
 * const users = new Map([["1", { ID: "1", Name: "Ada", Roles: ["admin"], Method: "password" }]]);
 * const accounts = new Map([["ada@example.com", { id: "1", hash: await HashPassword("correct horse battery") }]]);
 *
 * const app = fw.New();
 * app.Use(auth.Session({ Sessions: sessions.New({ Cookie: "sid" }), Load: (id) => users.get(id) }));
 * app.Post("/login", async (ctx) => {
 *   const account = accounts.get(await ctx.FormValue("mail"));
 *   if (!await VerifyPassword(await ctx.FormValue("password"), account?.hash)) return ctx.StopWithStatus(401);
 *   await auth.Login(ctx, { ID: account?.id ?? "" }, { Remember: true });
 *   ctx.Redirect(await auth.Next(ctx), 303);
 * });
 * app.Post("/logout", async (ctx) => {
 *   await auth.Logout(ctx);
 *   ctx.Redirect("/login", 303);
 * });
 * app.Get("/orders", auth.Require("/login"), (ctx) => ctx.WriteString(`orders of ${ctx.User()?.Name}`));
 *
 * const browser = httptest.New(app);
 * const form = { mail: "ada@example.com", password: "correct horse battery", next: "/orders" };
 * await browser.POST("/login").WithForm(form).Expect().Status(303).Header("location", "/orders");
 * await browser.GET("/orders").Expect().Body("orders of Ada");
 * await browser.POST("/logout").Expect().Status(303);
 * await browser.GET("/orders").Expect().Status(401);
 * ```
 *
 * @module
 */

export { Next, type NextOptions } from "./next.ts";
export { Login, type LoginOptions, Logout, Require, Session, type SessionOptions } from "./session.ts";
