import { assertEquals, assertThrows } from "@std/assert";
import { decodeStored } from "../../../src/base/codec/stored.ts";

Deno.test("decodeStored() reads numbers exactly as JSON does", () => {
  for (const text of ["0", "7", "0.5", "1e3", "1e21", "9007199254740993", "-0", "1 "]) {
    assertEquals(decodeStored(text), JSON.parse(text), text);
  }
  for (const text of ["0x10", "0b1", "007", "1.", "1_000", "NaN", "Infinity", ""]) {
    assertThrows(() => decodeStored(text), SyntaxError, undefined, text);
  }
});
