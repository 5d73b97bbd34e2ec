import { assertThrows } from "@std/assert";
import { Party } from "../../src/app/party.ts";
import { FrameworkError } from "../../src/base/errors.ts";

// Without mod.ts, which loads the controllers too.
Deno.test("Party.ConfigureContainer() says which module it needs where that is not loaded", () => {
  assertThrows(
    () => new Party().ConfigureContainer(),
    FrameworkError,
    'Cannot configure a container: import "@fw/web/mvc" to have dependencies',
  );
});
