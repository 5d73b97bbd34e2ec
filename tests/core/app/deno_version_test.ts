import { assertEquals, assertThrows } from "@std/assert";
import { FrameworkError } from "../../../src/base/errors/errors.ts";
import { checkDenoVersion } from "../../../src/core/app/deno_version.ts";

Deno.test("checkDenoVersion() accepts the minimum version, newer ones, and the running one", () => {
  for (const version of ["2.9.5", "2.9.6", "2.10.0", "3.0.0", "2.9.5+abc1234", Deno.version.deno]) {
    checkDenoVersion(version);
  }
});

Deno.test("checkDenoVersion() rejects older versions in one line", () => {
  for (const version of ["2.9.4", "2.7.7", "2.4.4", "1.46.3", "2.6.10"]) {
    const error = assertThrows(() => checkDenoVersion(version), FrameworkError);
    assertEquals(error.message, `Cannot run on Deno "${version}": fw requires Deno 2.9.5 or later`);
    assertEquals(error.Code, "FW_RUNTIME");
  }
});
