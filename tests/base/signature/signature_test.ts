import { assertEquals, assertThrows } from "@std/assert";
import * as fw from "../../../mod.ts";
import { parametersOf, Signature } from "../../../src/base/signature/signature.ts";

function namesOf(fn: (...args: never[]) => unknown): string[] | undefined {
  return parametersOf(fn)?.map(({ name, fallback }) => fallback === undefined ? name : `${name} = ${fallback.kind}`);
}

Deno.test("parametersOf() reads a function's source, or the parameters set with Signature()", () => {
  function original(_id = 0n, _name: string): void {}
  function wrapper(...args: unknown[]): unknown {
    return args;
  }
  assertEquals(parametersOf(wrapper)?.map((each) => each.form), ["rest"]);
  assertEquals(Signature(wrapper, original), wrapper);
  assertEquals(namesOf(wrapper), ["_id = bigint", "_name"]);
  function outer(...args: unknown[]): unknown {
    return wrapper(...args);
  }
  assertEquals(namesOf(Signature(outer, wrapper)), ["_id = bigint", "_name"]);
});

Deno.test("Signature() accepts a parameter list as a string", () => {
  function minified(_t = 0n, _e = 0n): void {}
  assertEquals(namesOf(Signature(minified, "(owner = 0n, id = 0n)")), ["owner = bigint", "id = bigint"]);
  assertEquals(namesOf(Signature(minified, " () ")), []);
});

Deno.test("Signature() rejects a string that is not a parameter list, and a function without source text", () => {
  function show(): void {}
  const words = 'Cannot declare the parameters of "show": ';
  for (const text of ["", "owner", "(owner", "show(owner) {}"]) {
    assertThrows(() => Signature(show, text), fw.FrameworkError, `${words}"${text}" is not a parameter list`);
  }
  assertThrows(
    () => Signature(show, show.bind(null)),
    fw.FrameworkError,
    `${words}those of "bound show" are not known`,
  );
});

Deno.test("parametersOf() treats a function that forwards its arguments as variadic", () => {
  const [uses, member, text] = [
    "return function () { return f.apply(this, arguments); }",
    "return function () { return f.arguments + f?.arguments; }",
    "return function () { return 'arguments'; }",
  ].map((source) => new Function(source)() as () => unknown);
  assertEquals(uses && parametersOf(uses)?.map((each) => each.form), ["rest"]);
  assertEquals(member && parametersOf(member), []);
  assertEquals(text && parametersOf(text), []);
});
