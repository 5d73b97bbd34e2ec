import { assert, assertEquals } from "@std/assert";
import type * as fw from "@fw/web";
import { runs } from "../runs.ts";
import { newApp } from "./fixture/awkward.ts";
import { fuzz, type Operation } from "./fuzz.ts";

/** What a document of OpenAPI cannot say: valibot alone writes no JSON Schema, and a query is not a union. */
function isUnsaid({ path }: Operation): boolean {
  return /valibot$|\/query\/either$/.test(path);
}

const applications: Record<string, () => Promise<fw.Application>> = {
  "the awkward application": () => Promise.resolve(newApp()),
  // By a path that the compiler does not follow: examples are checked on their own.
  "examples/contracts": async () => (await import(`../../examples/${"contracts"}/main.ts`)).newApp(),
};

for (const [name, create] of Object.entries(applications)) {
  Deno.test(`Document.Build() tells the truth about ${name}: requests made from it are accepted, broken ones are not`, async () => {
    const app = await create();
    app.Logger().SetLevel("disable");
    const send = async (url: string, init: RequestInit) => await app.fetch(new Request(`http://localhost${url}`, init));
    const document = await (await send("/openapi.json", {})).json();
    const { sent, faults } = await fuzz(document, send, { times: runs(12), seed: 7, isSkipped: isUnsaid });
    assert(sent > 0);
    assertEquals(faults.slice(0, 5), []);
  });
}
