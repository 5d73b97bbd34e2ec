import { assertEquals, assertThrows } from "@std/assert";
import type * as fw from "../../../mod.ts";
import * as accesslog from "../../../src/middleware/accesslog/mod.ts";
import * as compress from "../../../src/middleware/compress/mod.ts";
import { askInProcess, bothWays, type Question, quiet } from "../../serving.ts";

function application(options: accesslog.Options = {}): { app: fw.Application; lines: string[] } {
  const lines: string[] = [];
  const app = quiet();
  const log = accesslog.New({
    Format: "json",
    Output: (line) => void lines.push(line),
    RequestBody: true,
    ResponseBody: true,
    Skip: (ctx) => ctx.Path() === "/lines",
    ...options,
  });
  app.UseRouter(log.Handler());
  app.Get("/lines", (ctx) => ctx.JSON(lines.map((line) => JSON.parse(line))));
  app.Post("/json", async (ctx) => {
    const [value] = await ctx.ReadJSON();
    ctx.JSON(value);
  });
  app.Post("/text", async (ctx) => {
    const [bytes] = await ctx.GetBody();
    ctx.WriteString(new TextDecoder().decode(bytes));
  });
  app.Post("/form", async (ctx) => ctx.WriteString(await ctx.PostValue("name")));
  app.Post("/native", async (ctx) => ctx.WriteString(await ctx.Request().text()));
  app.Post("/stream", (ctx) => {
    ctx.ContentType("text/plain");
    ctx.Stream((async function* () {
      yield "one ";
      await Promise.resolve();
      yield "two";
    })());
  });
  app.Post("/ndjson", (ctx) => {
    ctx.ContentType("application/x-ndjson");
    ctx.WriteString('{"a":1}\n{"token":"t"}\n');
  });
  app.Post("/html", (ctx) => ctx.HTML("<p>secret</p>"));
  app.Post("/big", (ctx) => ctx.JSON("x".repeat(70_000)));
  return { app, lines };
}

function sent(type: string, body: string): Question {
  return { method: "POST", headers: { "content-type": type }, body };
}

function json(value: unknown): Question {
  return sent("application/json", typeof value === "string" ? value : JSON.stringify(value));
}

const form = "application/x-www-form-urlencoded";

/** Paths, requests and the expected bodies in the log. */
const cases: [name: string, path: string, question: Question, request: string, response: string][] = [
  ["plain values", "/json", json({ a: [1, "ü"], b: null }), '{"a":[1,"ü"],"b":null}', '{"a":[1,"ü"],"b":null}'],
  [
    "secrets",
    "/json",
    json({ user: { "New-Password": "p", access_token: ["t"], pin: 1, spinner: 2 }, list: [{ apiKey: "k" }] }),
    '{"user":{"New-Password":"***","access_token":"***","pin":"***","spinner":2},"list":[{"apiKey":"***"}]}',
    '{"user":{"New-Password":"***","access_token":"***","pin":"***","spinner":2},"list":[{"apiKey":"***"}]}',
  ],
  ["escaped names", "/text", json('{"pass\\u0077ord":"p"}'), '{"password":"***"}', '{"password":"***"}'],
  ["long integers", "/text", json('{"id":9007199254740993}'), '{"id":9007199254740993}', '{"id":9007199254740993}'],
  ["malformed JSON", "/text", json("{'password':'p'}"), "(application/json, 16 bytes)", "(text/plain, 16 bytes)"],
  [
    "forms",
    "/form",
    sent(form, "name=Ada+L&user[pin]=1&a.secret=2&password=x%26"),
    "name=Ada+L&user%5Bpin%5D=***&a.secret=***&password=***",
    "Ada L",
  ],
  ["text", "/text", sent("text/plain", "hello"), "hello", "hello"],
  [
    "text with a secret",
    "/text",
    sent("text/plain", "password: x"),
    "(text/plain, 11 bytes)",
    "(text/plain, 11 bytes)",
  ],
  ["text with JSON", "/text", sent("text/plain", '{"password":"x"}'), '{"password":"***"}', '{"password":"***"}'],
  ["native requests", "/native", sent("text/plain", "hello"), "(text/plain)", "hello"],
  [
    "other types",
    "/text",
    sent("application/xml", "<password>x</password>"),
    "(application/xml)",
    "(text/plain, 22 bytes)",
  ],
  ["streams", "/stream", sent("text/plain", "in"), "(text/plain)", "one two"],
  ["lines of JSON", "/ndjson", sent("text/plain", "in"), "(text/plain)", '{"a":1}\n{"token":"***"}'],
  ["HTML", "/html", sent("text/plain", "in"), "(text/plain)", "(text/html, 13 bytes)"],
  ["long bodies", "/big", json("x".repeat(70_000)), "(application/json)", "(application/json)"],
  ["no body", "/form", { method: "POST" }, "", ""],
];

for (const [name, path, question, request, response] of cases) {
  bothWays(`accesslog.New() logs bodies with ${name}`, () => application().app, async (ask) => {
    await ask(path, question);
    const [line] = JSON.parse((await ask("/lines")).text);
    assertEquals([line.request ?? "", line.response ?? ""], [request, response]);
  });
}

Deno.test("accesslog.New() logs no bodies by default, and adds no columns", async () => {
  for (const [Format, columns] of [["text", 14], ["csv", 14]] as const) {
    const { app, lines } = application({ RequestBody: false, ResponseBody: false, Format });
    await askInProcess(app, "/json", json({ a: 1 }));
    assertEquals(lines[0]?.split(Format === "csv" ? "," : "|").length, columns);
    assertEquals(lines[0]?.includes('"a"'), false);
  }
});

Deno.test("accesslog.New() writes bodies in all formats, in one line", async () => {
  const question = sent("text/plain", 'a|b,"c"\nd');
  const expected = {
    text: '|a\\x7cb,"c"\\nd|a\\x7cb,"c"\\nd',
    csv: ',"a|b,""c""\\nd","a|b,""c""\\nd"',
    "{Status} {Request}": "200 a|b,\\x22c\\x22\\x0ad",
  };
  for (const [Format, ending] of Object.entries(expected)) {
    const { app, lines } = application({ Format });
    await askInProcess(app, "/text", question);
    assertEquals(lines[0]?.endsWith(ending), true, `${lines[0]} ${ending}`);
    assertEquals(lines[0]?.includes("\n"), false);
  }
});

Deno.test("accesslog.New() shortens bodies to MaxBody and masks the names in Mask", async () => {
  const { app, lines } = application({ MaxBody: 20, Mask: ["E-Mail"] });
  await askInProcess(app, "/json", json({ userEmail: "ada@example.com", rest: "x".repeat(100) }));
  assertEquals(JSON.parse(lines[0] ?? "").request, '{"userEmail":"***","…');
  await askInProcess(app, "/text", sent("text/plain", `${"x".repeat(19)}😀😀`));
  assertEquals(JSON.parse(lines[1] ?? "").request, `${"x".repeat(19)}…`);
  assertThrows(() => accesslog.New({ Mask: "password" as never }), Error, "Mask");
});

Deno.test("accesslog.New() logs the body before it is compressed", async () => {
  const lines: string[] = [];
  const app = quiet();
  const log = accesslog.New({ Format: "json", Output: (line) => void lines.push(line), ResponseBody: true });
  app.UseRouter(log.Handler(), compress.New({ MinBody: 0 }));
  app.Get("/", (ctx) => ctx.JSON({ a: 1 }));
  const response = await app.fetch(new Request("http://localhost/", { headers: { "accept-encoding": "gzip" } }));
  assertEquals(response.headers.get("content-encoding"), "gzip");
  await response.body?.cancel();
  assertEquals(JSON.parse(lines[0] ?? "").response, '{"a":1}');
});

Deno.test("AccessLog.AddOutput() writes each line to all outputs", async () => {
  const [first, second]: string[][] = [[], []];
  const bytes: string[] = [];
  const writer = { writeSync: (chunk: Uint8Array) => bytes.push(new TextDecoder().decode(chunk)) && chunk.length };
  const app = quiet();
  const log = accesslog.New({ Format: "{Path}", Output: (line) => void first?.push(line) })
    .AddOutput((line) => void second?.push(line), writer);
  app.UseRouter(log.Handler());
  for (const path of ["/a", "/b"]) await askInProcess(app, path);
  log.Flush();
  assertEquals([first, second, bytes.join("")], [["/a", "/b"], ["/a", "/b"], "/a\n/b\n"]);
  assertThrows(() => log.AddOutput({} as never), TypeError, "writeSync");
});

Deno.test("AccessLog.Listen() iterates over the entries until it is closed", async () => {
  const app = quiet();
  const log = accesslog.New({ Output: () => {} });
  app.UseRouter(log.Handler());
  const [all, few] = [log.Listen(), log.Listen({ MaxQueued: 1 })];
  const waiting = all.next();
  for (const path of ["/a", "/b", "/c"]) await askInProcess(app, path, { headers: { "user-agent": `test ${path}` } });
  const first = await waiting;
  assertEquals([first.value?.Path, first.value?.UserAgent, first.value?.Status], ["/a", "test /a", 404]);
  assertEquals((await few.next()).value?.Path, "/c");
  log.Close();
  const rest: string[] = [];
  for await (const { Path } of all) rest.push(Path);
  assertEquals(rest, ["/b", "/c"]);
  assertEquals(await few.next(), { done: true, value: undefined });
  assertEquals(await log.Listen().next(), { done: true, value: undefined });
});

Deno.test("AccessLog.Listen() ends with a signal or the end of the loop", async () => {
  const app = quiet();
  const log = accesslog.New({ Output: () => {} });
  app.UseRouter(log.Handler());
  const controller = new AbortController();
  const entries = log.Listen({ Signal: controller.signal });
  const waiting = entries.next();
  controller.abort();
  assertEquals(await waiting, { done: true, value: undefined });
  assertEquals(await log.Listen({ Signal: controller.signal }).next(), { done: true, value: undefined });

  const broken = log.Listen();
  await askInProcess(app, "/a");
  await askInProcess(app, "/b");
  for await (const entry of broken) {
    assertEquals(entry.Path, "/a");
    break;
  }
  assertEquals(await broken.next(), { done: true, value: undefined });
});
