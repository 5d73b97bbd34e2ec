import { assert, assertEquals, assertRejects, assertThrows } from "@std/assert";
import * as fw from "@fw/web";
import * as jobs from "@fw/web/jobs";
import * as mvc from "@fw/web/mvc";
import { z } from "npm:zod@^4";

/** Creates a queue in memory with a clock that can be set. */
function setup(config: jobs.Options = {}): { queue: jobs.Queue; clock: { now: number } } {
  const clock = { now: Date.UTC(2026, 0, 5, 7) };
  const Logger = new fw.Logger().SetLevel("disable");
  const queue = jobs.New(jobs.NewMemory(), { Clock: () => clock.now, Logger, ...config });
  return { queue, clock };
}

class Remind {
  static readonly Schema = z.object({ to: z.email(), times: z.coerce.number().default(1) });
  static readonly seen: unknown[] = [];
  Run(data: z.output<typeof Remind.Schema>, ctx: jobs.Context) {
    Remind.seen.push([data, ctx.Attempt]);
    return { sent: data.times };
  }
}

Deno.test("Queue.Add() stores a job that Drain() runs, and its result can be read", async () => {
  const { queue } = setup();
  queue.Handle(Remind);
  const { ID, IsNew } = await queue.Add(Remind, { to: "ada@example.com" });
  assertEquals(IsNew, true);
  assertEquals((await queue.Get(ID))?.State, "waiting");
  assertEquals(await queue.Drain(), 1);
  assertEquals(Remind.seen.splice(0), [[{ to: "ada@example.com", times: 1 }, 1]]);
  const job = await queue.Get(ID);
  assertEquals([job?.State, job?.Result, job?.Data], ["done", { sent: 1 }, { to: "ada@example.com" }]);
});

Deno.test("Queue.Add() rejects invalid data, names and options", async () => {
  const { queue } = setup();
  const data = { to: "ada@example.com" };
  // @ts-expect-error The type of the data is known.
  await assertRejects(() => queue.Add(Remind, { to: 1 }), fw.ValidationError);
  await assertRejects(() => queue.Add(Remind, { to: "nobody" }), fw.ValidationError);
  await assertRejects(() => queue.Add(() => {}), Error, "Cannot use a job without a name");
  await assertRejects(() => queue.Add(Remind, data, { In: -1 }), Error, '"In"');
  await assertRejects(() => queue.Add(Remind, data, { At: new Date(NaN) }), Error, "At is not a valid time");
  await assertRejects(() => queue.Add(Remind, data, { MaxAttempts: 0 }), Error, '"MaxAttempts"');
  await assertRejects(() => queue.Add(Remind, data, { Key: "" }), Error, "must not be empty");
  await assertRejects(() => queue.Add(Remind, data, { KeyFor: 5 }), Error, "KeyFor requires a Key");
  await assertRejects(() => queue.Add(Remind, data, { Delay: 5 } as jobs.AddOptions), Error, "no such option");
  assertThrows(() => queue.In(undefined), Error, "none was passed");
  assertEquals(await queue.List(), []);
});

Deno.test("Queue.Add() passes data without loss", async () => {
  const { queue } = setup();
  const seen: unknown[] = [];
  const keep = (data: unknown) => void seen.push(data);
  queue.Handle(keep);
  const all = [undefined, null, 0, "", "Ünï\u0000", [1, [2]], { a: { b: null } }, 12345678901234567890n];
  for (const data of all) await queue.Add(keep, data);
  await queue.Drain();
  assertEquals(seen, all);
});

Deno.test("Queue.Add() delays a job by In or until At", async () => {
  const { queue, clock } = setup();
  const seen: string[] = [];
  const note = (name: string) => void seen.push(name);
  queue.Handle(note);
  await queue.Add(note, "in", { In: 1_000 });
  await queue.Add(note, "at", { At: new Date(clock.now + 500) });
  assertEquals(await queue.Drain(), 0);
  clock.now += 500;
  assertEquals([await queue.Drain(), seen], [1, ["at"]]);
  clock.now += 500;
  assertEquals([await queue.Drain(), seen], [1, ["at", "in"]]);
});

Deno.test("Queue.Handle() takes classes, functions and definitions, and injects dependencies once per job", async () => {
  const log: string[] = [];
  class Database {
    static count = 0;
    readonly id = ++Database.count;
    [Symbol.dispose]() {
      log.push(`close ${this.id}`);
    }
  }
  class Service {
    database = mvc.Inject(Database);
  }
  class Save {
    #service = mvc.Inject(Service);
    async Run(data: string, _ctx: jobs.Context, database = mvc.Inject(Database)) {
      await Promise.resolve();
      log.push(`${data} ${database.id} ${this.#service.database === database}`);
    }
  }
  async function load(data: string, ctx: jobs.Context, database = mvc.Inject(Database)) {
    await Promise.resolve();
    log.push(`${data} ${database.id} ${ctx.Name}`);
  }
  const check = jobs.Define("check", z.string(), (data) => void log.push(data));
  const { queue } = setup({ Concurrency: 1 });
  queue.Register(mvc.PerRequest(Database), mvc.PerRequest(Service)).Handle(Save, load, check);
  await queue.Add(Save, "a");
  await queue.Add(load, "b");
  await queue.Add(Save, "c");
  await queue.Add(check, "d");
  await queue.Drain();
  // The constructors also run once to find their dependencies.
  const first = Database.count - 2;
  const [a, b, c] = [first, first + 1, first + 2];
  assertEquals(log, [`a ${a} true`, `close ${a}`, `b ${b} load`, `close ${b}`, `c ${c} true`, `close ${c}`, "d"]);
});

Deno.test("Queue.Handle() rejects jobs that cannot run", async () => {
  const { queue } = setup();
  assertThrows(() => queue.Handle(class Empty {} as unknown as jobs.Job), Error, 'no method "Run"');
  assertThrows(() => queue.Handle(function many(_a: never, _b: jobs.Context, _c: never) {}), Error, "parameters");
  queue.Handle(Remind);
  assertThrows(() => queue.Handle(Remind), Error, "same name");
  const other = { Remind() {} }.Remind;
  await assertRejects(() => queue.Add(other), Error, "another job with the same name");
  class Missing {}
  class Needs {
    missing = mvc.Inject(Missing);
    Run() {}
  }
  queue.Handle(Needs);
  await assertRejects(() => queue.Drain(), Error, 'needs the dependency "Missing"');
});

Deno.test("Queue retries a failed job with its back-off until the limit, and keeps it", async () => {
  const failures: string[] = [];
  const { queue, clock } = setup({ MaxAttempts: 3, Backoff: (attempt) => attempt * 1_000 });
  queue.OnFailed((job, error) => void failures.push(`${job.Name} ${job.Attempt} ${error.message}`));
  const attempts: number[] = [];
  function fail(_data: unknown, ctx: jobs.Context) {
    attempts.push(ctx.Attempt);
    throw new Error(`no ${ctx.IsLastAttempt}`);
  }
  queue.Handle(fail);
  const { ID } = await queue.Add(fail);
  const steps: number[] = [];
  for (const time of [0, 999, 1, 1_999, 1, 60_000]) {
    clock.now += time;
    steps.push(await queue.Drain());
  }
  assertEquals([steps, attempts], [[1, 0, 1, 0, 1, 0], [1, 2, 3]]);
  assertEquals(failures, ["fail 3 no true"]);
  const [job] = await queue.List({ State: "failed" });
  assertEquals([job?.ID, job?.Attempt, job?.Error?.includes("no true")], [ID, 3, true]);
  assertEquals(await queue.Retry(ID), 1);
  assertEquals(await queue.Drain(), 1);
  assertEquals(attempts, [1, 2, 3, 1]);
  assertEquals(await queue.Cancel(ID), 1);
  assertEquals([await queue.Delete(ID), await queue.Get(ID)], [1, null]);
});

Deno.test("FullJitter() returns random delays below a bound that doubles", () => {
  const backoff = jobs.FullJitter(100, 1_000);
  for (const [attempt, bound] of [[1, 100], [2, 200], [4, 800], [9, 1_000]] as const) {
    const delays = Array.from({ length: 200 }, () => backoff(attempt));
    assert(delays.every((delay) => delay >= 0 && delay <= bound));
    assert(Math.max(...delays) > bound * 0.8 && Math.min(...delays) < bound * 0.2);
  }
});

Deno.test("PermanentError fails a job without further attempts", async () => {
  const { queue } = setup();
  function refuse() {
    throw new jobs.PermanentError("gone");
  }
  queue.Handle(refuse);
  const { ID } = await queue.Add(refuse);
  await queue.Drain();
  assertEquals((await queue.Get(ID))?.State, "failed");
});

Deno.test("Queue fails a job whose error has an unusual stack or none that can be read", async () => {
  const { queue } = setup({ MaxAttempts: 1 });
  const stacks = [{ value: 5 }, { get: () => fail(0) }];
  function fail(i: number): never {
    throw Object.defineProperty(new Error("no"), "stack", stacks[i] as PropertyDescriptor);
  }
  await queue.Handle(fail).AddAll(fail, [0, 1]);
  assertEquals(await queue.Drain(), 2);
  const errors = (await queue.List({ State: "failed" })).map((job) => job.Error);
  assertEquals(errors, ["An error that cannot be shown", "5"]);
});

Deno.test("Queue runs jobs by priority, then time", async () => {
  const { queue, clock } = setup({ Concurrency: 1 });
  const seen: string[] = [];
  const note = (name: string) => void seen.push(name);
  queue.Handle(note);
  await queue.Add(note, "later");
  await queue.Add(note, "earlier", { At: clock.now - 5 });
  await queue.Add(note, "urgent", { Priority: 1 });
  await queue.Add(note, "idle", { Priority: -1, At: clock.now - 9 });
  await queue.Drain();
  assertEquals(seen, ["urgent", "earlier", "later", "idle"]);
});

Deno.test("Queue.Add() adds one job per key while it waits, or for a period", async () => {
  const { queue, clock } = setup();
  const keys: string[] = [];
  const note = (_data: unknown, ctx: jobs.Context) => void keys.push(ctx.Key);
  queue.Handle(note);
  const first = await queue.Add(note, null, { Key: "a" });
  assertEquals(await queue.Add(note, null, { Key: "a" }), { ID: first.ID, IsNew: false });
  await queue.Drain();
  assertEquals((await queue.Add(note, null, { Key: "a" })).IsNew, true);
  const daily = await queue.Add(note, null, { Key: "b", KeyFor: 1_000 });
  await queue.Drain();
  clock.now += 999;
  assertEquals(await queue.Add(note, null, { Key: "b", KeyFor: 1_000 }), { ID: daily.ID, IsNew: false });
  clock.now += 1;
  assertEquals((await queue.Add(note, null, { Key: "b", KeyFor: 1_000 })).IsNew, true);
  const unnamed = await queue.Add(note);
  await queue.Drain();
  assertEquals(keys, ["a", "a", "b", "b", unnamed.ID]);
});

Deno.test("Queue.Drain() runs jobs with times that have fractions or are very long", async () => {
  function fail(): never {
    throw new jobs.PermanentError("no");
  }
  function work(): void {}
  const long = Number.MAX_SAFE_INTEGER;
  for (const time of [0.5, 1000 / 3, long, Number.MAX_VALUE]) {
    const { queue } = setup({ KeepDone: time + 1, KeepFailed: time, Lease: 10_000 / 3 });
    const { ID } = await queue.Handle(fail, work).Add(fail, undefined, { Key: "a", KeyFor: time });
    await queue.Add(work, undefined, { In: time });
    await queue.Add(work);
    assertEquals([await queue.Drain(), (await queue.Get(ID))?.State], [2, "failed"]);
    assertEquals((await queue.List()).length, 3);
    assertEquals(await queue.RunNow({}), 1);
  }
});

Deno.test("Queue.Use() runs around every job", async () => {
  const { queue } = setup();
  const log: string[] = [];
  queue.Use(async (ctx, next) => {
    log.push(`begin ${ctx.Name}`);
    const result = await next();
    log.push(`end ${result}`);
    return `${result}!`;
  });
  const greet = (name: string) => `hello ${name}`;
  queue.Handle(greet);
  const { ID } = await queue.Add(greet, "ada");
  await queue.Drain();
  assertEquals([log, (await queue.Get(ID))?.Result], [["begin greet", "end hello ada"], "hello ada!"]);
});

Deno.test("Queue.Drain() also runs jobs that jobs add", async () => {
  const { queue } = setup();
  let runs = 0;
  async function countdown(n: number) {
    runs++;
    if (n > 0) await queue.Add(countdown, n - 1);
  }
  queue.Handle(countdown);
  await queue.Add(countdown, 3);
  assertEquals([await queue.Drain(), runs], [4, 4]);
});

Deno.test("New() rejects invalid options", () => {
  const invalid: jobs.Options[] = [
    { Name: "" },
    { Concurrency: 0 },
    { Concurrency: 1.5 },
    { MaxAttempts: 0 },
    { Lease: 0 },
    { Rate: { Limit: 0, Period: 5 } },
    { PerGroup: { MaxRunning: 0 } },
    { KeepDone: NaN },
    { Speed: 5 } as jobs.Options,
  ];
  for (const config of invalid) assertThrows(() => jobs.New(jobs.NewMemory(), config), Error, "Cannot use the option");
});

Deno.test("Queue.Shutdown() disposes of the dependencies that the queue created, and they are created again", async () => {
  const log: string[] = [];
  function database(): Disposable {
    log.push("opened");
    return { [Symbol.dispose]: () => void log.push("closed") };
  }
  function work(_data: { id: number }, _ctx: jobs.Context, _database = mvc.Inject(database)): void {
    log.push("worked");
  }
  const queue = jobs.New(jobs.NewMemory()).Register(database).Handle(work);
  for (let id = 1; id <= 2; id++) {
    await queue.Add(work, { id });
    await queue.Drain();
    await queue.Shutdown();
    assertEquals(log.splice(0), ["opened", "worked", "closed"]);
  }
});

Deno.test("Queue.Drain() and Run() reject a job that depends on the context of a request", async () => {
  const user = (ctx: fw.Context) => ctx.GetHeader("x-user");
  const indirect = (_name = mvc.Inject(user)) => 1;
  const queue = jobs.New(jobs.NewMemory()).Register(user, mvc.PerRequest(indirect));
  queue.Handle(function greet(_data: undefined, _ctx: jobs.Context, _one = mvc.Inject(indirect)) {});
  await assertRejects(() => queue.Drain(), fw.FrameworkError, "needs the context of a request");
  await assertRejects(() => queue.Run(), fw.FrameworkError, "needs the context of a request");
});

Deno.test("Queue.Drain() and the start of an application reject a class that injects the context of a request", async () => {
  class Greet {
    readonly ctx = mvc.Inject(fw.Context);
    Run(): void {}
  }
  class Ask {
    readonly request = mvc.InjectOptional(Request);
    Run(): void {}
  }
  for (const job of [Greet, Ask]) {
    const queue = jobs.New(jobs.NewMemory()).Handle(job);
    await assertRejects(() => queue.Drain(), fw.FrameworkError, "needs the context of a request");
    const [app, inner] = [fw.New(), fw.New()];
    app.Mount("/inner", inner);
    queue.RunWith(inner);
    await assertRejects(async () => await app.Build(), fw.FrameworkError, "needs the context of a request");
  }
});
