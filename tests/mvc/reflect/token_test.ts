import { assertEquals, assertThrows } from "@std/assert";
import { inputToken } from "../../../mvc/reflect/token.ts";
import { FrameworkError } from "../../../src/base/errors/errors.ts";
import type { StandardSchema } from "../../../src/core/accessors/schema.ts";

const schema: StandardSchema<unknown> = {
  "~standard": { version: 1, vendor: "test", validate: (value) => ({ value }) },
};

Deno.test("inputToken() returns the same token for the same part of the request and schema", () => {
  assertEquals(inputToken("Body", schema) === inputToken("Body", schema), true);
  assertEquals(inputToken("Body", schema) === inputToken("Query", schema), false);
  assertEquals(inputToken("Body", schema).Name, "mvc.Body");
});

Deno.test("inputToken() rejects values that are not Standard Schemas", () => {
  const bad = "text" as unknown as StandardSchema;
  assertThrows(() => inputToken("Form", bad), FrameworkError, 'Cannot use "mvc.Form"');
});
