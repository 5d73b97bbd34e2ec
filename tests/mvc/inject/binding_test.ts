import { assertEquals, assertThrows } from "@std/assert";
import { toBinding } from "../../../mvc/inject/binding.ts";
import * as mvc from "../../../mvc/mod.ts";
import { FrameworkError } from "../../../src/base/errors/errors.ts";
import type { Context } from "../../../src/core/context/context.ts";
import { containerOf } from "./task_work.ts";

class Animal {}
class Dog extends Animal {}

Deno.test("toBinding() infers the lifetime of a function from its parameters", () => {
  const home = containerOf();
  assertEquals(toBinding(home, () => 1).lifetime, "singleton");
  assertEquals(toBinding(home, (_ctx: Context) => 1).lifetime, "request");
  assertEquals(toBinding(home, (_animal = mvc.Inject(Animal)) => 1).lifetime, "singleton");
  assertEquals(toBinding(home, Dog).lifetime, "singleton");
  assertEquals(toBinding(home, mvc.PerRequest(Dog)).lifetime, "request");
  assertThrows(() => toBinding(home, (..._all: unknown[]) => 1), FrameworkError, "register mvc.Singleton(fn)");
});

Deno.test("toBinding() recognizes asynchronous functions and existing values", () => {
  const home = containerOf();
  assertEquals(toBinding(home, async () => await Promise.resolve(1)).isAsync, true);
  const binding = toBinding(home, new Dog());
  assertEquals([binding.isReady, binding.isDiscovered, binding.isPlanned, binding.place], [true, true, true, -1]);
});

Deno.test("toBinding() registers functions and classes in mvc.Value() as values", () => {
  const home = containerOf();
  const token = mvc.Token<() => number>("fn");
  const fn = () => 1;
  assertEquals(toBinding(home, mvc.Provide(token, mvc.Value(fn))).value, fn);
  assertEquals(toBinding(home, mvc.Provide(mvc.Token<typeof Dog>("dog"), mvc.Value(Dog))).value, Dog);
});

Deno.test("toBinding() rejects values without a class and classes whose constructors require arguments", () => {
  const home = containerOf();
  for (const value of ["text", 1, null, {}, [1], mvc.Value("text"), mvc.Value({})]) {
    assertThrows(() => toBinding(home, value), FrameworkError, "no class to serve as its token");
  }
  class Needy {
    constructor(_id: number) {}
  }
  assertThrows(() => toBinding(home, Needy), FrameworkError, "its constructor is called without arguments");
});

Deno.test("Binding.provides() compares tokens, classes and superclasses", () => {
  const home = containerOf();
  assertEquals(toBinding(home, Dog).provides(Animal, Animal), true);
  assertEquals(toBinding(home, Animal).provides(Dog, Dog), false);
  assertEquals(toBinding(home, new Dog()).provides(Animal, Animal), true);
  assertEquals(toBinding(home, () => new Dog()).provides(Dog, Dog), false);
  assertEquals(toBinding(home, mvc.Provide(Animal, Dog)).provides(Animal, Animal), true);
  assertEquals(toBinding(home, new Dog()).provides(undefined, undefined), false);
});
