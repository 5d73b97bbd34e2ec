import type * as fw from "@fw/web";
import { assertEquals } from "@std/assert";
import { askInProcess, quiet } from "../../serving.ts";

/** The values that are not names, and how messages describe them. */
const values: readonly (readonly [value: unknown, shown: string])[] = [
  [Symbol("name"), "a symbol"],
  [5n, "a bigint"],
  [() => "name", "a function"],
  [5, "5"],
  [undefined, "undefined"],
  [null, "null"],
  [Object.create(null), "an object"],
  [{
    toString() {
      throw new Error("Cannot be shown");
    },
  }, "an object"],
  [
    new Proxy({}, {
      get() {
        throw new Error("Cannot be read");
      },
    }),
    "an object",
  ],
];

const query: readonly (keyof fw.Context)[] = [
  "URLParam",
  "URLParamDefault",
  "URLParamExists",
  "URLParamInt",
  "URLParamIntDefault",
  "URLParamInt64",
  "URLParamInt64Default",
  "URLParamFloat64",
  "URLParamFloat64Default",
  "URLParamBool",
  "URLParamBoolDefault",
];
const form: readonly (keyof fw.Context)[] = [
  "FormValue",
  "FormValueDefault",
  "PostValue",
  "PostValueDefault",
  "PostValueTrim",
  "PostValues",
  "PostValueInt",
  "PostValueIntDefault",
  "PostValueInt64",
  "PostValueInt64Default",
  "PostValueFloat64",
  "PostValueFloat64Default",
  "PostValueBool",
  "PostValueBoolDefault",
];
const readers = [
  ...query.map((name) => [name, "a query parameter"] as const),
  ...form.map((name) => [name, "a form field"] as const),
  ["GetResponseHeader", "GetResponseHeader"] as const,
];

/** Calls a reader and returns the error that it throws or returns. */
async function errorOf(ctx: fw.Context, reader: keyof fw.Context, name: unknown): Promise<unknown> {
  try {
    const result = await (ctx[reader] as (name: unknown) => unknown).call(ctx, name);
    return Array.isArray(result) ? result[1] : undefined;
  } catch (error) {
    return error;
  }
}

for (const [reader, place] of readers) {
  Deno.test(`Context.${reader}() refuses names that are not strings with one error`, async () => {
    const app = quiet();
    const messages: unknown[] = [];
    app.Post("/", async (ctx) => {
      for (const [value] of values) {
        const error = await errorOf(ctx, reader, value);
        messages.push(error instanceof Error ? error.message : error);
      }
    });
    const headers = { "content-type": "application/x-www-form-urlencoded" };
    await askInProcess(app, "/?a=1", { method: "POST", body: "a=1", headers });
    assertEquals(
      messages,
      values.map(([, shown]) => `Cannot use the argument "name" of ${place}: it must be a string, not ${shown}`),
    );
  });
}
