import { assert, assertEquals, assertThrows } from "@std/assert";
import * as live from "../../src/live/mod.ts";
import { FrameworkError } from "../../src/errors/errors.ts";
import { quiet } from "../serving.ts";

/** Reads the events of a response until a string has been received. */
async function readUntil(response: Response, wanted: string): Promise<string> {
  let text = "";
  const reader = (response.body ?? new ReadableStream()).pipeThrough(new TextDecoderStream()).getReader();
  while (!text.includes(wanted)) {
    const { value, done } = await reader.read();
    if (done) break;
    text += value;
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
  assertThrows(() => live.New().Topic("x", { History: -1 }), FrameworkError, 'Cannot store "-1" messages');
  assertThrows(() => live.New().Topic("x", { For: 0 }), FrameworkError);
});
