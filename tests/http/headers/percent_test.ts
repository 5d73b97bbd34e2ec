import { assertEquals } from "@std/assert";
import { decodeEscapes } from "../../../src/http/headers/percent.ts";

Deno.test("decodeEscapes() does not change malformed sequences", () => {
  const cases = { "100%": "100%", "%4": "%4", "%zz%41": "%zzA", "%%41": "%A", "%C3x": "\ufffdx", "%ff%41": "\ufffdA" };
  for (const [text, expected] of Object.entries(cases)) assertEquals(decodeEscapes(text), expected, text);
});
