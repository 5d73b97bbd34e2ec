import { assertEquals, assertThrows } from "@std/assert";
import { inputToken } from "../../../mvc/reflect/token.ts";
import { FrameworkError } from "../../../src/errors/errors.ts";
import type { StandardSchema } from "../../../src/accessors/schema.ts";

const schema: StandardSchema<unknown> = {
  "~standard": { version: 1, vendor: "test", validate: (value) => ({ value }) },
};

Deno.test("inputToken() returns one token for each part of the request and schema", () => {
  assertEquals(inputToken("Body", schema) === inputToken("Body", schema), true);
  assertEquals(inputToken("Body", schema) === inputToken("Query", schema), false);
  assertEquals(inputToken("Body", schema).Name, "mvc.Body");
});

Deno.test("inputToken() refuses what is not a Standard Schema", () => {
  const bad = "text" as unknown as StandardSchema;
  assertThrows(() => inputToken("Form", bad), FrameworkError, 'Cannot use "mvc.Form"');
});
