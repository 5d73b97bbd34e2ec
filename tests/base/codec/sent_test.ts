import { assertEquals, assertThrows } from "@std/assert";
import { encodeSent, encodeWithAttachments } from "../../../src/base/codec/sent.ts";
import { FrameworkError } from "../../../src/base/errors/errors.ts";

const entrance = { act: "send it", root: "Data", code: "FW_LIVE" } as const;
const bytes = new Uint8Array([1]);
const lookalike = { _placeholder: true, num: 0 };

Deno.test("encodeWithAttachments() refuses an object that looks like a placeholder beside bytes", () => {
  assertEquals(encodeWithAttachments([lookalike], entrance, []), '[{"_placeholder":true,"num":0}]');
  for (const data of [[lookalike, bytes], { a: bytes, b: { c: lookalike } }]) {
    assertThrows(() => encodeWithAttachments(data, entrance, []), FrameworkError, "looks like a placeholder");
  }
});

Deno.test("encodeSent() names the path of a refused value in the notation of TypeScript", () => {
  const value = { "a b": [{ "ä": { 0: NaN } }] };
  assertThrows(() => encodeSent(value, entrance), FrameworkError, 'Cannot send it: Data["a b"][0].ä["0"] is NaN');
});

Deno.test("encodeSent() does not change the value that it serializes", () => {
  const value = Object.freeze({ id: 1n, list: Object.freeze([2n, -0]), at: new Date(0) });
  assertEquals(encodeSent(value, entrance), '{"id":1,"list":[2,-0],"at":"1970-01-01T00:00:00.000Z"}');
  assertEquals(value, { id: 1n, list: [2n, -0], at: new Date(0) });
});
