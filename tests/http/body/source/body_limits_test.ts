import { assertEquals, assertRejects } from "@std/assert";
import { HTTPError } from "../../../../src/base/errors/errors.ts";
import { Body } from "../../../../src/http/body/body.ts";
import { type BodyLimits, defaultLimits } from "../../../../src/http/body/source/body_limits.ts";
import { field } from "../../../testdata/forms/cases.ts";
import { ways } from "../../../testdata/forms/requests.ts";

const type = "multipart/form-data; boundary=X";

Deno.test("Form limits are distinguished and respond with 413", async () => {
  const limits: BodyLimits = {
    ...defaultLimits,
    postMaxMemory: 1000,
    maxFields: 2,
    maxFormSize: 10,
    maxPartHeaderSize: 60,
  };
  const cases = {
    "it has more than 2 parts": field("a", "1").repeat(3),
    "its fields are larger than 10 bytes": field("a", "x".repeat(6)) + field("a", "x".repeat(5)),
    "the header of a part is larger than 60 bytes": field("a".repeat(50), "1"),
  };
  for (const [state, text] of Object.entries(cases)) {
    for (const request of Object.values(ways)) {
      const error = await assertRejects(() => new Body(request(`${text}--X--`, type), limits).form(), HTTPError);
      assertEquals([error.Status, error.Code], [413, "FW_LIMIT"]);
      assertEquals(error.message, `Cannot read the multipart form: ${state}`);
    }
  }
});
