import { assert, assertEquals } from "@std/assert";
import * as live from "../../../src/live/hub/mod.ts";
import * as fw from "../../../mod.ts";
import { quiet } from "../../serving.ts";

/** Counts the listeners of each signal while a function runs. */
async function countListeners(run: (counts: ReadonlyMap<AbortSignal, number>) => Promise<void>): Promise<void> {
  const counts = new Map<AbortSignal, number>();
  const { addEventListener, removeEventListener } = AbortSignal.prototype;
  const change = (signal: AbortSignal, by: number) => counts.set(signal, (counts.get(signal) ?? 0) + by);
  AbortSignal.prototype.addEventListener = function (this: AbortSignal, ...args: Parameters<typeof addEventListener>) {
    change(this, 1);
    addEventListener.apply(this, args);
  };
  AbortSignal.prototype.removeEventListener = function (
    this: AbortSignal,
    ...args: Parameters<typeof removeEventListener>
  ) {
    change(this, -1);
    removeEventListener.apply(this, args);
  };
  try {
    await run(counts);
  } finally {
    Object.assign(AbortSignal.prototype, { addEventListener, removeEventListener });
  }
}

async function* endless(): AsyncGenerator<string> {
  yield "data: first\n\n";
  await new Promise(() => {});
}

function endlessBytes(): ReadableStream<Uint8Array<ArrayBuffer>> {
  return ReadableStream.from(endless()).pipeThrough(new TextEncoderStream());
}

/** The ways to respond with a stream. */
const ways: Readonly<Record<string, (upstream: string) => fw.Handler>> = {
  "ctx.Stream()": () => (ctx) => ctx.Stream(endless()),
  "ctx.Events()": () => (ctx) => ctx.Events(endless(), { Heartbeat: 0 }),
  "ctx.Events() of a topic": () => {
    const topic = live.New().Topic("news");
    return (ctx) => ctx.Events(topic.Events(), { Heartbeat: 0 });
  },
  "a returned response": () => () => new Response(endlessBytes()),
  "a proxied event stream": (upstream) => fw.Proxy(upstream),
};

for (const [way, handlerOf] of Object.entries(ways)) {
  for (const place of ["", " in a mounted application"]) {
    Deno.test(`100 streams of ${way}${place} share the listeners of signals, and leave none behind`, async () => {
      await using upstream = Deno.serve(
        { hostname: "127.0.0.1", port: 0, onListen() {} },
        () => new Response(endlessBytes(), { headers: { "content-type": "text/event-stream" } }),
      );
      const inner = quiet();
      inner.Get("/", handlerOf(`http://127.0.0.1:${upstream.addr.port}`));
      const app = place === "" ? inner : quiet();
      if (app !== inner) app.Mount("/in", inner);
      await app.Build();
      await countListeners(async (counts) => {
        const readers: ReadableStreamDefaultReader<Uint8Array>[] = [];
        for (let i = 0; i < 100; i++) {
          const reader = (await app.fetch(new Request(`http://localhost/${place && "in/"}`))).body?.getReader();
          assert(reader !== undefined);
          await reader.read();
          readers.push(reader);
        }
        const most = Math.max(...counts.values());
        for (const reader of readers) await reader.cancel();
        assert(most <= 2, `${most} listeners of one signal`);
        assertEquals(counts.values().filter((count) => count > 0).toArray(), []);
      });
    });
  }
}
