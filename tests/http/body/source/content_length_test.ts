import { assertEquals, assertThrows } from "@std/assert";
import { HTTPError } from "../../../../mod.ts";
import { declaredLength } from "../../../../src/http/body/source/content_length.ts";

Deno.test("declaredLength() returns the length, or -1 if none is declared", () => {
  assertEquals(declaredLength(new Headers({ "content-length": "12" })), 12);
  assertEquals(declaredLength(new Headers()), -1);
});

Deno.test("declaredLength() rejects values that are not numbers", () => {
  for (const text of ["3, 5", "+3", "0x3", "-1", "3 ", "x", ""]) {
    const headers = new Headers();
    headers.set("content-length", text);
    if (headers.get("content-length") === "3") continue;
    const error = assertThrows(() => declaredLength(headers), HTTPError, "it is not a number", text);
    assertEquals(error.Status, 400);
  }
});
