import { assertEquals, assertThrows } from "@std/assert";
import { z } from "npm:zod@^4";
import { inputToken } from "../../../mvc/reflect/token.ts";
import { RequestWork } from "../../../mvc/inject/request_work.ts";
import * as fw from "../../../mod.ts";
import { exchangeOf } from "../../../src/core/context/context.ts";
import { loadInputs } from "../../../src/core/context/format/lazy_reader.ts";
import { quietApp } from "../serve.ts";

/** Runs a function during a request. */
async function inRequest<T>(path: string, act: (work: RequestWork) => T): Promise<T> {
  const app = quietApp();
  const results: T[] = [];
  app.Get("/", (ctx) => void results.push(act(new RequestWork(exchangeOf(ctx)))));
  await app.fetch(new Request(`http://localhost${path}`));
  return results[0] as T;
}

// The build of an application whose routes have inputs does this.
await loadInputs();

const page = inputToken("Query", z.object({ page: z.coerce.number() }));

Deno.test("RequestWork.read() and readNow() read a query synchronously and throw if it is invalid", async () => {
  assertEquals(await inRequest("/?page=3", (work) => [work.read(page), work.readNow(page)]), [
    { page: 3 },
    { page: 3 },
  ]);
  await inRequest("/?page=x", (work) => {
    assertThrows(() => work.read(page), fw.ValidationError);
    assertThrows(() => work.readNow(page), fw.ValidationError);
  });
});

Deno.test("RequestWork.readNow() returns a promise if the schema is asynchronous", async () => {
  const slow = inputToken("Query", z.object({}).refine(async () => await Promise.resolve(true)));
  assertEquals(await inRequest("/", (work) => work.readNow(slow) instanceof Promise), true);
});

Deno.test("RequestWork detects that the request was stopped and reports errors to app.OnError", async () => {
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
