import { assertEquals } from "@std/assert";
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
} from "../../../src/core/accessors/query.ts";

function query(text: string): Query {
  const url = `http://localhost/path${text}`;
  return new Query(url, url.indexOf("?") < 0 ? -1 : url.indexOf("?") + 1);
}

Deno.test("urlParam() returns the first value, or an empty string for a missing name", () => {
  assertEquals(urlParam(query("?a=1&a=2"), "a"), "1");
  assertEquals(urlParam(query("?b=1"), "a"), "");
  assertEquals(urlParam(query(""), "a"), "");
  assertEquals(urlParam(query("?"), "a"), "");
});

Deno.test("urlParam() decodes escapes and plus signs, and stops at a fragment", () => {
  assertEquals(urlParam(query("?n%C3%A4me=a+b%26c%2Bd#n%C3%A4me=e"), "näme"), "a b&c+d");
  assertEquals(urlParam(query("?a=1#?a=2"), "a"), "1");
});

Deno.test("urlParamDefault() returns the default only if the name is missing", () => {
  assertEquals(urlParamDefault(query("?a="), "a", "def"), "");
  assertEquals(urlParamDefault(query("?a"), "a", "def"), "");
  assertEquals(urlParamDefault(query("?b=1"), "a", "def"), "def");
});

Deno.test("urlParamExists() finds empty parameters, but not inherited names", () => {
  assertEquals(urlParamExists(query("?a"), "a"), true);
  for (const name of ["b", "toString", "__proto__", "constructor"]) {
    assertEquals(urlParamExists(query("?a"), name), false, name);
  }
});

Deno.test("urlParams() returns an object with all values that the caller can modify", () => {
  const asked = query("?a=1&b=2&a=3&__proto__=4");
  const map = urlParams(asked);
  assertEquals(Object.getPrototypeOf(map), null);
  assertEquals(Object.entries(map), [["a", ["1", "3"]], ["b", ["2"]], ["__proto__", ["4"]]]);
  map["a"]?.push("5");
  assertEquals(urlParams(asked)["a"], ["1", "3"]);
});

Deno.test("urlParamInt() and similar functions return -1 and an error for an invalid value", () => {
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
    'Cannot read query parameter "none" as a boolean: the value is missing',
  );
});

Deno.test("urlParamIntDefault() and similar functions return the default for an invalid value", () => {
  const asked = query("?n=7&x=x&off=0&empty=");
  assertEquals([urlParamIntDefault(asked, "n", 1), urlParamIntDefault(asked, "x", 1)], [7, 1]);
  assertEquals([urlParamInt64Default(asked, "n", 1n), urlParamInt64Default(asked, "none", 1n)], [7n, 1n]);
  assertEquals([urlParamFloat64Default(asked, "n", 1.5), urlParamFloat64Default(asked, "empty", 1.5)], [7, 1.5]);
  assertEquals([urlParamBoolDefault(asked, "off", true), urlParamBoolDefault(asked, "none", true)], [false, true]);
});
