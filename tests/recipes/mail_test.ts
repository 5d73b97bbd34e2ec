import { assertEquals, assertRejects } from "@std/assert";
import type * as mail from "../../src/work/mail/mod.ts";
import { runRecipe } from "./recipe.ts";
import { startSMTP } from "./smtp_server.ts";

interface Recipe {
  readonly mailer: mail.Mailer;
  readonly smtp: { close?(): void; closeAllConnections?(): Promise<void> };
}

const recipes: Readonly<Record<string, (port: number) => Record<string, string>>> = {
  nodemailer: (port) => ({ 'Deno.env.get("SMTP_URL") ?? "smtp://localhost:1025"': `"smtp://127.0.0.1:${port}"` }),
  upyo: (port) => ({ '"mail.example", port: 587': `"127.0.0.1", port: ${port}` }),
};

for (const [page, changes] of Object.entries(recipes)) {
  Deno.test(`The recipe "${page}" sends mails to an SMTP server`, async (t) => {
    await using server = await startSMTP();
    const { mailer, smtp } = await runRecipe<Recipe>(page, ["mailer", "smtp"], changes(server.port));
    try {
      await t.step("names, parts, headers and attachments arrive as they were passed", async () => {
        const file = await Deno.makeTempFile();
        await Deno.writeTextFile(file, "from a file");
        await mailer.Send({
          From: { Name: 'O\'Hara, "Tea" <x@evil.example>', Address: "tea@example.com" },
          To: ["Lovelace, Ada <ada@example.com>", "Zoë, Müller <zoe@example.com>", "bob@bücher.example"],
          CC: "carol@example.com",
          BCC: "dave@example.com",
          ReplyTo: "replies@example.com",
          Subject: 'Grüße, "quoted" <b>',
          Text: "Text\r\n.\r\nBcc: eve@example.com\n.dots\n",
          HTML: "<p>HTML ü</p>",
          Headers: { "List-Unsubscribe": "<https://example.com/out>" },
          Attachments: [
            { Name: "tea.txt", Type: "text/plain", Path: file },
            { Name: "big.bin", Content: new Blob(["x".repeat(300_000)]).stream() },
          ],
        });
        await Deno.remove(file);
        const [{ email, recipients, header } = { email: undefined, recipients: [], header: [] }] = server.received;
        assertEquals(email?.from, { name: 'O\'Hara, "Tea" <x@evil.example>', address: "tea@example.com" });
        assertEquals(email?.to?.map(({ name, address }) => [name, address]), [
          ["Lovelace, Ada", "ada@example.com"],
          ["Zoë, Müller", "zoe@example.com"],
          ["", "bob@xn--bcher-kva.example"],
        ]);
        assertEquals(recipients.map((each) => each.replace("bücher", "xn--bcher-kva")), [
          ...["ada@example.com", "zoe@example.com", "bob@xn--bcher-kva.example", "carol@example.com"],
          "dave@example.com",
        ]);
        assertEquals(header.filter((line) => /^bcc|eve@/i.test(line)), []);
        assertEquals(header.filter((line) => /^List-Unsubscribe:/i.test(line)).length, 1);
        assertEquals([email?.subject, email?.replyTo?.[0]?.address], ['Grüße, "quoted" <b>', "replies@example.com"]);
        assertEquals(email?.text?.replaceAll("\r\n", "\n").trim(), "Text\n.\nBcc: eve@example.com\n.dots");
        assertEquals(email?.html?.trim(), "<p>HTML ü</p>");
        assertEquals(email?.attachments.map(({ filename, content }) => [filename, size(content)]), [
          ["tea.txt", 11],
          ["big.bin", 300_000],
        ]);
      });

      await t.step("a mail without HTML has only a text part", async () => {
        await mailer.Send({ To: "ada@example.com", Subject: "Plain", Text: "only text" });
        assertEquals([server.received[1]?.email.text?.trim(), server.received[1]?.email.html], [
          "only text",
          undefined,
        ]);
      });
    } finally {
      smtp.close?.();
      await smtp.closeAllConnections?.();
    }
  });

  Deno.test(`The recipe "${page}" fails if there is no server`, async () => {
    const { mailer, smtp } = await runRecipe<Recipe>(page, ["mailer", "smtp"], changes(1));
    await assertRejects(() => mailer.Send({ To: "ada@example.com", Subject: "Lost", Text: "x" }));
    smtp.close?.();
    await smtp.closeAllConnections?.();
  });
}

function size(content: string | Uint8Array | ArrayBuffer): number {
  return typeof content === "string" ? content.length : content.byteLength;
}
