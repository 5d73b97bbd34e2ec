import { assert, assertEquals } from "@std/assert";
import { setImmediate } from "node:timers/promises";
import * as live from "../../../src/live/hub/mod.ts";
import { quiet } from "../../serving.ts";

const READERS = 1_000;

Deno.test("Topic.Events() wakes the readers of a message in slices, and each reads all messages in order", async () => {
  await using hub = live.New();
  const topic = hub.Topic("news");
  const app = quiet();
  app.Get("/", (ctx) => ctx.Events(topic.Events(), { Heartbeat: 0 }));
  const decoder = new TextDecoder();
  let received = 0;
  const texts: string[] = [];
  const readers = await Promise.all(Array.from({ length: READERS }, async (_, at) => {
    const { body } = await app.fetch(new Request("http://localhost/"));
    assert(body !== null);
    const reader = body.getReader();
    texts[at] = "";
    // The first two parts are a comment and the position.
    for (let part = 0; part < 2; part++) await reader.read();
    const reading = (async () => {
      while (!texts[at]?.includes("data: 3")) {
        const { value } = await reader.read();
        if (texts[at] === "") received++;
        texts[at] += decoder.decode(value);
      }
    })();
    return { reader, reading };
  }));

  const publications = [1, 2, 3].map((n) => topic.Publish("news", n));
  await Promise.all(publications);
  const slices: number[] = [];
  for (let before = 0; received < READERS; before = received) {
    await setImmediate();
    slices.push(received - before);
  }
  assert((slices[0] ?? 0) > 0, "The first readers must not wait for another turn");
  assert(Math.max(...slices) <= 300, `Too many readers in one turn: ${slices}`);
  await Promise.all(readers.map(({ reading }) => reading));
  for (const text of texts) {
    assertEquals(Array.from(text.matchAll(/data: (\d)/g), ([, data]) => data), ["1", "2", "3"]);
  }
  await Promise.all(readers.map(({ reader }) => reader.cancel()));
});

Deno.test("Topic.Events() ends at once, also for readers that have not been woken yet", async () => {
  await using hub = live.New();
  const topic = hub.Topic("news");
  const app = quiet();
  app.Get("/", (ctx) => ctx.Events(topic.Events(), { Heartbeat: 0 }));
  const readers = await Promise.all(Array.from({ length: READERS }, async () => {
    const { body } = await app.fetch(new Request("http://localhost/"));
    assert(body !== null);
    const reader = body.getReader();
    for (let part = 0; part < 2; part++) await reader.read();
    return reader;
  }));
  await topic.Publish("news", 1);
  await Promise.all(readers.map((reader) => reader.cancel()));
  await topic.Publish("news", 2);
  await setImmediate();
});
