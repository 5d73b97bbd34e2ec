import { assertEquals } from "@std/assert";
import type * as fw from "../../mod.ts";
import { overSocket, type Question } from "../serving.ts";
import { runRecipe } from "./recipe.ts";

interface Recipe {
  readonly app: fw.Application;
  readonly accounts: { readonly options: { readonly database: { exec(statement: string): void; close(): void } } };
}

/** Creates a browser's request from a page of the application. */
function browser(cookie = "", body?: Readonly<Record<string, string>>): Question {
  const headers = { host: "localhost:8080", origin: "http://localhost:8080", cookie };
  if (body === undefined) return { headers };
  return {
    method: "POST",
    headers: { ...headers, "content-type": "application/json" },
    body: JSON.stringify(body),
  };
}

/** Returns the session cookie that a response sets, as browsers send it back. */
function sessionOf(headers: Headers): string {
  const cookie = headers.getSetCookie().find((each) => each.startsWith("better-auth.session_token="));
  return cookie?.split(";")[0] ?? "";
}

Deno.test('The recipe "Accounts with better-auth" shows its sessions to handlers and guards', async (t) => {
  const { app, accounts } = await runRecipe<Recipe>("better-auth", ["app", "accounts"]);
  app.Logger().SetLevel("disable");
  const { database } = accounts.options;
  await overSocket(app, async (ask) => {
    const account = { email: "ada@example.com", password: "analytical engine" };
    const signedUp = await ask("/api/auth/sign-up/email", browser("iris", { ...account, name: "Ada" }));
    assertEquals(signedUp.status, 200, signedUp.text);

    await t.step("ctx.User() returns the logged-in user", async () => {
      const wrong = await ask(
        "/api/auth/sign-in/email",
        browser("iris", { ...account, password: "difference engine" }),
      );
      assertEquals([wrong.status, sessionOf(wrong.headers)], [401, ""]);
      const cookie = sessionOf((await ask("/api/auth/sign-in/email", browser("iris", account))).headers);
      const me = await ask("/me", browser(cookie));
      assertEquals([me.status, me.text], [200, "Hello Ada"]);
    });
    await t.step("without a session, or with a forged one, guards respond with 401", async () => {
      const forged = sessionOf(signedUp.headers).replace("=", "=x");
      assertEquals((await ask("/me", browser())).status, 401);
      assertEquals((await ask("/me", browser(forged))).status, 401);
    });
    await t.step("a renewed session receives a new cookie", async () => {
      const cookie = sessionOf(signedUp.headers);
      assertEquals((await ask("/me", browser(cookie))).headers.getSetCookie(), []);
      // Sessions last seven days and are renewed after one day.
      const inFiveDays = new Date(Date.now() + 5 * 86_400_000).toISOString();
      database.exec(`UPDATE session SET expiresAt = '${inFiveDays}'`);
      const me = await ask("/me", browser(cookie));
      assertEquals([me.text, sessionOf(me.headers)], ["Hello Ada", cookie]);
    });
    await t.step("after a logout, the session is gone", async () => {
      const cookie = sessionOf(signedUp.headers);
      assertEquals((await ask("/api/auth/sign-out", browser(cookie, {}))).status, 200);
      assertEquals((await ask("/me", browser(cookie))).status, 401);
    });
    await t.step("requests that another site's page sends are rejected", async () => {
      const question = browser(sessionOf(signedUp.headers), {});
      const headers = { ...question.headers, origin: "http://evil.example" };
      const { status } = await ask("/api/auth/sign-out", { ...question, headers });
      assertEquals(status, 403);
    });
  });
  database.close();
});
