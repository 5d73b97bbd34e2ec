import { assertEquals } from "@std/assert";
import type { Home, Step } from "../../../mvc/inject/binding.ts";
import { planOf } from "../../../mvc/inject/plan.ts";
import { probeConstructor } from "../../../mvc/inject/probe.ts";
import * as mvc from "../../../mvc/mod.ts";
import type { Context } from "../../../src/core/context/context.ts";
import { containerOf } from "./task_work.ts";

function a(_ctx: Context): string {
  return "a";
}
function b(_ctx: Context, of = mvc.Inject(a)): string {
  return `b${of}`;
}
function c(_ctx: Context, first = mvc.Inject(b), second = mvc.Inject(a)): string {
  return `c${first}${second}`;
}

function plan(type: new () => object, home: Home): readonly Step[] {
  return planOf({ asks: probeConstructor(type).asks, home });
}

/** Formats each step with the steps it needs and the step to continue with after a failure. */
function shown(steps: readonly Step[]): string[] {
  return steps.map(({ binding, needs, failsTo }) => `${binding.label()} [${needs}] !${failsTo}`);
}

Deno.test("planOf() lists each dependency once, in source order, after the ones it needs", () => {
  class Controller {
    c = mvc.Inject(c);
    a = mvc.Inject(a);
  }
  assertEquals(shown(plan(Controller, containerOf(a, b, c))), ["a [] !1", "b [0] !2", "c [1,0] !3"]);
});

Deno.test("planOf() omits existing values, the values of every request, and missing optional dependencies", () => {
  class Cache {}
  class Controller {
    cache = mvc.Inject(Cache);
    request = mvc.Inject(Request);
    name = mvc.InjectOptional(mvc.Token<string>("name"));
  }
  assertEquals(plan(Controller, containerOf(new Cache())), []);
});

Deno.test("planOf() puts the dependencies of adjacent parallel dependencies before the first of them", () => {
  function other(_ctx: Context, of = mvc.Inject(a)): string {
    return of;
  }
  function first(_ctx: Context): string {
    return "first";
  }
  class Controller {
    first = mvc.Inject(first);
    other = mvc.Inject(other);
  }
  const home = containerOf(a, mvc.Parallel(first), mvc.Parallel(other));
  assertEquals(shown(plan(Controller, home)), ["a [] !1", "first [] !3", "other [0] !3"]);
});

Deno.test("planOf() lists the singletons that may be instances of an injected class", () => {
  class Database {}
  class Controller {
    database = mvc.Inject(Database);
  }
  async function open() {
    return await Promise.resolve(new Database());
  }
  assertEquals(shown(plan(Controller, containerOf(open))), ["open [] !1"]);
});
