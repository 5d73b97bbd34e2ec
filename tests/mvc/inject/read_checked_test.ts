import { assertEquals, assertThrows } from "@std/assert";
import { z } from "npm:zod@^4";
import { inputToken } from "../../../mvc/inject/input_token.ts";
import { readAlone, readChecked } from "../../../mvc/inject/read_checked.ts";
import * as fw from "../../../mod.ts";
import { quietApp } from "../serve.ts";

/** Runs a function inside of a request. */
async function inRequest<T>(path: string, act: (ctx: fw.Context) => T): Promise<T> {
  const app = quietApp();
  const results: T[] = [];
  app.Get("/", (ctx) => void results.push(act(ctx)));
  await app.fetch(new Request(`http://localhost${path}`));
  return results[0] as T;
}

const page = inputToken("Query", z.object({ page: z.coerce.number() }));

Deno.test("readChecked() and readAlone() read a query without a promise, and throw what does not fit", async () => {
  assertEquals(await inRequest("/?page=3", (ctx) => [readChecked(ctx, page), readAlone(ctx, page)]), [
    { page: 3 },
    { page: 3 },
  ]);
  await inRequest("/?page=x", (ctx) => {
    assertThrows(() => readChecked(ctx, page), fw.ValidationError);
    assertThrows(() => readAlone(ctx, page), fw.ValidationError);
  });
});

Deno.test("readAlone() returns a promise if the schema takes time", async () => {
  const slow = inputToken("Query", z.object({}).refine(async () => await Promise.resolve(true)));
  assertEquals(await inRequest("/", (ctx) => readAlone(ctx, slow) instanceof Promise), true);
});
