/**
 * An API with token pairs: a short-lived access token and a single-use refresh token.
 *
 * Run it with `deno task example auth/jwt`, then:
 *
 *     curl -d name=ada -d password=engine localhost:8080/login
 *     curl -H "Authorization: Bearer ACCESS" localhost:8080/api/me
 *     curl -d token=REFRESH localhost:8080/refresh       # using it twice blocks all tokens of this login
 *     curl -X POST -H "Authorization: Bearer ACCESS" localhost:8080/api/logout
 *
 * Permissions: `--allow-net`.
 *
 * @module
 */

import * as fw from "jsr:@fw/web";
import * as keys from "jsr:@fw/web/keys";
import * as auth from "jsr:@fw/web/middleware/auth";
import * as jwt from "jsr:@fw/web/middleware/jwt";
import * as ratelimit from "jsr:@fw/web/middleware/ratelimit";
import * as store from "jsr:@fw/web/store";

/** A stand-in for the user table. A real application stores password hashes. */
const users = new Map([
  ["ada", { password: "engine", roles: ["admin"] }],
  ["bob", { password: "builder", roles: [] }],
]);

/** Creates the application. */
export function newApp(secret: string = keys.Generate()): fw.Application {
  const app = fw.Default();
  // Stores used and blocked tokens. With several processes, use @fw/web/store/sqlite or /redis. The store must refuse
  // new keys when it is full. If it evicted keys instead, a blocked token would be accepted again.
  const blocked = store.NewMemory({ WhenFull: "refuse" });
  const verification = { Algorithms: ["HS256"], Key: secret, Issuer: "tea house" } as const;
  const signer = jwt.NewSigner({ Algorithm: "HS256", Key: secret, Issuer: "tea house" });
  const pairs = jwt.NewPairs({
    Signer: signer,
    Verification: verification,
    Store: blocked,
    AccessAge: 5 * 60_000,
    // Roles may have changed since the login, and the user may have been deleted.
    OnRefresh(claims) {
      const user = users.get(String(claims.sub));
      return user && { ...claims, roles: user.roles };
    },
  });

  // Limits logins to ten attempts per minute and address.
  app.Post("/login", ratelimit.New({ Name: "login", Limit: 10, Period: 60_000 }), async (ctx) => {
    const name = await ctx.PostValue("name");
    const user = users.get(name);
    if (user === undefined || user.password !== await ctx.PostValue("password")) return ctx.StopWithStatus(401);
    ctx.JSON(await pairs.Issue({ sub: name, roles: user.roles }));
  });
  app.Post("/refresh", async (ctx) => {
    const [pair, error] = await pairs.Refresh(await ctx.PostValue("token"));
    if (error !== null) return ctx.StopWithError(401, error);
    ctx.JSON(pair);
  });

  const api = app.Party("/api");
  api.Use(jwt.New({ ...verification, Blocklist: blocked }));
  api.Get("/me", (ctx) => ctx.JSON({ name: ctx.User()?.Name, roles: ctx.User()?.Roles }));
  api.Get("/admin", auth.Allow("admin"), (ctx) => ctx.WriteString("Welcome"));
  api.Post("/logout", async (ctx) => {
    await ctx.Logout();
    ctx.StatusCode(204);
  });
  return app;
}

if (import.meta.main) await newApp().Run(fw.Addr(":8080"));
