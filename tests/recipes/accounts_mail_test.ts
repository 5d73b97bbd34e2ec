import { assertEquals } from "@std/assert";
import * as fw from "@fw/web";
import * as httptest from "@fw/web/httptest";
import * as keys from "@fw/web/keys";
import type * as mail from "@fw/web/mail";
import { useAccounts } from "../tools/init/accounts/mod.ts";
import { runRecipe } from "./recipe.ts";
import { startSMTP } from "./smtp_server.ts";

interface Recipe {
  readonly transport: mail.Transport;
  readonly smtp: { close(): void };
}

const [first, second] = ["the kettle sings at dawn", "a mill with a large store"];

Deno.test("init --accounts signs up, resets and moves through the mails of an SMTP server", async () => {
  await using server = await startSMTP();
  const changes = { 'Deno.env.get("SMTP_URL") ?? "smtp://localhost:1025"': `"smtp://127.0.0.1:${server.port}"` };
  const { transport, smtp } = await runRecipe<Recipe>("nodemailer", ["transport", "smtp"], changes);
  const app = fw.New();
  app.Logger().SetLevel("error");
  const From = "Teahouse <tea@example.com>";
  const { queue } = useAccounts(app, {
    Folder: "",
    Secret: keys.Generate(),
    URL: "https://tea.example",
    From,
    Transport: transport,
  });
  const browser = httptest.New(app).WithHeader("sec-fetch-site", "same-origin").WithHeader("accept-language", "de");
  const post = (path: string, form: Record<string, string> = {}) => browser.POST(path).WithForm(form).Expect();
  /** Waits for the next mail, and returns its recipients, its subject and the path of its link. */
  const received = async () => {
    const before = server.received.length;
    await queue.Drain();
    assertEquals(server.received.length, before + 1);
    const { recipients, email } = server.received[before] ?? { recipients: [], email: undefined };
    assertEquals(email?.from?.address, "tea@example.com");
    const [, html = ""] = /href="https:\/\/tea\.example([^"]+)"/.exec(email?.html ?? "") ?? [];
    const [, text = ""] = /https:\/\/tea\.example(\S+)/.exec(email?.text ?? "") ?? [];
    assertEquals(text.replace(/[)>\]]$/, ""), html);
    return { recipients, subject: email?.subject, path: html };
  };
  try {
    await post("/signup", { mail: "ada@example.org" }).Status(200);
    const signup = await received();
    assertEquals([signup.recipients, signup.subject], [["ada@example.org"], "Registrierung abschließen"]);
    await post(signup.path, { "new-password": first }).Status(303);
    await post("/account/mail", { mail: "ada@example.net", "mail-password": first }).Status(303);
    const change = await received();
    assertEquals([change.recipients, change.subject], [["ada@example.net"], "Neue Adresse bestätigen"]);
    await post(change.path).Status(303);
    assertEquals((await received()).recipients, ["ada@example.org"]);
    await post("/reset", { mail: "ADA@example.net" }).Status(200);
    const reset = await received();
    assertEquals([reset.recipients, reset.subject], [["ada@example.net"], "Neues Passwort setzen"]);
    await post(reset.path, { "new-password": second }).Status(303);
    assertEquals((await received()).subject, "Ihr Konto wurde geändert");
    await post("/login", { mail: "ada@example.net", password: second }).Status(303);
  } finally {
    smtp.close();
  }
});
