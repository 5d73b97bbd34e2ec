import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import * as fw from "../../../mod.ts";
import * as jobs from "../../../src/work/jobs/mod.ts";
import * as jobsPage from "../../../src/work/jobs/page.ts";
import * as mail from "../../../src/work/mail/mod.ts";
import * as monitor from "../../../src/middleware/monitor/mod.ts";
import * as openapi from "../../../src/api/openapi/mod.ts";

/** Returns an application with every kind of page that fw serves. */
async function everyPage(): Promise<readonly [app: fw.Application, paths: readonly string[]]> {
  const app = fw.New().Configure(fw.WithDevelopment);
  app.Logger().SetLevel("disable");
  jobsPage.New(jobs.New(jobs.NewMemory())).Register(app.Party("/jobs"));
  monitor.New().Register(app.Party("/monitor"));
  app.Get("/docs", openapi.UI());
  app.HandleDir("/files", new URL(".", import.meta.url), { ShowList: true });
  app.Get("/throw", () => {
    throw new Error("broken pot");
  });
  const mails = mail.NewMemory();
  mails.Register(app.Party("/mails"));
  const { ID } = await mail.New({ Transport: mails, From: "pot@example.com" }).Send({
    To: "ada@example.com",
    Subject: "Tea",
    HTML: "<style>p { color: red }</style><p>Tea</p><script>alert(1)</script>",
  });
  const message = `/mails?mail=${encodeURIComponent(ID)}`;
  return [app, ["/jobs", "/monitor", "/docs", "/files/", "/throw", "/none", "/mails", message, "/_fw/problems"]];
}

Deno.test("documentOf() and policyOf() allow only the styles and scripts of the page, for all pages of fw", async (test) => {
  const [app, paths] = await everyPage();
  for (const path of paths) {
    await test.step(path, async () => {
      const headers = { accept: "text/html" };
      const response = await app.fetch(new Request(`http://localhost${path}`, { headers }));
      const page = await response.text();
      const policy = response.headers.get("content-security-policy") ?? "";
      assertStringIncludes(policy, "default-src 'none'", page);
      assertEquals(/unsafe-inline|unsafe-eval|nonce/.test(policy), false, policy);
      const parts = Array.from(page.matchAll(/<(style|script)>(.*?)<\/\1>/gs));
      assert(parts.length > 0);
      for (const [, , text = ""] of parts) {
        const digest = new Uint8Array(await crypto.subtle.digest("SHA-256", new TextEncoder().encode(text)));
        assertStringIncludes(policy, `'sha256-${digest.toBase64()}'`);
      }
      assertEquals(/<(?:style|script|link)[ ][^>]*(?:src|href)="(?!data:)/.test(page), false);
      assertEquals(/ style="| on[a-z]+="/.test(page), false);
    });
  }
});

Deno.test("the HTML part of a mail is a document of its own in a sandbox", async () => {
  const [app, paths] = await everyPage();
  const path = paths.find((each) => each.startsWith("/mails?")) ?? "";
  const page = await (await app.fetch(new Request(`http://localhost${path}`))).text();
  assertStringIncludes(page, `<iframe sandbox title="HTML" src="${path.slice("/mails".length)}&amp;part=html">`);
  const part = await app.fetch(new Request(`http://localhost${path}&part=html`));
  assertStringIncludes(await part.text(), "<p>Tea</p>");
  const policy = part.headers.get("content-security-policy") ?? "";
  assert(policy.startsWith("sandbox; default-src 'none'; "), policy);
  assertEquals(policy.includes("script-src"), false);
});
