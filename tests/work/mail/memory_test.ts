import { assert, assertEquals, assertStringIncludes, assertThrows } from "@std/assert";
import * as fw from "@fw/web";
import * as httptest from "@fw/web/httptest";
import * as mail from "@fw/web/mail";

const From = "tea@example.com";

Deno.test("Memory.Expect() finds mails by recipient, subject, content and attachment", async () => {
  const memory = mail.NewMemory();
  const { Send } = mail.New({ Transport: memory, From });
  memory.ExpectNone();
  await Send({
    To: "Ada@Example.com",
    BCC: "bob@example.com",
    Subject: "First",
    HTML: "<p>Your\n  code is <b>1</b></p>",
  });
  await Send({
    To: "carol@example.com",
    Subject: "Second",
    Text: "x",
    Attachments: [{ Name: "a.txt", Content: "tea" }],
  });
  assertEquals(memory.Expect({ To: "Ada@example.com" }).Subject, "First");
  assertEquals(memory.Expect({ To: "bob@example.com", Contains: "your CODE is" }).Subject, "First");
  const found = memory.Expect({ Subject: /^Sec/, Attachment: "a.txt" });
  // An expression with this flag remembers where its last match has ended.
  const Subject = /^Sec/g;
  for (let time = 0; time < 2; time++) assertEquals(memory.Expect({ Subject }).Subject, "Second");
  for (let at = 0; at < 2; at++) {
    assertEquals(await new Response(await found.Attachments[0]?.Open()).text(), "tea");
  }
  memory.ExpectNone({ To: "eve@example.com" });
  const error = assertThrows(() => memory.Expect({ Subject: "Third" }), Error);
  assertStringIncludes(error.message, "these were sent:\n  Ada@example.com: First\n  carol@example.com: Second");
  assertThrows(() => memory.ExpectNone({ Subject: "First" }), Error, "Expected no mail");
  memory.Clear();
  assertThrows(() => memory.Expect(), Error, "none was sent");
});

Deno.test("Memory keeps the latest mails", async () => {
  const memory = mail.NewMemory(2);
  const { Send } = mail.New({ Transport: memory, From });
  for (const Subject of ["1", "2", "3"]) await Send({ To: "a@example.com", Subject, Text: "" });
  assertEquals(memory.Messages.map(({ Subject }) => Subject), ["2", "3"]);
});

Deno.test("Memory.Register() shows mails without running their scripts", async () => {
  const memory = mail.NewMemory();
  const app = fw.New();
  memory.Register(app.Party("/mails"));
  const { Send } = mail.New({ Transport: memory, From });
  const client = httptest.New(app);
  await client.GET("/mails").Expect().Status(200).Contains("No mail has been sent");
  const { ID } = await Send({
    To: { Name: "<script>alert(1)</script>", Address: "ada@example.com" },
    Subject: "<img src=x onerror=alert(2)>",
    HTML: '<p onclick="alert(3)">Hi</p><script>alert(4)</script></iframe><script>alert(5)</script>',
    Attachments: [{ Name: "ü, <b>.html", Type: "text/html", Content: "<script>alert(6)</script>" }],
  });
  const list = await app.fetch(new Request("http://localhost/mails"));
  const page = await app.fetch(new Request(`http://localhost/mails?mail=${encodeURIComponent(ID)}`));
  for (const response of [list, page]) {
    assertEquals(response.headers.get("cache-control"), "no-store");
    assertStringIncludes(response.headers.get("content-security-policy") ?? "", "default-src 'none'");
    const text = await response.text();
    assertEquals(/<script|<img|<p onclick/.exec(text), null, text);
    assertStringIncludes(text, "&lt;img src=x onerror=alert(2)&gt;");
  }
  const file = await app.fetch(new Request(`http://localhost/mails?mail=${encodeURIComponent(ID)}&file=0`));
  assertEquals(file.headers.get("content-type"), "application/octet-stream");
  assert(file.headers.get("content-disposition")?.includes("; filename*=UTF-8''%C3%BC"));
  assertEquals(await file.text(), "<script>alert(6)</script>");
  await client.GET("/mails").WithQuery("mail", "other").Expect().Status(404);
});
