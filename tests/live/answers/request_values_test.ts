import { assertEquals } from "@std/assert";
import type * as fw from "../../../mod.ts";
import * as mvc from "../../../mvc/mod.ts";
import * as answers from "../../../src/live/answers/mod.ts";
import * as live from "../../../src/live/hub/mod.ts";
import { ask, quietApp } from "../../mvc/serve.ts";
import { overSocket } from "../../serving.ts";

Deno.test("Answers use the values of their request, which are disposed of after the answer", async () => {
  await using hub = live.New();
  await using chat = answers.New({ Hub: hub, Owner: () => "ada" });
  const [log, gate, closed]: [string[], PromiseWithResolvers<void>, PromiseWithResolvers<void>] = [
    [],
    Promise.withResolvers<void>(),
    Promise.withResolvers<void>(),
  ];
  function perRequest(_ctx: fw.Context) {
    return {
      read: (text: string) => void log.push(text),
      [Symbol.dispose]() {
        log.push("closed");
        closed.resolve();
      },
    };
  }
  class ChatController {
    Ctx!: fw.Context;
    Post(database = mvc.Inject(perRequest)) {
      return chat.Start(this.Ctx, "a", async function* () {
        database.read("begin");
        yield "1";
        await gate.promise;
        database.read("end");
        yield "2";
      });
    }
  }
  const app = quietApp();
  mvc.New(app.Party("/chat")).Register(mvc.PerRequest(perRequest)).Handle(ChatController);
  app.Get("/rest", (ctx) => chat.Resume(ctx, "a"));
  await overSocket(app, async (_ask, port) => {
    const left = await fetch(`http://127.0.0.1:${port}/chat`, { method: "POST" });
    const reader = left.body?.getReader();
    await reader?.read();
    await reader?.cancel();
    assertEquals((await ask(app, "/rest", "HEAD")).status, 200);
    assertEquals(log, ["begin"]);
    gate.resolve();
    await closed.promise;
  });
  assertEquals(log, ["begin", "end", "closed"]);
});
