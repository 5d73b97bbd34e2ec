import { assert, assertEquals } from "@std/assert";
import fc from "npm:fast-check@^4";
import * as fw from "../../mod.ts";
import { parseUrlencoded } from "../../src/http/urlencoded.ts";
import { bothWays, quiet } from "../serving.ts";
import { runs } from "../runs.ts";
import {
  Query,
  urlParam,
  urlParamBool,
  urlParamBoolDefault,
  urlParamDefault,
  urlParamExists,
  urlParamFloat64,
  urlParamFloat64Default,
  urlParamInt,
  urlParamInt64,
  urlParamInt64Default,
  urlParamIntDefault,
  urlParams,
} from "../../src/input/query.ts";

/** The parameters of one request. */
async function paramsOf(template: string, path: string): Promise<fw.Params> {
  const app = quiet();
  let seen: fw.Params | undefined;
  app.Get(template, (ctx) => void (seen = ctx.Params()));
  const response = await app.fetch(new Request(`http://localhost${path}`));
  assert(seen !== undefined, `${path} led nowhere: ${response.status}`);
  return seen;
}

bothWays("Params.Get() reads parameters of the party and of the route, decoded", () => {
  const app = quiet();
  app.Party("/{tenant}").Get("/{id:int}/{rest:path}", (ctx) => ctx.JSON(ctx.Params().Entries()));
  return app;
}, async (ask) => {
  assertEquals(
    JSON.parse((await ask("/a%20b/7/x/y%2Fz")).text),
    [["tenant", "a b"], ["id", "7"], ["rest", "x/y/z"]],
  );
});

Deno.test("Params.Get() and GetDefault() of a parameter that the route does not have", async () => {
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
  Deno.test(`Params.${call}() returns ${failed} and an error for what it cannot read`, async () => {
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
    assertEquals(error?.message, `Cannot read path parameter "x" as ${type}: it is absent`);
  });
}

Deno.test("Params' Default readers return the value, or the default when it is absent or of another type", async () => {
  const params = await paramsOf("/{n}/{f}/{b}/{s}", "/7/1.5/true/x");
  assertEquals([params.GetIntDefault("n", 1), params.GetIntDefault("s", 1), params.GetIntDefault("-", 1)], [7, 1, 1]);
  assertEquals([params.GetInt64Default("n", 1n), params.GetInt64Default("s", 1n)], [7n, 1n]);
  assertEquals([params.GetUint64Default("n", 1n), params.GetUint64Default("s", 1n)], [7n, 1n]);
  assertEquals([params.GetFloat64Default("f", 2), params.GetFloat64Default("s", 2)], [1.5, 2]);
  assertEquals([params.GetBoolDefault("b", false), params.GetBoolDefault("s", true)], [true, true]);
});

bothWays("Context.Params() stays right after the request that was served meanwhile", () => {
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

function query(text: string): Query {
  const url = `http://localhost/path${text}`;
  return new Query(url, url.indexOf("?") < 0 ? -1 : url.indexOf("?") + 1);
}

Deno.test("urlParam() returns the first value, and nothing for an absent name", () => {
  assertEquals(urlParam(query("?a=1&a=2"), "a"), "1");
  assertEquals(urlParam(query("?b=1"), "a"), "");
  assertEquals(urlParam(query(""), "a"), "");
  assertEquals(urlParam(query("?"), "a"), "");
});

Deno.test("urlParam() decodes escapes and plus signs, and stops at a fragment", () => {
  assertEquals(urlParam(query("?n%C3%A4me=a+b%26c%2Bd#n%C3%A4me=e"), "näme"), "a b&c+d");
  assertEquals(urlParam(query("?a=1#?a=2"), "a"), "1");
});

Deno.test("urlParamDefault() takes the default only for an absent name", () => {
  assertEquals(urlParamDefault(query("?a="), "a", "def"), "");
  assertEquals(urlParamDefault(query("?a"), "a", "def"), "");
  assertEquals(urlParamDefault(query("?b=1"), "a", "def"), "def");
});

Deno.test("urlParamExists() finds empty parameters, and no inherited names", () => {
  assertEquals(urlParamExists(query("?a"), "a"), true);
  for (const name of ["b", "toString", "__proto__", "constructor"]) {
    assertEquals(urlParamExists(query("?a"), name), false, name);
  }
});

Deno.test("urlParams() returns all values by name, free to change", () => {
  const asked = query("?a=1&b=2&a=3&__proto__=4");
  const map = urlParams(asked);
  assertEquals(Object.getPrototypeOf(map), null);
  assertEquals(Object.entries(map), [["a", ["1", "3"]], ["b", ["2"]], ["__proto__", ["4"]]]);
  map["a"]?.push("5");
  assertEquals(urlParams(asked)["a"], ["1", "3"]);
});

Deno.test("urlParamInt() and its family return -1 and an error where they cannot read", () => {
  const asked = query("?n=7&x=x&f=1.5&on=on&off=0&empty=");
  assertEquals(urlParamInt(asked, "n"), [7, null]);
  assertEquals(urlParamInt64(asked, "n"), [7n, null]);
  assertEquals(urlParamFloat64(asked, "f"), [1.5, null]);
  assertEquals([urlParamBool(asked, "on"), urlParamBool(asked, "off")], [[true, null], [false, null]]);
  for (const name of ["x", "empty", "none"]) {
    for (const [read, failed] of [[urlParamInt, -1], [urlParamInt64, -1n], [urlParamFloat64, -1]] as const) {
      const [value, error] = read(asked, name);
      assertEquals([value, error instanceof Error], [failed, true]);
    }
  }
  assertEquals(urlParamBool(asked, "none")[0], false);
  assertEquals(
    urlParamBool(asked, "none")[1]?.message,
    'Cannot read query parameter "none" as a boolean: it is absent',
  );
});

Deno.test("urlParamIntDefault() and its family take the default where they cannot read", () => {
  const asked = query("?n=7&x=x&off=0&empty=");
  assertEquals([urlParamIntDefault(asked, "n", 1), urlParamIntDefault(asked, "x", 1)], [7, 1]);
  assertEquals([urlParamInt64Default(asked, "n", 1n), urlParamInt64Default(asked, "none", 1n)], [7n, 1n]);
  assertEquals([urlParamFloat64Default(asked, "n", 1.5), urlParamFloat64Default(asked, "empty", 1.5)], [7, 1.5]);
  assertEquals([urlParamBoolDefault(asked, "off", true), urlParamBoolDefault(asked, "none", true)], [false, true]);
});

Deno.test("parseUrlencoded() holds what URLSearchParams holds, whatever the text", () => {
  const piece = fc.constantFrom(
    "a",
    "b=",
    "&",
    "=",
    "+",
    "%",
    "%4",
    "%41",
    "%C3%A4",
    "%C3",
    "%ff",
    "%zz",
    "ä",
    "😀",
    ";",
    "#",
    "?",
  );
  const text = fc.oneof(fc.string({ unit: "binary" }), fc.array(piece).map((pieces) => pieces.join("")));
  fc.assert(
    fc.property(text.map((one) => one.toWellFormed().replace(/^\?+/, "")), (input) => {
      const expected: [string, string[]][] = [];
      for (const [name, value] of new URLSearchParams(input)) {
        const known = expected.find(([one]) => one === name);
        known === undefined ? expected.push([name, [value]]) : known[1].push(value);
      }
      const byName = (a: [string, unknown], b: [string, unknown]): number => a[0] < b[0] ? -1 : 1;
      assertEquals(Object.entries(parseUrlencoded(input)).sort(byName), expected.sort(byName));
    }),
    { numRuns: runs(3000) },
  );
});
