import { assert, assertEquals, assertRejects, assertStringIncludes, assertThrows } from "@std/assert";
import { join, toFileUrl } from "@std/path";
import { DatabaseSync } from "node:sqlite";
import * as fw from "@fw/web";
import * as jobs from "@fw/web/jobs";
import * as sqlite from "@fw/web/jobs/sqlite";
import * as mail from "@fw/web/mail";
import * as mvc from "@fw/web/mvc";

const From = "Teahouse <tea@example.com>";

/** Creates views in a folder while a function runs. */
async function withViews(files: Record<string, string>, run: (folder: string) => Promise<void>): Promise<void> {
  const folder = await Deno.makeTempDir();
  try {
    for (const [name, text] of Object.entries(files)) await Deno.writeTextFile(join(folder, name), text);
    await run(folder);
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}

Deno.test("Mailer.Send() renders a view with text and HTML parts in the recipient's language, with links", async () => {
  const files = {
    "layout.html": '<html lang="<%= it.Language %>"><title><%= tr("subject") %></title><%~ body %></html>',
    "order.html": '<p><%= tr("hello", it.Name) %> <a href="<%= url("order", it.ID) %>">#</a></p>',
    "order.txt": '<%= tr("hello", it.Name) %>\n<%= urlpath("order", it.ID) %>\n',
  };
  await withViews(files, async (folder) => {
    const app = fw.New();
    app.Get("/orders/{id:int}", () => {}).SetName("order");
    app.I18n.LoadKV({
      en: { subject: "Your tea & cake", hello: "Hello, %s!" },
      de: { subject: "Ihr Tee", hello: "Guten Tag, %s!" },
    });
    await app.Build();
    const transport = mail.NewMemory();
    const mailer = mail.New({
      Transport: transport,
      From,
      Views: fw.HTML(folder).Layout("layout"),
      TextViews: fw.HTML(folder, ".txt"),
      App: app,
      URL: "https://tea.example/",
    });
    for (const Language of ["de", "en", "de-AT"]) {
      await mailer.Send({ To: "ada@example.com", View: "order", Data: { Name: "A & <B>", ID: 7 }, Language });
    }
    const [german, english, austrian] = transport.Messages;
    assertEquals(german?.Subject, "Ihr Tee");
    assertEquals(german?.Text, "Guten Tag, A & <B>!\n/orders/7\n");
    assertEquals(
      german?.HTML,
      '<html lang="de"><title>Ihr Tee</title>' +
        '<p>Guten Tag, A &amp; &lt;B&gt;! <a href="https://tea.example/orders/7">#</a></p></html>',
    );
    assertEquals([english?.Subject, english?.Text.split("\n")[0]], ["Your tea & cake", "Hello, A & <B>!"]);
    assertEquals(austrian?.Subject, "Ihr Tee");
  });
});

Deno.test("Mailer.Send() converts the HTML part to text if there is no text view", async () => {
  await withViews({ "a.html": "<p>Hello, <%= it.Name %></p>", "b.txt": "" }, async (folder) => {
    const transport = mail.NewMemory();
    const mailer = mail.New({ Transport: transport, From, Views: fw.HTML(folder), TextViews: fw.HTML(folder, ".txt") });
    const { Text, HTML, From: from, ID } = await mailer.Send({
      To: "ada@example.com",
      Subject: "A",
      View: "a",
      Data: { Name: "<Ada>" },
    });
    assertEquals([Text, HTML], ["Hello, <Ada>\n", "<p>Hello, &lt;Ada&gt;</p>"]);
    assertEquals([from.Name, from.Address], ["Teahouse", "tea@example.com"]);
    assert(/^[\da-f-]{36}@example\.com$/.test(ID), ID);
    await assertRejects(() => mailer.Send({ To: "ada@example.com", Subject: "A", View: "none" }), fw.ViewNotFound);
  });
});

const attacks: Readonly<Record<string, Partial<mail.LaterMail>>> = {
  "a subject with a line break": { Subject: "Hi\r\nBcc: eve@evil.example" },
  "a subject with an encoded word": { Subject: "=?utf-8?q?Hi=0D=0ABcc:_eve?=" },
  "several recipients in one string": { To: "ada@example.com, eve@evil.example" },
  "no recipient": { To: [] },
  "a name with a line break": { To: { Name: "Ada\nBcc: eve@evil.example", Address: "ada@example.com" } },
  "a sender with a line break": { From: "Ada\r\n <ada@example.com>" },
  "a copy to two": { CC: ["ada@example.com", "x@example.com\r\nBcc: eve@evil.example"] },
  "a reply address": { ReplyTo: "x@example.com>\r\nBcc: <eve@evil.example" },
  "a header value with a line break": { Headers: { "X-Tag": "a\r\nBcc: eve@evil.example" } },
  "a header name with a line break": { Headers: { "X-Tag: a\r\nBcc": "eve@evil.example" } },
  "a header with another option": { Headers: { bCC: "eve@evil.example" } },
  "a content header": { Headers: { "Content-Type": "text/html" } },
  "a header with an encoded word": { Headers: { "X-Tag": "=?utf-8?q?=0D=0ABcc:?=" } },
  "a file name with a line break": { Attachments: [{ Name: "a\r\nBcc: eve@evil.example", Content: "" }] },
  "a file name with a quote": { Attachments: [{ Name: 'a"; x="b', Content: "" }] },
  "a file name with a folder": { Attachments: [{ Name: "../a", Content: "" }] },
  "a media type with a line break": { Attachments: [{ Name: "a", Type: "text/plain\r\nX: y", Content: "" }] },
  "a content ID with brackets": { Attachments: [{ Name: "a", ContentID: "a>\r\nX: <", Content: "" }] },
  "an attachment without content": { Attachments: [{ Name: "a" }] },
};

for (const [name, fields] of Object.entries(attacks)) {
  Deno.test(`Mailer.Send() and Send.Later() reject ${name}`, async () => {
    const transport = mail.NewMemory();
    const queue = jobs.New(jobs.NewMemory());
    const mailer = mail.New({ Transport: transport, From, Queue: queue });
    const letter = { To: "ada@example.com", Subject: "Hi", Text: "x", ...fields };
    for (const send of [() => mailer.Send(letter), () => mailer.Send.Later(letter)]) {
      const error = await assertRejects(send, fw.FrameworkError);
      assertEquals([error.Code, /[\r\n]/.test(error.message)], ["FW_MAIL", false]);
    }
    await queue.Drain();
    transport.ExpectNone();
  });
}

Deno.test("Mailer.Send() and Send.Later() treat undefined members as missing", async () => {
  const transport = mail.NewMemory();
  const queue = jobs.New(jobs.NewMemory());
  const mailer = mail.New({ Transport: transport, From, Queue: queue });
  const missing = { From: undefined, CC: undefined, HTML: undefined, Headers: undefined, Attachments: undefined };
  const letter = { To: "ada@example.com", Subject: "Hi", Text: "x", ...missing } as unknown as mail.LaterMail;
  const { From: sender } = await mailer.Send(letter);
  await mailer.Send.Later(letter);
  await queue.Drain();
  assertEquals(transport.Messages.map((sent) => sent.From), [sender, sender]);
});

Deno.test("Mailer.Send() keeps line breaks in the parts", async () => {
  const mailer = mail.New({ Transport: mail.NewMemory(), From });
  const { Text } = await mailer.Send({ To: "ada@example.com", Subject: "Hi", Text: "\r\n.\r\nBcc: eve@evil.example" });
  assertEquals(Text, "\r\n.\r\nBcc: eve@evil.example");
});

Deno.test("Mailer.Send() streams attachments", async () => {
  let pulled = 0;
  const Content = new ReadableStream<Uint8Array<ArrayBuffer>>({
    pull(controller) {
      if (++pulled > 100) controller.close();
      else controller.enqueue(new Uint8Array(1000));
    },
  }, { highWaterMark: 0 });
  let size = 0;
  const Transport: mail.Transport = {
    async Send({ Attachments: [attachment] }) {
      assertEquals(pulled, 0);
      for await (const chunk of await attachment?.Open() ?? []) size += chunk.length;
    },
  };
  await mail.New({ Transport, From }).Send({
    To: "a@example.com",
    Subject: "A",
    Text: "",
    Attachments: [{ Name: "a", Content }],
  });
  assertEquals(size, 100_000);
});

Deno.test("Mailer.Send.Later() renders now, sends in a job, and retries with the same message ID", async () => {
  await withViews({ "a.html": "<title>Tea</title><%= it.At.getTime() %>", "file.txt": "old" }, async (folder) => {
    const sent: mail.Message[] = [];
    const files: string[] = [];
    let fails = 2;
    const Transport: mail.Transport = {
      async Send(message, signal) {
        assert(signal instanceof AbortSignal);
        sent.push(message);
        if (fails-- > 0) throw new Error("busy");
        for (const { Open } of message.Attachments) files.push(await new Response(await Open()).text());
      },
    };
    let now = Date.now();
    const queue = jobs.New(jobs.NewMemory(), { Clock: () => now, Logger: new fw.Logger().SetLevel("disable") });
    const mailer = mail.New({ Transport, From, Views: fw.HTML(folder), Queue: queue });
    const Path = join(folder, "file.txt");
    const { IsNew } = await mailer.Send.Later({
      To: '"Lovelace, Ada" <ada@example.com>',
      View: "a",
      Data: { At: new Date(0) },
      Attachments: [{ Name: "a.txt", Path }, { Name: "b.txt", Type: "text/plain", Content: "text" }],
    }, { In: 60_000, Key: "order-1" });
    assertEquals([
      IsNew,
      (await mailer.Send.Later({ To: "a@example.com", Subject: "B", Text: "" }, { Key: "order-1" })).IsNew,
    ], [true, false]);
    await queue.Drain();
    assertEquals(sent, []);
    await Deno.writeTextFile(Path, "new");
    for (let at = 0; at < 5; at++) {
      now += 3_600_000;
      await queue.Drain();
    }
    assertEquals(sent.map(({ Subject, Text }) => [Subject, Text.trim()]), Array(3).fill(["Tea", "0"]));
    assertEquals(sent[0]?.To.map(({ Name, Address }) => [Name, Address]), [["Lovelace, Ada", "ada@example.com"]]);
    assertEquals(new Set(sent.map(({ ID }) => ID)).size, 1);
    assertEquals(files, ["new", "text"]);
  });
});

Deno.test("Mailer.Send() and Send.Later() send each kind of attachment", async () => {
  await withViews({ "a b.txt": "ä" }, async (folder) => {
    const Path = join(folder, "a b.txt");
    const Content = new TextEncoder().encode("ä");
    const Attachments: mail.LaterAttachment[] = [
      { Name: "string", Content: "ä" },
      { Name: "bytes", Content },
      { Name: "Blob", Content: new Blob([Content]) },
      { Name: "Path", Path },
      { Name: "URL", Path: toFileUrl(Path) },
    ];
    const transport = mail.NewMemory();
    const queue = jobs.New(jobs.NewMemory());
    const mailer = mail.New({ Transport: transport, From, Queue: queue });
    const letter = { To: "a@example.com", Subject: "A", Text: "", Attachments };
    await mailer.Send(letter);
    const { ID } = await mailer.Send.Later(letter);
    // Version 0.2 stored the URL of a file as a string.
    const job = await queue.Store.Get(ID) as jobs.JobRecord;
    const { ID: MessageID, ...stored } = { ...(await queue.Get(ID))?.Data as Record<string, unknown> };
    const old = JSON.stringify({
      ...stored,
      ID: MessageID,
      Attachments: [{ Name: "old", Path: toFileUrl(Path).href }],
    });
    await queue.Store.Add([{ ...job, ID: "old", Data: old }], Date.now());
    await queue.Drain();
    const found = await Promise.all(
      transport.Messages.map(({ Attachments }) =>
        Promise.all(
          Attachments.map(async ({ Name, Open }) => `${Name}: ${await new Response(await Open()).text()}`),
        )
      ),
    );
    const all = Attachments.map(({ Name }) => `${Name}: ä`);
    assertEquals(found.toSorted((a, b) => a.length - b.length), [["old: ä"], all, all]);
  });
});

Deno.test("Mailer.Send.Later() rejects attachments that cannot be stored, and needs a queue", async () => {
  const queue = jobs.New(jobs.NewMemory());
  const letter = { To: "a@example.com", Subject: "A", Text: "" };
  const mailer = mail.New({ Transport: mail.NewMemory(), From, Queue: queue });
  const Attachments = [{ Name: "a", Content: new Blob(["x"]).stream() }];
  // @ts-expect-error A stream cannot be stored.
  const sending = mailer.Send.Later({ ...letter, Attachments });
  await assertRejects(() => sending, fw.FrameworkError, "stream cannot be stored");
  const other = mail.New({ Transport: mail.NewMemory(), From });
  await assertRejects(() => other.Send.Later(letter), fw.FrameworkError, 'the option "Queue"');
});

Deno.test("Mailer.Send.Later() joins a transaction", async () => {
  await withViews({}, async (folder) => {
    const database = new DatabaseSync(join(folder, "shop.db"));
    const store = sqlite.New({ File: join(folder, "shop.db") });
    await store.Migrate();
    const queue = jobs.New(store);
    const transport = mail.NewMemory();
    const mailer = mail.New({ Transport: transport, From, Queue: queue });
    for (const [Subject, end] of [["lost", "ROLLBACK"], ["kept", "COMMIT"]] as const) {
      database.exec("BEGIN IMMEDIATE");
      await mailer.Send.Later({ To: "ada@example.com", Subject, Text: "x" }, { Queue: queue.In(database) });
      database.exec(end);
    }
    await queue.Drain();
    assertEquals(transport.Messages.map(({ Subject }) => Subject), ["kept"]);
    database.close();
    await store.Close?.();
  });
});

Deno.test("Mailer is injected into controllers", async () => {
  const transport = mail.NewMemory();
  class Orders {
    mailer = mvc.Inject(mail.Mailer);
    async Post(): Promise<string> {
      await this.mailer.Send({ To: "ada@example.com", Subject: "Order", Text: "Thanks" });
      return "ok";
    }
  }
  const app = fw.New();
  mvc.Configure(app.Party("/orders"), (m) => m.Register(mail.New({ Transport: transport, From })).Handle(Orders));
  assertEquals((await app.fetch(new Request("http://localhost/orders", { method: "POST" }))).status, 200);
  transport.Expect({ Subject: "Order" });
});

Deno.test("New() rejects options that cannot work", () => {
  const Transport = mail.NewMemory();
  for (const wrong of [{ Transport, From: "nobody" }, { Transport: {}, From }, { Transport, From, Veiws: 1 }]) {
    assertThrows(() => mail.New(wrong as unknown as mail.Options), fw.FrameworkError);
  }
});

Deno.test("Mailer.Send() names the missing option", async () => {
  const mailer = mail.New({
    Transport: mail.NewMemory(),
    From,
    Views: fw.HTML("").ParseTemplate("a.html", '<%= url("x") %>'),
  });
  await assertRejects(() => mailer.Send({ To: "a@example.com", View: "a", Subject: "A" }), Error, 'the option "URL"');
  const without = mail.New({ Transport: mail.NewMemory(), From });
  const error = await assertRejects(() => without.Send({ To: "a@example.com", View: "a", Subject: "A" }), Error);
  assertStringIncludes(error.message, 'the option "Views"');
});

Deno.test("Application.Build() rejects a mail view with a syntax error", async () => {
  await withViews({ "reset.html": "<p><%= it.Name( %></p>" }, async (folder) => {
    const app = fw.New();
    mail.New({ Transport: mail.NewMemory(), From, Views: fw.HTML(folder), App: app });
    await assertRejects(async () => await app.Build(), fw.FrameworkError, "reset");
  });
});
