import { assertEquals } from "@std/assert";
import { STATUS_TEXT } from "@std/http/status";
import { statusText } from "../../../src/base/errors/errors.ts";

Deno.test("statusText() returns the phrases of @std/http, with the current names of 413 and 422", () => {
  for (
    const [status, text] of Object.entries({ ...STATUS_TEXT, 413: "Content Too Large", 422: "Unprocessable Content" })
  ) {
    assertEquals(statusText(Number(status)), text);
  }
  assertEquals(statusText(299), "Status 299");
});
