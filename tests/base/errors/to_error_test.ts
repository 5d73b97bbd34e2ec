import { assertEquals } from "@std/assert";
import { messageOf } from "../../../src/base/errors/to_error.ts";

Deno.test("messageOf() returns a string for every thrown value, also if it cannot be converted to one", () => {
  const failing = {
    toString() {
      throw new Error("no string");
    },
  };
  const thrown = [new Error("failed"), "text", undefined, Symbol("mark"), Object.create(null), failing];
  const messages = ["failed", "text", "undefined", "Symbol(mark)", "[object]", "[object]"];
  assertEquals(thrown.map(messageOf), messages);
});
