import { assert, assertEquals, assertThrows } from "@std/assert";
import * as live from "../../../src/live/hub/mod.ts";
import { FrameworkError } from "../../../src/base/errors/errors.ts";
import { quiet } from "../../serving.ts";

/** Reads the events of a response until a string has been received. */
async function readUntil(response: Response, wanted: string): Promise<string> {
  let text = "";
  const reader = (response.body ?? new ReadableStream()).pipeThrough(new TextDecoderStream()).getReader();
  for (let part = ""; !part.includes(wanted);) {
    const { value, done } = await reader.read();
    if (done) break;
    text += part = value;
  }
  await reader.cancel();
  return text;
}

Deno.test("Topic.Events() resumes after Last-Event-ID and sends each message once and in order", async () => {
  await using hub = live.New();
  const topic = hub.Topic("prices", { History: 10 });
  const app = quiet();
  app.Get("/prices", (ctx) => ctx.Events(topic.Events()));
  const positions = [];
  for (let n = 1; n <= 5; n++) positions.push(await topic.Publish("price", { n }));
  const lastID = `${positions[1]?.Epoch}.2`;
  const response = await app.fetch(new Request("http://localhost/prices", { headers: { "last-event-id": lastID } }));
  const text = await readUntil(response, '{"n":5}');
  assertEquals(Array.from(text.matchAll(/data: (.*)/g), ([, data]) => data), ['{"n":3}', '{"n":4}', '{"n":5}']);
  assert(text.includes(`id: ${positions[1]?.Epoch}.5`));
});

Deno.test("Topic.Events() sends a gap event if messages are no longer stored or the epoch has changed", async () => {
  await using hub = live.New();
  const topic = hub.Topic("prices", { History: 2 });
  const app = quiet();
  app.Get("/prices", (ctx) => ctx.Events(topic.Events()));
  let epoch = "";
  for (let n = 1; n <= 5; n++) epoch = (await topic.Publish("price", n)).Epoch;
  const ask = (id: string) => app.fetch(new Request("http://localhost/prices", { headers: { "last-event-id": id } }));
  const beyond = await readUntil(await ask(`${epoch}.1`), "data: 5");
  assertEquals(beyond.split("\n\n")[1], `id: ${epoch}.3\nevent: gap\ndata: {"From":2,"To":3,"Reason":"history"}`);
  const foreign = await readUntil(await ask("other.7"), "data: 5");
  assert(foreign.includes('event: gap\ndata: {"From":8,"To":7,"Reason":"epoch"}'), foreign);
  assert((await readUntil(await ask("nonsense"), "data: 5")).includes("event: gap"));
});

Deno.test("Hub.Topic() rejects an invalid retention", () => {
  assertThrows(
    () => live.New().Topic("x", { History: -1 }),
    FrameworkError,
    'Cannot use the option "History" of a topic',
  );
  assertThrows(() => live.New().Topic("x", { For: 0 }), FrameworkError);
});

Deno.test("Topic.Events() sends a history that is larger than the queue of a slow reader", async () => {
  await using hub = live.New();
  const topic = hub.Topic("prices", { History: 12_000 });
  const app = quiet();
  app.Get("/prices", (ctx) => ctx.Events(topic.Events()));
  const { Epoch } = await topic.Publish("price", 0);
  const text = "x".repeat(200);
  for (let n = 1; n <= 11_000; n++) await topic.Publish("price", `${n} ${text}`);
  const headers = { "last-event-id": `${Epoch}.1` };
  const response = await app.fetch(new Request("http://localhost/prices", { headers }));
  const received = await readUntil(response, "data: 11000 ");
  assertEquals(
    Array.from(received.matchAll(/data: (\d+) /g), ([, n]) => Number(n)),
    Array.from({ length: 11_000 }, (_, n) => n + 1),
  );
});

Deno.test("Topic.Events() ends the response of a reader that does not read, which then resumes", async () => {
  await using hub = live.New();
  const topic = hub.Topic("prices", { History: 1_000 });
  const app = quiet();
  app.Get("/prices", (ctx) => ctx.Events(topic.Events()));
  const response = await app.fetch(new Request("http://localhost/prices"));
  const reader = (response.body ?? new ReadableStream()).pipeThrough(new TextDecoderStream()).getReader();
  while (!(await reader.read()).value?.startsWith("id:"));
  const text = "x".repeat(100_000);
  for (let n = 1; n <= 50; n++) await topic.Publish("price", `${n} ${text}`);
  let received = "";
  for (let part = await reader.read(); !part.done; part = await reader.read()) received += part.value;
  assert(received.length < 20 * text.length, `${received.length} characters were queued`);
  const lastID = Array.from(received.matchAll(/id: (\S+)/g)).at(-1)?.[1] ?? "";
  const again = await app.fetch(new Request("http://localhost/prices", { headers: { "last-event-id": lastID } }));
  const rest = await readUntil(again, "data: 50 ");
  const numbers = Array.from((received + rest).matchAll(/data: (\d+) /g), ([, n]) => Number(n));
  assertEquals(numbers, Array.from({ length: 50 }, (_, n) => n + 1));
});

Deno.test("Topic.Events() sends a new reader its position, so that it can resume even before the first message", async () => {
  await using hub = live.New();
  const topic = hub.Topic("prices", { History: 10 });
  const { Epoch } = await topic.Publish("price", 1);
  const app = quiet();
  app.Get("/prices", (ctx) => ctx.Events(topic.Events()));
  const first = await readUntil(await app.fetch(new Request("http://localhost/prices")), "id:");
  assertEquals(first, `:\n\nid: ${Epoch}.1\n\n`);
  await topic.Publish("price", 2);
  const headers = { "last-event-id": `${Epoch}.1` };
  const again = await readUntil(await app.fetch(new Request("http://localhost/prices", { headers })), "data: 2");
  assert(again.includes(`id: ${Epoch}.2\nevent: price\ndata: 2`), again);
});

Deno.test("Hub.Topic() rejects an empty name, and other options for the same name", () => {
  const hub = live.New();
  assertThrows(() => hub.Topic(""), FrameworkError, "its name is empty");
  const topic = hub.Topic("prices", { History: 10 });
  assertEquals([hub.Topic("prices") === topic, hub.Topic("prices", { History: 10 }) === topic], [true, true]);
  assertThrows(
    () => hub.Topic("prices", { History: 20 }),
    FrameworkError,
    'the topic "prices" again with other options',
  );
});

Deno.test("Topic.Events() sends the snapshot to new readers and after a gap, with the ID to resume from", async () => {
  await using hub = live.New();
  const topic = hub.Topic("prices", { History: 2 });
  let latest = 0;
  const app = quiet();
  app.Get("/prices", (ctx) => ctx.Events(topic.Events({ Snapshot: () => Promise.resolve({ latest }) })));
  const ask = (id?: string) =>
    app.fetch(new Request("http://localhost/prices", { headers: id === undefined ? {} : { "last-event-id": id } }));
  let epoch = "";
  for (latest = 1; latest <= 5; latest++) epoch = (await topic.Publish("price", latest)).Epoch;
  latest = 5;
  const first = await readUntil(await ask(), "data");
  assertEquals(first, `:\n\nid: ${epoch}.5\nevent: snapshot\ndata: {"latest":5}\n\n`);
  // Only the snapshot moves the ID. A reader that loses the connection before it receives the gap again.
  const beyond = await readUntil(await ask(`${epoch}.1`), "data: 5");
  assertEquals(beyond.split("\n\n").slice(1, 4), [
    'event: gap\ndata: {"From":2,"To":3,"Reason":"history"}',
    `id: ${epoch}.3\nevent: snapshot\ndata: {"latest":5}`,
    `id: ${epoch}.4\nevent: price\ndata: 4`,
  ]);
  const resumed = await readUntil(await ask(`${epoch}.4`), "data: 5");
  assert(!resumed.includes("snapshot"), resumed);
});

Deno.test("Topic.Events() rejects an unknown option", () => {
  const topic = live.New().Topic("prices");
  assertThrows(() => topic.Events(JSON.parse('{"Snapshto":1}')), FrameworkError, 'the option "Snapshto"');
});
