import { assert, assertEquals } from "@std/assert";
import { runs } from "../../runs.ts";
import { newApp } from "./fixture/awkward.ts";
import { fuzz, type Operation } from "./fuzz.ts";

/**
 * Reports whether OpenAPI cannot express an operation. valibot cannot generate JSON Schema by itself, and a query
 * cannot be a union.
 */
function isUnsaid({ path }: Operation): boolean {
  return /valibot$|\/query\/either$/.test(path);
}

Deno.test("Document.Build() describes an application correctly: valid requests are accepted, and invalid ones are rejected", async () => {
  const app = newApp();
  app.Logger().SetLevel("disable");
  const send = async (url: string, init: RequestInit) => await app.fetch(new Request(`http://localhost${url}`, init));
  const document = await (await send("/openapi.json", {})).json();
  const { sent, faults } = await fuzz(document, send, { times: runs(12), seed: 7, isSkipped: isUnsaid });
  assert(sent > 0);
  assertEquals(faults.slice(0, 5), []);
});
