import { assert, assertEquals } from "@std/assert";
import * as fw from "../../../mod.ts";
import * as answers from "../../../src/live/answers/mod.ts";
import * as live from "../../../src/live/hub/mod.ts";
import { logged } from "../../serving.ts";
import { Reader } from "./chat_client.ts";

/** Serves a chat on a hub that survives it, runs steps, and shuts the application down. */
async function served(
  hub: live.Hub,
  source: answers.AnswerFunc,
  timeout: number,
  steps: (url: string, app: fw.Application) => Promise<void>,
): Promise<string[]> {
  const chat = answers.New({ Hub: hub, Owner: () => "ada" });
  const { app, lines } = logged(fw.New());
  app.Post("/chat", (ctx) => chat.Start(ctx, "a", source));
  app.Get("/chat", (ctx) => chat.Resume(ctx, "a", source));
  const { promise, resolve } = Promise.withResolvers<number>();
  const running = app.Run(
    fw.Addr("127.0.0.1:0"),
    fw.WithoutStartupLog,
    fw.WithShutdownTimeout(timeout),
    fw.WithOnListen((addr) => resolve((addr as Deno.NetAddr).port)),
  );
  await steps(`http://127.0.0.1:${await promise}/chat`, app);
  await running;
  return lines;
}

Deno.test("Application.Shutdown() lets an answer end, and its client continues in another process", async () => {
  await using hub = live.New();
  const gate = Promise.withResolvers<void>();
  let aborted: boolean | undefined;
  const one = new Reader();
  const lines = await served(
    hub,
    async function* ({ Signal }) {
      yield "1";
      await gate.promise;
      aborted = Signal.aborted;
      yield "2";
    },
    20_000,
    async (url, app) => {
      const reading = one.read(await fetch(url, { method: "POST" }));
      await one.until(3);
      const stopped = app.Shutdown();
      // The connection breaks, so that the client does not take a part of the answer for the whole answer.
      await reading;
      assert(!one.isDone);
      gate.resolve();
      await stopped;
    },
  );
  assertEquals([aborted, lines], [false, []]);
  await served(hub, () => [], 20_000, async (url, app) => {
    await one.finish(url);
    await app.Shutdown();
  });
  assertEquals(one.text, "12");
});

Deno.test("Application.Shutdown() leaves an answer that does not end in time to the next process", async () => {
  await using hub = live.New();
  const one = new Reader();
  await served(
    hub,
    async function* ({ Signal }) {
      yield answers.At(1, "1");
      await new Promise((_, reject) => Signal.addEventListener("abort", () => reject(Signal.reason), { once: true }));
    },
    1_000,
    async (url, app) => {
      const reading = one.read(await fetch(url, { method: "POST" }));
      await one.until(3);
      await app.Shutdown();
      await reading;
    },
  );
  const cursors: unknown[] = [];
  await served(
    hub,
    ({ Cursor }) => {
      cursors.push(Cursor);
      return ["2"];
    },
    20_000,
    async (url, app) => {
      await one.finish(url);
      await app.Shutdown();
    },
  );
  assertEquals([one.text, cursors], ["12", [1]]);
});
