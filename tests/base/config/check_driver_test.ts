import { assertEquals, assertThrows } from "@std/assert";
import { checkDriver } from "../../../src/base/config/check_driver.ts";
import { FrameworkError } from "../../../src/base/errors/errors.ts";

const rule = {
  owner: "the store",
  noun: "client",
  methods: ["send", "inner.Text"],
  line: '`import { a } from "npm:a"`',
};

Deno.test("checkDriver() accepts objects, classes and functions with all methods", () => {
  const inner = { Text: class {} };
  class Client {
    static inner = inner;
    static send(): void {}
    inner = inner;
    send(): void {}
  }
  for (const driver of [{ send() {}, inner }, new Client(), Client]) checkDriver(driver, rule);
});

Deno.test("checkDriver() names the first missing method and shows the import, and never a value", () => {
  const cases: readonly [unknown, string][] = [
    [undefined, 'the client is of type "undefined" and has no method "send"'],
    [null, 'the client is null and has no method "send"'],
    ["redis://user:secret@host", 'the client is of type "string" and has no method "send"'],
    [Promise.resolve(), 'the client is a promise, which needs await, and has no method "send"'],
    [{ send: 1 }, 'the client has no method "send"'],
    [{ send() {} }, 'the client has no method "inner.Text"'],
    [{ send() {}, inner: null }, 'the client has no method "inner.Text"'],
  ];
  for (const [driver, state] of cases) {
    const error = assertThrows(() => checkDriver(driver, rule), FrameworkError);
    const rest = 'pass a client that you import with `import { a } from "npm:a"`';
    assertEquals([error.Code, error.message], ["FW_CONFIG", `Cannot create the store: ${state}; ${rest}`]);
  }
});
