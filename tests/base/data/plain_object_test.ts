import { assertEquals } from "@std/assert";
import { isJSONObject, isPlainObject } from "../../../src/base/data/plain_object.ts";

const values: [value: unknown, isPlain: boolean, isJSON: boolean][] = [
  [{}, true, true],
  [Object.create(null), true, true],
  [JSON.parse('{"__proto__":1}'), true, true],
  [[], false, false],
  [null, false, false],
  [undefined, false, false],
  ["{}", false, false],
  [() => {}, false, false],
  [new Date(), false, true],
  [new Map(), false, true],
  [new class A {}(), false, true],
  [Object.create({}), false, true],
];

Deno.test("isPlainObject() accepts object literals and objects without a prototype", () => {
  for (const [value, expected] of values) assertEquals(isPlainObject(value), expected, Deno.inspect(value));
});

Deno.test("isJSONObject() accepts every object except arrays", () => {
  for (const [value, , expected] of values) assertEquals(isJSONObject(value), expected, Deno.inspect(value));
});
