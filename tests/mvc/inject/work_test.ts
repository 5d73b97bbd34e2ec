import { assertEquals } from "@std/assert";
import { RequestWork } from "../../../mvc/inject/work.ts";
import * as fw from "../../../mod.ts";
import { exchangeOf } from "../../../src/context/context.ts";

Deno.test("RequestWork sees the stop of its request, ends with it, and reports errors to app.OnError", async () => {
  const app = fw.New();
  app.Logger().SetLevel("disable");
  const log: string[] = [];
  app.OnError((_ctx, error) => void log.push(error.message));
  app.Get("/", (ctx) => {
    const work = new RequestWork(exchangeOf(ctx));
    work.onEnd(() => {
      log.push("ended");
      work.report("Cannot dispose of a dependency", new Error("broken"));
    });
    log.push(`${work.context === ctx} ${work.isStopped}`);
    ctx.StopWithText(409, "taken");
    log.push(String(work.isStopped));
  });
  await (await app.fetch(new Request("http://localhost/"))).text();
  assertEquals(log, ["true false", "true", "ended", "broken"]);
});
