/**
 * Logs users in through an OpenID Connect provider such as Google, Keycloak or Entra.
 *
 * Register the application with the provider, using the redirect URL `http://localhost:8080/login/callback`. Then run
 * it with your credentials:
 *
 *     ISSUER=https://accounts.google.com CLIENT_ID=… CLIENT_SECRET=… deno task example auth/oidc
 *
 * Permissions: `--allow-net --allow-read=examples/auth/oidc --allow-env=ISSUER,CLIENT_ID,CLIENT_SECRET`.
 *
 * @module
 */

import * as fw from "jsr:@fw/web";
import * as csrf from "jsr:@fw/web/middleware/csrf";
import * as oauth from "jsr:@fw/web/middleware/oauth";
import * as sessions from "jsr:@fw/web/sessions";

/** The credentials from the provider. */
export interface Setup {
  Issuer: string;
  ClientID: string;
  ClientSecret: string;
  /**
   * The application's public origin.
   *
   * @default {"http://localhost:8080"}
   */
  Origin?: string;
}

/** Creates the application. */
export function newApp({ Issuer, ClientID, ClientSecret, Origin = "http://localhost:8080" }: Setup): fw.Application {
  const app = fw.Default();
  // The session stores the user, and the state and nonce of a pending login.
  const manager = sessions.New({ Cookie: "tea", Expires: 8 * 60 * 60 * 1000 });
  const login = oauth.New({
    Issuer,
    ClientID,
    ClientSecret,
    RedirectURL: `${Origin}/login/callback`,
    Sessions: manager,
    // The application decides who may log in. In this example, the provider must have verified the user's email
    // address.
    User(claims) {
      if (claims.email_verified === false || typeof claims.sub !== "string") return undefined;
      return { ID: claims.sub, Name: String(claims.name ?? claims.email), Roles: [], Method: "oidc" };
    },
    OnRefuse: (ctx) => ctx.StopWithText(401, "The login did not work. Try it again."),
  });

  // Use UseRouter instead of Use, so that error pages show the user too.
  app.UseRouter(csrf.New(), login.Handler());
  app.Get("/login", login.Login());
  app.Get("/login/callback", login.Callback());
  app.Post("/logout", login.Logout());
  app.RegisterView(fw.HTML(new URL("./views/", import.meta.url)));
  app.Get("/", (ctx) => ctx.View("home", { Name: ctx.User()?.Name }));
  // Redirects browsers without a login to the login page, and back here afterwards.
  app.Get("/private", login.Require("/login"), (ctx) => ctx.WriteString(`for ${ctx.User()?.Name} only`));
  return app;
}

if (import.meta.main) {
  const [Issuer = "", ClientID = "", ClientSecret = ""] = ["ISSUER", "CLIENT_ID", "CLIENT_SECRET"].map((name) =>
    Deno.env.get(name)
  );
  await newApp({ Issuer, ClientID, ClientSecret }).Run(fw.Addr(":8080"));
}
