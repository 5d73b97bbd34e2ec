import { assertEquals, assertMatch } from "@std/assert";
import * as fw from "../../mod.ts";
import * as csrf from "../../src/middleware/csrf/mod.ts";
import * as oauth from "../../src/middleware/oauth/mod.ts";
import * as sessions from "../../src/state/sessions/mod.ts";
import { withPage } from "../browser.ts";
import { freePort } from "../free_port.ts";
import { startProvider } from "./provider.ts";

function newApp(Issuer: string, origin: string): fw.Application {
  const login = oauth.New({
    Issuer,
    ClientID: "tea",
    ClientSecret: "tea-secret",
    RedirectURL: `${origin}/login/callback`,
    Sessions: sessions.New(),
    User: ({ sub, name, email_verified }) =>
      email_verified === false ? undefined : { ID: String(sub), Name: String(name), Roles: [], Method: "oidc" },
    OnRefuse: (ctx) => ctx.StopWithText(401, "The login did not work"),
  });
  const app = fw.New();
  app.Logger().SetLevel("disable");
  app.UseRouter(csrf.New(), login.Handler());
  app.Get("/login", login.Login());
  app.Get("/login/callback", login.Callback());
  app.Post("/logout", login.Logout());
  app.Get("/", (ctx) => ctx.HTML(`<h1>${ctx.User()?.Name}</h1><form method="post" action="/logout"><button>Log out`));
  app.Get("/private", login.Require("/login"), (ctx) => ctx.WriteString(`for ${ctx.User()?.Name} only`));
  return app;
}

Deno.test("oauth.New() logs in and out at a provider in a browser", async () => {
  await using provider = await startProvider({ id: "tea", secret: "tea-secret" });
  // The port must be known before the application is created, because the provider redirects the browser to it.
  const port = freePort();
  const base = `http://127.0.0.1:${port}`;
  const app = newApp(provider.issuer, base);
  await using _server = Deno.serve({ hostname: "127.0.0.1", port, onListen() {} }, app.fetch);
  await withPage(async (page) => {
    await page.goto(`${base}/private?cup=1`);
    assertEquals(page.url(), `${base}/private?cup=1`);
    assertEquals(await page.locator("body").textContent(), "for Ada Lovelace only");
    await page.goto(base);
    assertEquals(await page.locator("h1").textContent(), "Ada Lovelace");
    await page.getByRole("button", { name: "Log out" }).click();
    assertMatch(page.url(), /\/logout\?client_id=tea&post_logout_redirect_uri=/);
    await page.goto(base);
    assertEquals(await page.locator("h1").textContent(), "undefined");
  });
  provider.does = { claims: { email_verified: false } };
  await withPage(async (page) => {
    await page.goto(`${base}/login`);
    assertEquals(await page.locator("body").textContent(), "The login did not work");
  });
});
