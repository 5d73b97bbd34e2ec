import { assertEquals, assertStringIncludes } from "@std/assert";
import * as fw from "@fw/web";
import * as keys from "@fw/web/keys";
import * as mail from "@fw/web/mail";
import { withPage } from "../../browser.ts";
import { freePort } from "../../free_port.ts";
import { useAccounts } from "./accounts/mod.ts";

const password = "the kettle sings at dawn";

Deno.test("init --accounts: a passkey of Chromium's virtual authenticator logs in, as both factors", async () => {
  const port = freePort();
  const url = `http://localhost:${port}`;
  const app = fw.New();
  app.Logger().SetLevel("error");
  const transport = mail.NewMemory();
  const { queue, accounts } = useAccounts(app, {
    Folder: "",
    Secret: keys.Generate(),
    URL: url,
    From: "accounts@example.org",
    Transport: transport,
  });
  const server = Deno.serve({ hostname: "127.0.0.1", port, onListen() {} }, app.fetch);
  try {
    await withPage(async (page) => {
      const client = await page.context().newCDPSession(page);
      await client.send("WebAuthn.enable");
      await client.send("WebAuthn.addVirtualAuthenticator", {
        options: {
          protocol: "ctap2",
          transport: "internal",
          hasResidentKey: true,
          hasUserVerification: true,
          isUserVerified: true,
          automaticPresenceSimulation: true,
        },
      });
      await page.goto(`${url}/signup`);
      await page.getByLabel("Email address").fill("ada@example.org");
      await page.getByRole("button", { name: "Send a link" }).click();
      await page.waitForSelector("text=Look into your mailbox");
      await queue.Drain();
      const { HTML } = transport.Expect({ To: "ada@example.org" });
      await page.goto(/href="([^"]+)"/.exec(HTML)?.[1] ?? "");
      await page.getByLabel("New password").fill(password);
      await page.getByRole("button", { name: "Save" }).click();
      await page.waitForURL(`${url}/account`);
      const form = page.locator("form[data-passkey=add]");
      await form.getByLabel("Current password").fill(password);
      await form.getByRole("button", { name: "Add a passkey" }).click();
      await page.waitForSelector("form[action$='/passkeys/remove']");
      const account = accounts.byMail("ada@example.org");
      assertEquals(accounts.passkeysOf(account?.id ?? 0).length, 1);
      // With a second factor, the password alone is not enough, and the passkey is.
      if (account !== undefined) accounts.setFactor(account, "not readable", []);
      await page.getByRole("button", { name: "Log out", exact: true }).click();
      await page.waitForURL(`${url}/login`);
      await page.getByRole("button", { name: "Log in with a passkey" }).click();
      await page.waitForURL(`${url}/account`);
      assertStringIncludes(await page.content(), "ada@example.org");
    });
  } finally {
    await server.shutdown();
    await app.Shutdown();
  }
});
