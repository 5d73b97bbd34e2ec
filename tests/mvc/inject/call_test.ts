import { assertEquals, assertThrows } from "@std/assert";
import { Call, inputsOf, invoke } from "../../../mvc/inject/call.ts";
import { stopped } from "../../../mvc/inject/inject.ts";
import { Scope } from "../../../mvc/inject/scope.ts";
import * as mvc from "../../../mvc/mod.ts";
import type { Method } from "../../../mvc/reflect/controller.ts";
import { FrameworkError } from "../../../src/base/errors/errors.ts";
import type { StandardSchema } from "../../../src/core/accessors/schema.ts";
import { containerOf, TaskWork } from "./task_work.ts";

const name = mvc.Token<string>("name");

/** A method to run, and the source of its arguments. */
interface Job {
  readonly id: number;
}

function newCall(method: (...args: never[]) => unknown, ...dependencies: readonly unknown[]): Call<Job> {
  const container = containerOf(...dependencies);
  const readers = [(job: Job) => job.id];
  return new Call(method as Method, { container, owner: "Jobs", name: "Run", readers });
}

function anything(): StandardSchema<unknown> {
  return { "~standard": { version: 1, vendor: "test", validate: (value) => ({ value }) } };
}

Deno.test("invoke() calls a method with its arguments and dependencies", () => {
  const call = newCall((id: number, of = mvc.Inject(name)) => `${id} ${of}`, mvc.Provide(name, "Ada"));
  call.check();
  const scope = new Scope(new TaskWork());
  assertEquals(invoke(scope, call, {}, call.argumentsOf({ id: 7 })), "7 Ada");
});

Deno.test("invoke() returns a promise only if a dependency is asynchronous", async () => {
  const call = newCall(
    (id: number, of = mvc.Inject(name)) => `${id} ${of}`,
    mvc.Provide(name, mvc.PerRequest(async () => await Promise.resolve("Bob"))),
  );
  call.check();
  const result = invoke(new Scope(new TaskWork()), call, {}, [1]);
  assertEquals(result instanceof Promise, true);
  assertEquals(await result, "1 Bob");
});

Deno.test("invoke() throws `stopped` instead of calling a method whose guard stops the work", () => {
  const work = new TaskWork();
  let calls = 0;
  const guard = mvc.PerRequest(() => {
    work.isStopped = true;
    return "";
  });
  const call = newCall((_id: number, _of = mvc.Inject(name)) => calls++, mvc.Provide(name, guard));
  call.check();
  const error = assertThrows(() => invoke(new Scope(work), call, {}, [1]));
  assertEquals([error === stopped, calls], [true, 0]);
});

Deno.test("invoke() reads typed input from the unit of work", () => {
  const schema = anything();
  const call = newCall((id: number, body = mvc.Body(schema)) => [id, body]);
  assertEquals(inputsOf(call.asks), [{ Kind: "Body", Schema: schema }]);
  call.check();
  assertEquals(invoke(new Scope(new TaskWork({ Body: { n: 1 } })), call, {}, [7]), [7, { n: 1 }]);
});

Deno.test("Call.check() reports the owner and the argument of a missing dependency", () => {
  const call = newCall((_id: number, _of = mvc.Inject(name)) => {});
  assertThrows(
    () => call.check(),
    FrameworkError,
    'Cannot serve "Jobs": argument 2 of "Run" needs the dependency "name"',
  );
  assertEquals(call.label(), "Jobs.Run");
});
