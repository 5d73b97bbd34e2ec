import { assert, assertEquals, assertMatch, assertStringIncludes, assertThrows } from "@std/assert";
import * as fw from "../../../mod.ts";
import * as mvc from "../../../mvc/mod.ts";
import { Conversation } from "../../../src/live/answers/conversation.ts";
import * as answers from "../../../src/live/answers/mod.ts";
import { settingsOf } from "../../../src/live/answers/options.ts";
import * as live from "../../../src/live/hub/mod.ts";
import * as sqlite from "../../../src/live/hub/sqlite/mod.ts";
import { Reader } from "./chat_client.ts";

/** A source whose parts the test hands over one by one. */
class Script {
  readonly #waiting: (answers.Part | string | answers.PartsAt | Error | null)[] = [];
  #wake: (() => void) | undefined = undefined;
  /** The answers that the source was called with. */
  readonly calls: answers.Answer[] = [];
  isClosed = false;

  /** Adds an item. `null` ends the source. */
  say(...items: (answers.Part | string | answers.PartsAt | Error | null)[]): void {
    this.#waiting.push(...items);
    this.#wake?.();
  }

  /** Waits for a call. */
  async called(): Promise<answers.Answer> {
    while (this.calls.length === 0) await new Promise((resolve) => setTimeout(resolve, 1));
    return this.calls.at(-1) as answers.Answer;
  }

  async *read(answer: answers.Answer): AsyncGenerator<answers.Part | string | answers.PartsAt> {
    this.calls.push(answer);
    const aborted = new Promise<void>((_, reject) => {
      answer.Signal.addEventListener("abort", () => reject(answer.Signal.reason), { once: true });
    });
    aborted.catch(() => {});
    try {
      for (;;) {
        while (this.#waiting.length === 0) {
          await Promise.race([new Promise<void>((resolve) => this.#wake = resolve), aborted]);
        }
        const item = this.#waiting.shift();
        if (item === null || item === undefined) return;
        if (item instanceof Error) throw item;
        yield item;
      }
    } finally {
      this.isClosed = true;
    }
  }
}

/** Creates an application with one conversation per ID. The header `x-user` is the owner. */
function newApp(chat: answers.Answers, source: answers.AnswerFunc): fw.Application {
  const app = fw.New();
  app.Logger().SetLevel("disable");
  const id = (ctx: fw.Context) => ctx.Params().Get("id");
  app.Post("/chat/{id}", (ctx) => chat.Start(ctx, id(ctx), source, { Key: ctx.URLParam("key") }));
  app.Get("/chat/{id}/stream", (ctx) => chat.Resume(ctx, id(ctx), source, { Ended: ctx.URLParam("ended") !== "" }));
  app.Get("/chat/{id}/plain", (ctx) => chat.Resume(ctx, id(ctx)));
  app.Post("/chat/{id}/stop", (ctx) => chat.Stop(ctx, id(ctx)));
  return app;
}

function owner(ctx: fw.Context): string {
  return ctx.GetHeader("x-user");
}

function ask(app: fw.Application, path: string, headers: Record<string, string> = {}): Promise<Response> {
  const method = /stream|plain/.test(path) ? "GET" : "POST";
  return Promise.resolve(app.fetch(
    new Request(`http://localhost${path}`, { method, headers: { "x-user": "ada", ...headers } }),
  ));
}

/** Runs a test with answers in memory. */
function test(
  name: string,
  run: (parts: { app: fw.Application; chat: answers.Answers; script: Script; hub: live.Hub }) => Promise<void>,
  options: answers.AnswersOptions = {},
): void {
  Deno.test(name, async () => {
    await using hub = live.New();
    await using chat = answers.New({ Hub: hub, Owner: owner, ...options });
    const script = new Script();
    await run({ app: newApp(chat, (answer) => script.read(answer)), chat, script, hub });
  });
}

async function partsOf(response: Response): Promise<unknown[]> {
  const reader = new Reader();
  await reader.read(response);
  return reader.data.map((each) => each === "[DONE]" ? each : JSON.parse(each));
}

test("Answers.Start() sends strings and parts in the format of the AI SDK", async ({ app, script }) => {
  const tool = { type: "tool-input-available", toolCallId: "1", toolName: "tea", input: { cups: 2 } };
  script.say("Hello", " Ada", tool, "Bye", null);
  const response = await ask(app, "/chat/a");
  assertEquals(response.headers.get("x-vercel-ai-ui-message-stream"), "v1");
  assertEquals(response.headers.get("content-type"), "text/event-stream");
  assertEquals(response.headers.get("cache-control"), "no-store");
  const parts = await partsOf(response);
  const messageId = (parts[0] as { messageId: string }).messageId;
  assertEquals(parts, [
    { type: "start", messageId },
    { type: "text-start", id: "fw-1" },
    { type: "text-delta", id: "fw-1", delta: "Hello" },
    { type: "text-delta", id: "fw-1", delta: " Ada" },
    { type: "text-end", id: "fw-1" },
    tool,
    { type: "text-start", id: "fw-2" },
    { type: "text-delta", id: "fw-2", delta: "Bye" },
    { type: "text-end", id: "fw-2" },
    { type: "finish" },
    "[DONE]",
  ]);
});

test("Answers.Start() passes the stream of the AI SDK on unchanged", async ({ app, script }) => {
  const parts = [
    { type: "start", messageId: "m1" },
    { type: "start-step" },
    { type: "reasoning-start", id: "r" },
    { type: "reasoning-delta", id: "r", delta: "Hm" },
    { type: "reasoning-end", id: "r" },
    { type: "source-url", sourceId: "s", url: "https://example.com/" },
    { type: "file", url: "data:,x", mediaType: "text/plain" },
    { type: "data-weather", data: { degrees: 20 } },
    { type: "finish-step" },
    { type: "finish", finishReason: "stop" },
  ];
  script.say(...parts, null);
  assertEquals(await partsOf(await ask(app, "/chat/a")), [...parts, "[DONE]"]);
});

Deno.test("Answers.Start() accepts streams, iterables and responses with a UI message stream", async () => {
  await using hub = live.New();
  await using chat = answers.New({ Hub: hub, Owner: () => "ada" });
  const sse = 'data: {"type":"start","messageId":"m"}\r\n\r\n: hi\n\ndata: {"type":"finish"}\n\ndata: [DONE]\n\n';
  const sources: Record<string, () => answers.AnswerSource> = {
    iterable: () => ["a"],
    readable: () => ReadableStream.from(["a"]),
    response: () => new Response(sse),
    failed: () => new Response("no", { status: 500 }),
    broken: () => ({}) as answers.AnswerSource,
    shapeless: () => [{}] as unknown as answers.AnswerSource,
  };
  const types: Record<string, string[]> = {};
  for (const [id, source] of Object.entries(sources)) {
    const app = newApp(chat, source);
    const parts = await partsOf(await ask(app, `/chat/${id}`)) as { type?: string }[];
    types[id] = parts.map(({ type = "[DONE]" }) => type);
  }
  const text = ["start", "text-start", "text-delta", "text-end", "finish", "[DONE]"];
  assertEquals(types, {
    iterable: text,
    readable: text,
    response: ["start", "finish", "[DONE]"],
    failed: ["start", "error", "[DONE]"],
    broken: ["start", "error", "[DONE]"],
    shapeless: ["start", "error", "[DONE]"],
  });
});

test("Answers.Resume() continues after the part that the client has received", async ({ app, script }) => {
  const one = new Reader();
  const reading = one.read(await ask(app, "/chat/a"));
  script.say("1", "2", "3");
  await one.until(5);
  const whole = new Reader();
  const all = whole.read(await ask(app, "/chat/a/stream"));
  const rest = new Reader();
  const continued = rest.read(await ask(app, "/chat/a/stream", { "last-event-id": one.lastID.replace(/\d+$/, "4") }));
  script.say("4", null);
  await Promise.all([reading, all, continued]);
  assertEquals([one.text, whole.text, rest.text], ["1234", "1234", "34"]);
  assertEquals(whole.data, one.data);
  assertEquals(script.calls.length, 1);
});

test("Answers.Resume() responds with 204 if there is no answer or it has ended", async ({ app, script }) => {
  assertEquals((await ask(app, "/chat/a/stream")).status, 204);
  script.say("1", null);
  const reader = new Reader();
  await reader.read(await ask(app, "/chat/a"));
  assertEquals((await ask(app, "/chat/a/stream")).status, 204);
  assertEquals((await ask(app, "/chat/a/stream", { "last-event-id": reader.lastID })).status, 204);
  assertEquals((await ask(app, "/chat/a/stream", { "last-event-id": "\u00ff" })).status, 204);
  // A client that has missed the end still receives it.
  const missed = reader.lastID.replace(/\d+$/, "3");
  const late = new Reader();
  await late.read(await ask(app, "/chat/a/stream", { "last-event-id": missed }));
  assertEquals(late.types, ["text-end", "finish", "[DONE]"]);
  const whole = new Reader();
  await whole.read(await ask(app, "/chat/a/stream?ended=1"));
  assertEquals(whole.data, reader.data);
});

test("Answers continue if the client disconnects", async ({ app, script }) => {
  const response = await ask(app, "/chat/a");
  script.say("1");
  await response.body?.cancel();
  const { Signal } = await script.called();
  script.say("2", null);
  const reader = new Reader();
  await reader.read(await ask(app, "/chat/a/stream?ended=1"));
  assertEquals([reader.text, script.calls.length], ["12", 1]);
  assert(script.isClosed);
  await new Promise((resolve) => setTimeout(resolve, 0));
  assertEquals(Signal.aborted, true, "the signal is aborted at the end only");
});

test("Answers.Stop() aborts the model through the signal, for all clients", async ({ app, script }) => {
  const [one, two] = [new Reader(), new Reader()];
  const first = one.read(await ask(app, "/chat/a"));
  script.say("1");
  await one.until(3);
  const second = two.read(await ask(app, "/chat/a/stream"));
  const { Signal } = await script.called();
  const stopped = await ask(app, "/chat/a/stop");
  assertEquals(stopped.status, 204);
  await Promise.all([first, second]);
  assert(Signal.aborted);
  assertEquals(one.types, ["start", "text-start", "text-delta", "abort", "[DONE]"]);
  assertEquals(two.data, one.data);
  assertEquals((await ask(app, "/chat/a/stop")).status, 204);
  assertEquals((await ask(app, "/chat/a/stream")).status, 204);
  assertEquals((await ask(app, "/chat/unknown/stop")).status, 204);
});

test("Answers of another owner do not exist, even if their ID is known", async ({ app, chat, script }) => {
  const reader = new Reader();
  const reading = reader.read(await ask(app, "/chat/a"));
  script.say("secret");
  await reader.until(3);
  const bob = { "x-user": "bob" };
  for (const lastID of ["", reader.lastID]) {
    const stolen = await ask(app, "/chat/a/stream?ended=1", { ...bob, ...lastID && { "last-event-id": lastID } });
    assertEquals([stolen.status, await stolen.text()], [204, ""]);
  }
  assertEquals((await ask(app, "/chat/a/stop", bob)).status, 204);
  assertEquals((await ask(app, "/chat/a/stream", { "x-user": "" })).status, 401);
  // The same ID is another conversation.
  const own = new Script();
  const other = newApp(chat, (answer) => own.read(answer));
  own.say("mine", null);
  const mine = new Reader();
  await mine.read(await ask(other, "/chat/a", bob));
  assertEquals(mine.text, "mine");
  script.say(" kept", null);
  await reading;
  assertEquals(reader.text, "secret kept");
});

test("Answers.Start() responds with 409 until the answer has ended", async ({ app, script }) => {
  const reader = new Reader();
  const reading = reader.read(await ask(app, "/chat/a"));
  const refused = await ask(app, "/chat/a");
  assertEquals(refused.status, 409);
  await refused.body?.cancel();
  script.say("1", null);
  await reading;
  script.say("2", null);
  const next = new Reader();
  await next.read(await ask(app, "/chat/a"));
  assertEquals([next.text, script.calls.length], ["2", 2]);
});

test("Answers.Start() with the same key sends the same answer", async ({ app, script }) => {
  const [one, two, three] = [new Reader(), new Reader(), new Reader()];
  const first = one.read(await ask(app, "/chat/a?key=m1"));
  const second = two.read(await ask(app, "/chat/a?key=m1"));
  const other = await ask(app, "/chat/a?key=m2");
  assertEquals(other.status, 409);
  await other.body?.cancel();
  script.say("1", null);
  await Promise.all([first, second]);
  await three.read(await ask(app, "/chat/a?key=m1"));
  assertEquals([two.data, three.data], [one.data, one.data]);
  assertEquals(script.calls.length, 1);
});

test("Answers show the message of an HTTPError, and hide other errors", async ({ app, script }) => {
  const texts: unknown[] = [];
  for (const error of [new fw.HTTPError(429, "Too many tokens"), new Error("password=tea")]) {
    script.say("1", error);
    const parts = await partsOf(await ask(app, "/chat/a")) as { type: string; errorText?: string }[];
    texts.push(parts.filter(({ type }) => type === "error").map(({ errorText }) => errorText));
  }
  assertEquals(texts, [["Too many tokens"], ["An error occurred"]]);
});

for (const options of [{ MaxParts: 50 }, { MaxAnswer: 2_000 }]) {
  test(`Answers limited by ${JSON.stringify(options)} end if the model does not`, async ({ app, script }) => {
    script.say(...Array.from({ length: 100 }, () => "0123456789"));
    const response = await ask(app, "/chat/a");
    const { Signal } = await script.called();
    const reader = new Reader();
    await reader.read(response);
    assertEquals(reader.types.slice(-3), ["text-end", "error", "[DONE]"]);
    assertStringIncludes(reader.data.at(-2) ?? "", "The answer is too long");
    assert(Signal.aborted);
    assert(script.isClosed);
  }, options);
}

Deno.test("Answers.OnEnd receives all parts of an answer, and how it has ended", async () => {
  const ended: answers.EndedAnswer[] = [];
  await using hub = live.New();
  await using chat = answers.New({ Hub: hub, Owner: owner, OnEnd: (answer) => void ended.push(answer) });
  const script = new Script();
  const app = newApp(chat, (answer) => script.read(answer));
  script.say("1", null);
  await partsOf(await ask(app, "/chat/a"));
  script.say("2", new Error("no"));
  await partsOf(await ask(app, "/chat/a"));
  const reader = new Reader();
  const reading = reader.read(await ask(app, "/chat/a"));
  script.say("3");
  await reader.until(3);
  await ask(app, "/chat/a/stop");
  await reading;
  while (ended.length < 3) await new Promise((resolve) => setTimeout(resolve, 1));
  assertEquals(ended.map(({ ID, Owner, Outcome }) => [ID, Owner, Outcome]), [
    ["a", "ada", "finished"],
    ["a", "ada", "failed"],
    ["a", "ada", "stopped"],
  ]);
  assertEquals(ended.map(({ Parts }) => Parts.at(-1)?.type), ["finish", "error", "abort"]);
  assertEquals(ended[0]?.Parts[0]?.messageId, ended[0]?.MessageID);
});

Deno.test("Answers.Resume() without a source sends an error if the answer was interrupted", async () => {
  const folder = await Deno.makeTempDir();
  const open = () => live.New({ Backplane: sqlite.New({ File: `${folder}/a.db` }) });
  const script = new Script();
  const [before, after] = [open(), open()];
  const [first, second] = [before, after].map((Hub) => answers.New({ Hub, Owner: owner, Lease: 100 }));
  assert(first !== undefined && second !== undefined);
  const app = newApp(first, (answer) => script.read(answer));
  const reader = new Reader();
  const reading = reader.read(await ask(app, "/chat/a"));
  script.say(answers.At({ at: 1 }, "1"));
  await reader.until(3);
  // The other process takes over as soon as the lease is free.
  await first.Close();
  const rest = new Reader();
  await rest.read(await ask(newApp(second, () => []), "/chat/a/plain"));
  await reading;
  assertEquals(rest.types, ["start", "text-start", "text-delta", "text-end", "error", "[DONE]"]);
  assertStringIncludes(rest.data.at(-2) ?? "", "The answer was interrupted");
  assertEquals(script.calls.length, 1);
  await second.Close();
  await before.Close();
  await after.Close();
  await Deno.remove(folder, { recursive: true });
});

Deno.test("Answers are not continued without a cursor, because the model may have been called", async () => {
  await using hub = live.New();
  const script = new Script();
  const first = answers.New({ Hub: hub, Owner: owner, Lease: 100 });
  const reader = new Reader();
  const reading = reader.read(await ask(newApp(first, (answer) => script.read(answer)), "/chat/a"));
  script.say("1");
  await reader.until(3);
  await first.Close();
  await using second = answers.New({ Hub: hub, Owner: owner, Lease: 100 });
  const rest = new Reader();
  await rest.read(await ask(newApp(second, (answer) => script.read(answer)), "/chat/a/stream"));
  await reading;
  assertEquals(rest.types.slice(-2), ["error", "[DONE]"]);
  assertEquals(script.calls.length, 1);
});

Deno.test("Answers of a process that was only suspended are ignored after another one has taken over", async () => {
  await using hub = live.New();
  const [slow, fast] = [new Script(), new Script()];
  // The lease of the first process is released, as if it had expired.
  const first = answers.New({ Hub: hub, Owner: owner, Lease: 60_000 });
  const second = answers.New({ Hub: hub, Owner: owner, Lease: 60_000 });
  const [one, two] = [new Reader(), new Reader()];
  const reading = one.read(await ask(newApp(first, (answer) => slow.read(answer)), "/chat/a"));
  slow.say(answers.At(1, "1"));
  await one.until(3);
  await new Conversation(settingsOf({ Hub: hub }), "ada", "a").lease.release();
  const taken = two.read(await ask(newApp(second, (answer) => fast.read(answer)), "/chat/a/stream"));
  const { Cursor, Parts } = await fast.called();
  assertEquals([Cursor, Parts.length], [1, 3]);
  assert((await slow.called()).Signal.aborted);
  slow.say("late", null);
  fast.say(answers.At(2, "2"), null);
  await Promise.all([reading, taken]);
  assertEquals([one.text, two.text], ["12", "12"]);
  assertEquals(one.data, two.data);
  await first.Close();
  await second.Close();
});

test("Answers have clients that read slowly, without queueing the whole answer for them", async ({ app, script }) => {
  const response = await ask(app, "/chat/a");
  const text = "x".repeat(10_000);
  script.say(...Array.from({ length: 300 }, () => text), null);
  while (!script.isClosed) await new Promise((resolve) => setTimeout(resolve, 1));
  const reader = new Reader();
  await reader.read(response);
  assertEquals(reader.text.length, 3_000_000);
  assert(reader.isDone);
});

test("Answers.Resume() responds to HEAD without reading the answer", async ({ app, script }) => {
  const response = await ask(app, "/chat/a");
  script.say("1");
  const head = await app.fetch(
    new Request("http://localhost/chat/a/stream", { method: "HEAD", headers: { "x-user": "ada" } }),
  );
  assertEquals([head.status, head.body], [200, null]);
  script.say(null);
  await response.body?.cancel();
});

test("Answers reject IDs and keys that are empty or too long", async ({ app }) => {
  for (const path of [`/chat/${"x".repeat(257)}`, `/chat/a?key=${"x".repeat(257)}`]) {
    const response = await ask(app, path);
    assertEquals(response.status, 400);
    await response.body?.cancel();
  }
});

test("Answers.Start() is called by a controller method", async ({ chat, script }) => {
  const app = fw.New();
  class ChatController {
    Ctx!: fw.Context;
    PostBy(id = "") {
      return chat.Start(this.Ctx, id, (answer) => script.read(answer));
    }
  }
  mvc.New(app.Party("/chat")).Handle(ChatController);
  script.say("Hello", null);
  const reader = new Reader();
  await reader.read(await ask(app, "/chat/a"));
  assertEquals(reader.text, "Hello");
});

Deno.test("New() rejects options that are not positive numbers", () => {
  for (const name of ["For", "Lease", "MaxParts", "MaxAnswer"]) {
    const error = assertThrows(() => answers.New({ [name]: 0 }), fw.FrameworkError);
    assertMatch(error.message, new RegExp(`"${name}"`));
  }
  assertThrows(() => answers.New({ Hub: {} as live.Hub }), fw.FrameworkError);
});

Deno.test("Answers respond with 503 if the backplane is not available", async () => {
  const hub = live.New({ Backplane: sqlite.New({ File: ":memory:" }), OnError() {} });
  await hub.Close();
  const chat = answers.New({ Hub: hub, Owner: owner });
  const app = newApp(chat, () => []);
  for (const path of ["/chat/a", "/chat/a/stream", "/chat/a/stop"]) {
    const response = await ask(app, path);
    assertEquals(response.status, 503);
    await response.body?.cancel();
  }
});
