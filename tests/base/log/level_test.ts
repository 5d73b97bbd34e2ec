import { assertEquals, assertThrows } from "@std/assert";
import { DEBUG, DISABLE, ERROR, FATAL, INFO, levelOf, WARN } from "../../../src/base/log/level.ts";

Deno.test("levelOf() finds a level by name and alias, in any case", () => {
  for (
    const [name, level] of [
      ["disable", DISABLE],
      ["disabled", DISABLE],
      ["fatal", FATAL],
      ["error", ERROR],
      ["warn", WARN],
      ["warning", WARN],
      ["Warning", WARN],
      ["INFO", INFO],
      ["Debug", DEBUG],
    ] as const
  ) {
    assertEquals(levelOf(name), level);
  }
});

Deno.test("levelOf() rejects an unknown name and lists the known ones", () => {
  for (const name of ["", "trace", "constructor"]) {
    const error = assertThrows(() => levelOf(name), RangeError);
    assertEquals(
      error.message,
      `Unknown log level "${name}": the levels are "disable", "fatal", "error", "warn", "info", "debug"`,
    );
  }
});
