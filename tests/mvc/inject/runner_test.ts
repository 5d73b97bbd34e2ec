import { assertEquals, assertRejects, assertThrows } from "@std/assert";
import { Call, invoke } from "../../../mvc/inject/call.ts";
import { captive, circular } from "../../../mvc/inject/runner.ts";
import { Scope } from "../../../mvc/inject/scope.ts";
import * as mvc from "../../../mvc/mod.ts";
import type { Method } from "../../../mvc/reflect/controller.ts";
import * as fw from "../../../mod.ts";
import { containerOf, TaskWork } from "./task_work.ts";

const use = mvc.Inject;
const name = mvc.Token<string>("name");

function run(method: (...args: never[]) => unknown, ...dependencies: readonly unknown[]): unknown {
  const call = new Call(method as Method, { container: containerOf(...dependencies), owner: "Task", name: "Run" });
  call.check();
  return invoke(new Scope(new TaskWork()), call, {}, []);
}

Deno.test("Runner creates synchronous dependencies that are not in the plan", () => {
  assertEquals(run(() => use(name), mvc.Provide(name, mvc.PerRequest(() => "Ada"))), "Ada");
  assertEquals(run((of = use(name)) => of, mvc.Provide(name, () => "Bob")), "Bob");
  assertEquals(run(() => mvc.InjectOptional(name) ?? "none"), "none");
});

Deno.test("Runner rejects asynchronous dependencies that are not in the plan, even if the error is caught", async () => {
  const slow = mvc.Provide(name, mvc.PerRequest(async () => await Promise.resolve("Ada")));
  assertThrows(() => run(() => use(name), slow), fw.FrameworkError, 'Cannot inject "name" here in "Task.Run"');
  assertThrows(() => run((of = use(name)) => of, slow), fw.FrameworkError, "Cannot inject");
  function attempt(): string {
    try {
      return use(name);
    } catch {
      return "caught";
    }
  }
  assertThrows(() => run(attempt, slow), fw.FrameworkError, "Cannot inject");
  await assertRejects(
    async () => await run(async () => await Promise.resolve(attempt()), slow),
    fw.FrameworkError,
    "Cannot inject",
  );
});

Deno.test("Runner reports circular dependencies, singletons with per-request values and a missing Context", () => {
  const other = mvc.Token<string>("other");
  assertThrows(
    () =>
      run(
        () => use(name),
        mvc.Provide(name, mvc.PerRequest(() => use(other))),
        mvc.Provide(other, mvc.PerRequest(() => use(name))),
      ),
    fw.FrameworkError,
    'Cannot create "name": circular dependency (name → … → other → name)',
  );
  assertThrows(
    () => run(() => use(name), mvc.Provide(name, () => use(other)), mvc.Provide(other, mvc.PerRequest(() => ""))),
    fw.FrameworkError,
    'Cannot create the singleton "name": it depends on "other"',
  );
  assertThrows(
    () => run((of = mvc.Inject(name)) => of, mvc.Provide(name, (ctx: fw.Context) => ctx.Path())),
    fw.FrameworkError,
    'Cannot create "name": it takes the Context, but this code does not serve a request',
  );
});

Deno.test("circular() and captive() describe the path and the fix", () => {
  assertEquals(circular(["A", "B", "A"]).message, 'Cannot create "A": circular dependency (A → B → A)');
  assertEquals(
    captive("Service", "user", ["Controller", "Service"]).message,
    'Cannot create the singleton "Service": it depends on "user", which is created per request ' +
      '(Controller → Service → user); register mvc.PerRequest(Service), or pass "user" to its methods',
  );
});

Deno.test("Runner says how to inject an asynchronous dependency instead", () => {
  const slow = mvc.Provide(name, mvc.PerRequest(async () => await Promise.resolve("Ada")));
  const error = assertThrows(() => run(() => use(name), slow), fw.FrameworkError);
  assertEquals(
    error.message,
    'Cannot inject "name" here in "Task.Run": it is asynchronous and could not be awaited before "Task.Run" ran; inject ' +
      "it unconditionally and before other dependencies are used, in a field, in a constructor or as a default " +
      "argument written as mvc.Inject(...)",
  );
  assertEquals(error.Code, "FW_DEPENDENCY");
});
