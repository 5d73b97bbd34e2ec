import { assertEquals, assertInstanceOf } from "@std/assert";
import { z } from "npm:zod@^4";
import { Body } from "../../../src/http/body/body.ts";
import { readJSON } from "../../../src/core/accessors/read_input.ts";
import { ValidationError } from "../../../src/core/accessors/validation_error.ts";

function post(body: string, type = "application/json"): Body {
  return new Body(new Request("http://localhost/", { method: "POST", body, headers: { "content-type": type } }));
}

Deno.test("ValidationError.Issues contains the paths of the schema's issues", async () => {
  const schema = z.object({ users: z.array(z.object({ age: z.number() })) });
  const [, error] = await readJSON(post('{"users":[{"age":1},{"age":"x"}]}'), schema);
  assertInstanceOf(error, ValidationError);
  assertEquals(error.Issues.map(({ Path, Pointer }) => [Path, Pointer]), [[["users", 1, "age"], "#/users/1/age"]]);
});
