import { assertEquals, assertMatch } from "@std/assert";
import { newApp as newBasic } from "../../examples/auth/basic/main.ts";
import { newApp as newJWT } from "../../examples/auth/jwt/main.ts";
import { newApp as newOIDC } from "../../examples/auth/oidc/main.ts";
import type { Application } from "../../mod.ts";
import { withPage } from "../browser.ts";
import { startProvider } from "../middleware/provider.ts";
import { freePort } from "../free_port.ts";

/** Serves an application while a function runs. */
async function serving(app: Application, work: (base: string) => Promise<void>, port = 0): Promise<void> {
  app.Logger().SetLevel("disable");
  await using server = Deno.serve({ hostname: "127.0.0.1", port, onListen() {} }, app.fetch);
  await work(`http://127.0.0.1:${server.addr.port}`);
}

async function ask(url: string, init: RequestInit = {}): Promise<{ status: number; text: string; headers: Headers }> {
  const response = await fetch(url, { redirect: "manual", ...init });
  return { status: response.status, text: await response.text(), headers: response.headers };
}

Deno.test("examples/auth/basic checks password hashes and roles", async () => {
  await serving(newBasic(), async (base) => {
    const as = (name: string, password: string) => ({
      headers: { authorization: `Basic ${btoa(`${name}:${password}`)}` },
    });
    assertEquals((await ask(`${base}/`)).status, 200);
    const stranger = await ask(`${base}/me`);
    assertEquals([stranger.status, stranger.headers.get("www-authenticate")], [
      401,
      'Basic realm="Tea house", charset="UTF-8"',
    ]);
    assertEquals(JSON.parse((await ask(`${base}/me`, as("ada", "engine"))).text).Name, "ada");
    assertEquals((await ask(`${base}/admin`, as("ada", "engine"))).text, "Welcome, ada");
    assertEquals((await ask(`${base}/admin`, as("bob", "builder"))).status, 403);
    assertEquals((await ask(`${base}/me`, as("bob", "engine"))).status, 401);
    assertEquals((await ask(`${base}/logout`, as("ada", "engine"))).status, 401);
  });
});

Deno.test("examples/auth/jwt issues token pairs, refreshes each of them once and blocks them at logout", async () => {
  await serving(newJWT(), async (base) => {
    const form = (fields: Record<string, string>) => ({ method: "POST", body: new URLSearchParams(fields) });
    const bearer = (token: string, method = "GET") => ({ method, headers: { authorization: `Bearer ${token}` } });
    assertEquals((await ask(`${base}/login`, form({ name: "ada", password: "x" }))).status, 401);
    const first = JSON.parse((await ask(`${base}/login`, form({ name: "ada", password: "engine" }))).text);
    assertEquals(JSON.parse((await ask(`${base}/api/me`, bearer(first.AccessToken))).text), {
      name: "ada",
      roles: ["admin"],
    });
    assertEquals((await ask(`${base}/api/admin`, bearer(first.AccessToken))).text, "Welcome");
    assertEquals((await ask(`${base}/api/me`, bearer(first.RefreshToken))).status, 401);
    const second = JSON.parse((await ask(`${base}/refresh`, form({ token: first.RefreshToken }))).text);
    assertEquals((await ask(`${base}/api/me`, bearer(second.AccessToken))).status, 200);
    assertEquals((await ask(`${base}/api/logout`, bearer(second.AccessToken, "POST"))).status, 204);
    assertEquals((await ask(`${base}/api/me`, bearer(second.AccessToken))).status, 401);
    assertEquals((await ask(`${base}/refresh`, form({ token: second.RefreshToken }))).status, 401);
    const bob = JSON.parse((await ask(`${base}/login`, form({ name: "bob", password: "builder" }))).text);
    assertEquals((await ask(`${base}/api/admin`, bearer(bob.AccessToken))).status, 403);
  });
});

Deno.test("examples/auth/oidc logs in and out at a provider in a browser", async () => {
  await using provider = await startProvider({ id: "tea", secret: "tea-secret" });
  // The port must be known before the application is created, because the provider redirects the browser to it.
  const port = freePort();
  const Origin = `http://127.0.0.1:${port}`;
  const app = newOIDC({ Issuer: provider.issuer, ClientID: "tea", ClientSecret: "tea-secret", Origin });
  await serving(app, async (base) => {
    await withPage(async (page) => {
      await page.goto(`${base}/private?cup=1`);
      assertEquals(page.url(), `${base}/private?cup=1`);
      assertEquals(await page.locator("body").textContent(), "for Ada Lovelace only");
      await page.goto(base);
      assertEquals(await page.locator("h1").textContent(), "Hello, Ada Lovelace");
      await page.getByRole("button", { name: "Log out" }).click();
      assertMatch(page.url(), /\/logout\?client_id=tea&post_logout_redirect_uri=/);
      await page.goto(base);
      assertEquals(await page.getByRole("link", { name: "Log in" }).count(), 1);
    });
    provider.does = { claims: { email_verified: false } };
    await withPage(async (page) => {
      await page.goto(`${base}/login`);
      assertEquals(await page.locator("body").textContent(), "The login did not work. Try it again.");
    });
  }, port);
});
