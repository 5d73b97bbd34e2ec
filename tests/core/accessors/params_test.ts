import { assert, assertEquals } from "@std/assert";
import * as fw from "../../../mod.ts";
import { bothWays, quiet } from "../../serving.ts";

/** Returns the path parameters of a request. */
async function paramsOf(template: string, path: string): Promise<fw.Params> {
  const app = quiet();
  let seen: fw.Params | undefined;
  app.Get(template, (ctx) => void (seen = ctx.Params()));
  const response = await app.fetch(new Request(`http://localhost${path}`));
  assert(seen !== undefined, `${path} led nowhere: ${response.status}`);
  return seen;
}

bothWays("Params.Get() returns decoded parameters of the party and the route", () => {
  const app = quiet();
  app.Party("/{tenant}").Get("/{id:int}/{rest:path}", (ctx) => ctx.JSON(ctx.Params().Entries()));
  return app;
}, async (ask) => {
  assertEquals(
    JSON.parse((await ask("/a%20b/7/x/y%2Fz")).text),
    [["tenant", "a b"], ["id", "7"], ["rest", "x/y/z"]],
  );
});

Deno.test("Params.Get() and GetDefault() handle a parameter that the route does not have", async () => {
  const params = await paramsOf("/{a}", "/x");
  assertEquals([params.Get("a"), params.Get("b"), params.GetDefault("a", "d"), params.GetDefault("b", "d")], [
    "x",
    "",
    "x",
    "d",
  ]);
  assertEquals([params.Exists("a"), params.Exists("b"), params.Exists("__proto__"), params.Len()], [
    true,
    false,
    false,
    1,
  ]);
});

Deno.test("Params of a route without parameters is empty", async () => {
  const params = await paramsOf("/a", "/a");
  assertEquals([params.Len(), params.Entries(), params.Get("x")], [0, [], ""]);
});

type Reading = [call: string, read: (params: fw.Params) => fw.Parsed<unknown>, failed: unknown, type: string];

const readings: readonly Reading[] = [
  ["GetInt", (params) => params.GetInt("x"), -1, "an integer"],
  ["GetInt64", (params) => params.GetInt64("x"), -1n, "a 64-bit integer"],
  ["GetUint64", (params) => params.GetUint64("x"), -1n, "an unsigned 64-bit integer"],
  ["GetFloat64", (params) => params.GetFloat64("x"), -1, "a number"],
  ["GetBool", (params) => params.GetBool("x"), false, "a boolean"],
];

const values: Readonly<Record<string, Readonly<Record<string, unknown>>>> = {
  GetInt: { "0": 0, "7": 7, "-7": -7, "+7": 7, "007": 7, "9007199254740991": 9007199254740991 },
  GetInt64: {
    "0": 0n,
    "-9223372036854775808": -9223372036854775808n,
    "9223372036854775807": 9223372036854775807n,
    "+1": 1n,
  },
  GetUint64: { "0": 0n, "18446744073709551615": 18446744073709551615n },
  GetFloat64: { "1.5": 1.5, "-2": -2, "1e3": 1000, ".5": 0.5, "3.": 3, "+1": 1 },
  GetBool: { "true": true, "1": true, "T": true, "false": false, "0": false, "F": false },
};

const misfits: Readonly<Record<string, readonly string[]>> = {
  GetInt: ["x", "1.5", "1e3", "9007199254740992", "-", "0x10", "%201", "1_000"],
  GetInt64: ["x", "9223372036854775808", "1n"],
  GetUint64: ["-1", "+1", "18446744073709551616"],
  GetFloat64: ["x", "1e999", "NaN", "Infinity", "1,5", "0x10", "e3", "-."],
  GetBool: ["yes", "on", "tRUE", "2"],
};

for (const [call, read, failed, type] of readings) {
  Deno.test(`Params.${call}() reads its values`, async () => {
    for (const [text, value] of Object.entries(values[call] ?? {})) {
      assertEquals(read(await paramsOf("/{x}", `/${text}`)), [value, null], text);
    }
  });
  Deno.test(`Params.${call}() returns ${failed} and an error for an invalid value`, async () => {
    for (const text of misfits[call] ?? []) {
      const [value, error] = read(await paramsOf("/{x}", `/${text}`));
      assertEquals(value, failed);
      assert(error instanceof fw.FrameworkError);
      assertEquals(error.Code, "FW_PARAM");
      const shown = decodeURIComponent(text);
      assertEquals(error.message, `Cannot read path parameter "x" as ${type}: current value is "${shown}"`);
    }
  });
  Deno.test(`Params.${call}() returns ${failed} and an error for a parameter that the route does not have`, async () => {
    const [value, error] = read(await paramsOf("/{y}", "/1"));
    assertEquals(value, failed);
    assertEquals(error?.message, `Cannot read path parameter "x" as ${type}: the value is missing`);
  });
}

Deno.test("Params' Default readers return the default if the value is missing or has another type", async () => {
  const params = await paramsOf("/{n}/{f}/{b}/{s}", "/7/1.5/true/x");
  assertEquals([params.GetIntDefault("n", 1), params.GetIntDefault("s", 1), params.GetIntDefault("-", 1)], [7, 1, 1]);
  assertEquals([params.GetInt64Default("n", 1n), params.GetInt64Default("s", 1n)], [7n, 1n]);
  assertEquals([params.GetUint64Default("n", 1n), params.GetUint64Default("s", 1n)], [7n, 1n]);
  assertEquals([params.GetFloat64Default("f", 2), params.GetFloat64Default("s", 2)], [1.5, 2]);
  assertEquals([params.GetBoolDefault("b", false), params.GetBoolDefault("s", true)], [true, true]);
});

bothWays("Context.Params() is not affected by another request that is served in the meantime", () => {
  const app = quiet();
  app.Get("/slow/{x}", async (ctx) => {
    await app.fetch(new Request("http://localhost/fast/other"));
    ctx.WriteString(ctx.Params().Get("x"));
  });
  app.Get("/fast/{y}", (ctx) => ctx.WriteString(ctx.Params().Get("y")));
  return app;
}, async (ask) => {
  assertEquals((await ask("/slow/mine")).text, "mine");
});
