import { assertEquals, assertThrows } from "@std/assert";
import { type Ask, type Asker, noSteps, type Step } from "../../../mvc/inject/binding.ts";
import { checkAsks } from "../../../mvc/inject/check.ts";
import { stopped } from "../../../mvc/inject/inject.ts";
import { planOf } from "../../../mvc/inject/plan.ts";
import { probeConstructor } from "../../../mvc/inject/probe.ts";
import { createSingleton, Scope } from "../../../mvc/inject/scope.ts";
import * as mvc from "../../../mvc/mod.ts";
import type { Run } from "../../../mvc/inject/runner.ts";
import { containerOf, TaskWork } from "./task_work.ts";

/** A class that is constructed with dependencies. */
class Constructed implements Asker {
  readonly home;
  readonly asks: readonly Ask[];
  plan: readonly Step[] = noSteps;
  readonly construct: Run;

  constructor(type: new () => object, ...dependencies: readonly unknown[]) {
    this.home = containerOf(...dependencies);
    this.asks = probeConstructor(type).asks;
    this.construct = () => new type();
    checkAsks(type.name, this);
    this.plan = planOf(this);
  }

  in(scope: Scope): object {
    return scope.run(this, this.construct, undefined, undefined) as object;
  }

  label(): string {
    return "Constructed";
  }
}

function tokens(...names: readonly string[]): mvc.Token<string>[] {
  return names.map((name) => mvc.Token<string>(name));
}

Deno.test("Scope.prepare() returns a promise only if a dependency is asynchronous", async () => {
  const [a = never(), b = never()] = tokens("a", "b");
  class Both {
    a = mvc.Inject(a);
    b = mvc.Inject(b);
  }
  const log: string[] = [];
  const first = mvc.Provide(a, mvc.PerRequest(() => (log.push("a"), "A")));
  const now = new Constructed(Both, first, mvc.Provide(b, mvc.PerRequest(() => "B")));
  assertEquals(now.plan.length, 2);
  const scope = new Scope(new TaskWork());
  assertEquals(scope.prepare(now), undefined);
  assertEquals({ ...now.in(scope) }, { a: "A", b: "B" });
  const later = new Constructed(Both, first, mvc.Provide(b, mvc.PerRequest(() => Promise.resolve("B later"))));
  const other = new Scope(new TaskWork());
  await other.prepare(later);
  assertEquals({ ...later.in(other) }, { a: "A", b: "B later" });
  assertEquals(log, ["a", "a"]);
});

Deno.test("Scope.prepare() stops after a failure, which is thrown where the dependency is injected", async () => {
  for (const isAsync of [false, true]) {
    const [a = never(), b = never(), c = never()] = tokens("a", "b", "c");
    const log: string[] = [];
    const fail = (): string | Promise<string> => {
      if (isAsync) return Promise.reject(new Error("failed"));
      throw new Error("failed");
    };
    class Prepared {
      value: string;
      constructor() {
        try {
          this.value = mvc.Inject(b);
        } catch (error) {
          this.value = (error as Error).message;
        }
        mvc.Inject(c);
      }
    }
    const asker = new Constructed(
      Prepared,
      mvc.Provide(a, mvc.PerRequest(fail)),
      mvc.Provide(b, mvc.PerRequest((of = mvc.Inject(a)) => (log.push("b"), of))),
      mvc.Provide(c, mvc.PerRequest(() => (log.push("c"), ""))),
    );
    const scope = new Scope(new TaskWork());
    await scope.prepare(asker);
    assertEquals(log, []);
    assertEquals({ ...asker.in(scope) }, { value: "failed" });
    assertEquals(log, ["c"]);
  }
});

Deno.test("Scope.prepare() throws `stopped` after a dependency has stopped the work", () => {
  const [a = never(), b = never()] = tokens("a", "b");
  const work = new TaskWork();
  const log: string[] = [];
  class Both {
    a = mvc.Inject(a);
    b = mvc.Inject(b);
  }
  const asker = new Constructed(
    Both,
    mvc.Provide(a, mvc.PerRequest(() => (work.isStopped = true, "a"))),
    mvc.Provide(b, mvc.PerRequest(() => (log.push("b"), "b"))),
  );
  const scope = new Scope(work);
  assertEquals(assertThrows(() => scope.prepare(asker)) === stopped, true);
  assertEquals([scope.isHalted, log], [true, []]);
  scope.close();
  assertEquals([scope.prepare(asker), log], [undefined, ["b"]]);
});

Deno.test("Scope disposes of values at the end of the work in reverse order, and of late ones immediately", async () => {
  const [a = never(), b = never(), c = never()] = ["a", "b", "c"].map((name) => mvc.Token<Disposable>(name));
  const log: string[] = [];
  const late = Promise.withResolvers<Disposable>();
  function resource(name: string): Disposable {
    return { [Symbol.dispose]: () => void log.push(name) };
  }
  class All {
    a = mvc.Inject(a);
    b = mvc.Inject(b);
    c = mvc.Inject(c);
  }
  const asker = new Constructed(
    All,
    mvc.Provide(a, mvc.PerRequest(() => resource("a"))),
    mvc.Provide(b, mvc.PerRequest(async () => await Promise.resolve(resource("b")))),
    mvc.Provide(c, mvc.PerRequest(() => late.promise)),
  );
  const work = new TaskWork();
  const prepared = new Scope(work).prepare(asker);
  await Promise.resolve();
  await new Promise((done) => setTimeout(done));
  await work.end();
  assertEquals(log, ["b", "a"]);
  late.resolve(resource("c"));
  await prepared;
  assertEquals(log, ["b", "a", "c"]);
});

Deno.test("createSingleton() creates a value once for concurrent callers and retries after a failure", async () => {
  const [a = never()] = tokens("a");
  let tries = 0;
  const home = containerOf(mvc.Provide(a, async () => {
    await Promise.resolve();
    if (++tries === 1) throw new Error("not yet");
    return `try ${tries}`;
  }));
  const binding = home.lookup(a) ?? never();
  const both = await Promise.allSettled([createSingleton(binding), createSingleton(binding)]);
  assertEquals(both.map(({ status }) => status), ["rejected", "rejected"]);
  assertEquals(await Promise.all([createSingleton(binding), createSingleton(binding)]), ["try 2", "try 2"]);
  assertEquals([createSingleton(binding), tries], ["try 2", 2]);
});

function never(): never {
  throw new Error("unreachable");
}
