import { assert, assertEquals } from "@std/assert";
import * as fw from "@fw/web";
import * as jobs from "@fw/web/jobs";
import * as mvc from "@fw/web/mvc";

/** Runs a queue in memory while a function uses it. */
async function running(
  config: jobs.Options,
  prepare: (queue: jobs.Queue) => void,
  use: (queue: jobs.Queue, store: jobs.Store) => Promise<void>,
): Promise<void> {
  const store = jobs.NewMemory();
  const Logger = new fw.Logger().SetLevel("disable");
  const queue = jobs.New(store, { Logger, ...config });
  prepare(queue);
  const ended = queue.Run();
  try {
    await use(queue, store);
  } finally {
    await queue.Shutdown();
    await ended;
  }
}

/** Waits until a job has a state. */
async function until(queue: jobs.Queue, id: string, state: jobs.JobState): Promise<jobs.JobInfo> {
  for (;;) {
    const job = await queue.Get(id);
    if (job?.State === state) return job;
    await new Promise((resolve) => setTimeout(resolve, 2));
  }
}

Deno.test("Queue.Run() runs jobs as they are added, due and retried", async () => {
  let runs = 0;
  function twice() {
    if (++runs % 2 === 1) throw new Error("once more");
    return runs;
  }
  await running({ Backoff: () => 10 }, (queue) => queue.Handle(twice), async (queue) => {
    const now = await queue.Add(twice);
    assertEquals((await until(queue, now.ID, "done")).Result, 2);
    const later = await queue.Add(twice, undefined, { In: 30 });
    assertEquals((await until(queue, later.ID, "done")).Attempt, 2);
  });
});

Deno.test("Queue.Run() never runs more jobs at once than allowed, in one process and by group", async () => {
  let now = 0;
  let most = 0;
  const groups = new Map<string, number>();
  let mostOfGroup = 0;
  async function work(group: string) {
    most = Math.max(most, ++now);
    groups.set(group, (groups.get(group) ?? 0) + 1);
    mostOfGroup = Math.max(mostOfGroup, groups.get(group) ?? 0);
    await new Promise((resolve) => setTimeout(resolve, 2));
    groups.set(group, (groups.get(group) ?? 0) - 1);
    now--;
  }
  await running({ Concurrency: 4, PerGroup: { MaxRunning: 2 } }, (queue) => queue.Handle(work), async (queue) => {
    const added = [];
    for (let i = 0; i < 30; i++) added.push(await queue.Add(work, `g${i % 3}`, { Group: `g${i % 3}` }));
    for (const { ID } of added) await until(queue, ID, "done");
  });
  assertEquals([most, mostOfGroup], [4, 2]);
});

Deno.test("Queue.Run() never starts more jobs within a period than allowed", async () => {
  const starts: number[] = [];
  const work = () => void starts.push(performance.now());
  await running({ Rate: { Limit: 3, Period: 500 } }, (queue) => queue.Handle(work), async (queue) => {
    const added = [];
    for (let i = 0; i < 10; i++) added.push(await queue.Add(work));
    for (const { ID } of added) await until(queue, ID, "done");
  });
  // The store counts the time of the claim. On a busy machine, a job starts a little later.
  for (let i = 3; i < starts.length; i++) assert((starts[i] ?? 0) - (starts[i - 3] ?? 0) > 250);
});

Deno.test("Context.Progress() can be read while the job runs", async () => {
  const { promise, resolve } = Promise.withResolvers<void>();
  async function work(_data: unknown, ctx: jobs.Context) {
    await ctx.Progress({ done: 1, of: 2 });
    await promise;
  }
  await running({}, (queue) => queue.Handle(work), async (queue) => {
    const { ID } = await queue.Add(work);
    await until(queue, ID, "running");
    let progress: unknown = null;
    while (progress === null) progress = (await queue.Get(ID))?.Progress ?? null;
    assertEquals(progress, { done: 1, of: 2 });
    resolve();
    assertEquals((await until(queue, ID, "done")).Progress, { done: 1, of: 2 });
  });
});

const reasons: string[] = [];

/** Runs until its signal is aborted, and notes the reason. */
async function obey(_data: unknown, ctx: jobs.Context): Promise<void> {
  const { promise, reject } = Promise.withResolvers<void>();
  ctx.Signal.addEventListener("abort", () => {
    reasons.push(ctx.Signal.reason.message);
    reject(ctx.Signal.reason);
  });
  await promise;
}

/** Waits forever. */
async function ignore(_data: unknown, _ctx: jobs.Context): Promise<void> {
  await new Promise(() => {});
}

Deno.test("Queue.Cancel() aborts a running job, also from another queue on the store", async () => {
  await running({ Lease: 300 }, (queue) => queue.Handle(obey), async (queue, store) => {
    for (const other of [queue, jobs.New(store)]) {
      const { ID } = await queue.Add(obey);
      await until(queue, ID, "running");
      assertEquals(await other.Cancel(ID), 1);
      await until(queue, ID, "canceled");
    }
    assertEquals(reasons.splice(0), ["The job was canceled", "The job was canceled"]);
    const waiting = await queue.Add(obey, null, { In: 60_000 });
    await queue.Cancel(waiting.ID);
    assertEquals((await queue.Get(waiting.ID))?.State, "canceled");
  });
});

Deno.test("Queue.Run() renews the lease of a long job, and aborts it if the lease is lost", async () => {
  await running({ Lease: 900 }, (queue) => queue.Handle(obey), async (queue, store) => {
    const { ID } = await queue.Add(obey);
    const { LeaseUntil } = await until(queue, ID, "running");
    let renewed = await queue.Get(ID);
    while ((renewed?.LeaseUntil ?? 0) <= (LeaseUntil ?? 0)) {
      await new Promise((resolve) => setTimeout(resolve, 2));
      renewed = await queue.Get(ID);
    }
    assertEquals([renewed?.State, renewed?.Attempt, renewed?.Token], ["running", 1, 1]);
    // Another process takes over, as if this one had been suspended.
    const Now = Date.now() + 60_000;
    const claim = { Queue: "default", Names: ["obey"], Count: 1, Limits: {}, GroupLimits: {} };
    const { Jobs: [taken] } = await store.Claim({ ...claim, Now, LeaseUntil: Now + 60_000 });
    assertEquals([taken?.ID, taken?.Token], [ID, 2]);
    // The first process aborts the job, and no longer changes it.
    while (reasons.length === 0) await new Promise((resolve) => setTimeout(resolve, 2));
    assertEquals((await queue.Get(ID))?.State, "running");
    assertEquals((await queue.Get(ID))?.Token, 2);
    assertEquals(reasons.splice(0), ["The lease was lost: another process may run the job"]);
  });
});

Deno.test("Queue.Run() fails an attempt that takes too long", async () => {
  await running({ Timeout: 20, MaxAttempts: 1 }, (queue) => queue.Handle(obey), async (queue) => {
    const { ID } = await queue.Add(obey);
    const { Error: error } = await until(queue, ID, "failed");
    assert(error?.includes("takes too long"));
    assertEquals(reasons.splice(0), ["The attempt takes too long"]);
  });
});

Deno.test("Queue.Run() does not count a job as done if its handler returns because of its signal", async () => {
  async function yieldTo(_data: unknown, { Signal }: jobs.Context): Promise<void> {
    await new Promise((resolve) => Signal.addEventListener("abort", resolve));
  }
  await running({ Timeout: 20, MaxAttempts: 1 }, (queue) => queue.Handle(yieldTo), async (queue) => {
    await until(queue, (await queue.Add(yieldTo)).ID, "failed");
  });
  await running({}, (queue) => queue.Handle(yieldTo), async (queue) => {
    const { ID } = await queue.Add(yieldTo);
    await until(queue, ID, "running");
    await queue.Cancel(ID);
    await until(queue, ID, "canceled");
  });
  const queue = jobs.New(jobs.NewMemory(), { ShutdownTimeout: 0 }).Handle(yieldTo);
  const { ID } = await queue.Add(yieldTo);
  const ended = queue.Run();
  await until(queue, ID, "running");
  await queue.Shutdown();
  await ended;
  const job = await queue.Get(ID);
  assertEquals([job?.State, job?.Attempt], ["waiting", 0]);
});

Deno.test("Queue.Shutdown() finishes what it can, and gives back the rest at once", async () => {
  const { promise, resolve } = Promise.withResolvers<void>();
  const finish = async () => await promise;
  const store = jobs.NewMemory();
  const queue = jobs.New(store, { ShutdownTimeout: 100 }).Handle(finish, obey, ignore);
  const added = [await queue.Add(finish), await queue.Add(obey), await queue.Add(ignore)];
  const ended = queue.Run();
  for (const { ID } of added) await until(queue, ID, "running");
  const stopping = queue.Shutdown();
  const late = await queue.Add(finish);
  resolve();
  await stopping;
  await ended;
  const states = await Promise.all([...added, late].map(async ({ ID }) => {
    const job = await queue.Get(ID);
    return [job?.State, job?.Attempt];
  }));
  assertEquals(reasons.splice(0), ["The process is shutting down"]);
  assertEquals(states, [["done", 1], ["waiting", 0], ["waiting", 0], ["waiting", 0]]);
  // Nothing has to wait for a lease.
  const again = jobs.New(store).Handle(finish);
  assertEquals(await again.Drain(), 1);
});

/** Returns a store that is unavailable while the property of an object is set. */
function unavailable(state: { isDown: boolean }): jobs.Store {
  return new Proxy(jobs.NewMemory(), {
    get(target, name) {
      const method = Reflect.get(target, name) as ((...args: unknown[]) => unknown) | undefined;
      if (method === undefined) return undefined;
      return (...args: unknown[]) => {
        if (state.isDown && ["Claim", "Finish", "FinishAndClaim", "Renew"].includes(String(name))) {
          throw new Error("down");
        }
        return method.apply(target, args);
      };
    },
  });
}

Deno.test("Queue.Run() survives a store that is unavailable, and logs it once", async () => {
  const state = { isDown: true };
  const lines: string[] = [];
  const Logger = new fw.Logger().SetOutput((line) => lines.push(line));
  const work = () => {
    state.isDown = true;
    setTimeout(() => state.isDown = false, 80);
  };
  const queue = jobs.New(unavailable(state), { Logger }).Handle(work);
  const ended = queue.Run();
  const { ID } = await queue.Add(work);
  setTimeout(() => state.isDown = false, 80);
  await until(queue, ID, "done");
  await queue.Shutdown();
  await ended;
  assertEquals(lines.filter((line) => line.includes("Cannot use the job store")).length, 2);
  assertEquals(lines.filter((line) => line.includes("available again")).length, 2);
});

Deno.test("Queue.Run() logs an outage at the end of a long job once, and its end when it has ended", async () => {
  const state = { isDown: false };
  const lines: string[] = [];
  const Logger = new fw.Logger().SetOutput((line) => lines.push(line.includes("again") && !state.isDown ? "up" : line));
  const work = async () => {
    // The worker waits for the job.
    await new Promise((resolve) => setTimeout(resolve, 50));
    state.isDown = true;
    setTimeout(() => state.isDown = false, 300);
  };
  const queue = jobs.New(unavailable(state), { Logger }).Handle(work);
  const ended = queue.Run();
  const { ID } = await queue.Add(work);
  await until(queue, ID, "done");
  await queue.Shutdown();
  await ended;
  assertEquals(lines.map((line) => line.includes("Cannot use the job store") ? "down" : line), ["down", "up"]);
});

Deno.test("Context.Logger() adds the job to each line", async () => {
  const lines: string[] = [];
  const Logger = new fw.Logger().SetOutput((line) => lines.push(line)).SetTimeFormat("");
  const log = (_data: unknown, ctx: jobs.Context) => ctx.Logger().Info("packed");
  const queue = jobs.New(jobs.NewMemory(), { Logger }).Handle(log);
  const { ID } = await queue.Add(log);
  await queue.Drain();
  assertEquals(lines, [`[INFO] packed queue=default job=log job_id=${ID} attempt=1`]);
});

Deno.test("Queue.RunWith() runs with an application, with its dependencies, logger and observers", async () => {
  class Counter {
    count = 0;
    [Symbol.dispose]() {
      log.push("dispose");
    }
  }
  const log: string[] = [];
  const { promise: failed, resolve: fail } = Promise.withResolvers<string>();
  class Count {
    #counter = mvc.Inject(Counter);
    async Run(data: string) {
      this.#counter.count++;
      if (data === "fail") throw new Error("Disk full");
      if (data === "slow") {
        slow.resolve();
        await new Promise((resolve) => setTimeout(resolve, 30));
        log.push("slow job ended");
      }
    }
  }
  const slow = Promise.withResolvers<void>();
  const app = fw.New();
  app.Logger().SetLevel("disable");
  app.OnError((ctx, error) => fail(`${ctx.Method()} ${ctx.Path()} ${error.message}`));
  app.RegisterOnShutdown(() => void log.push("shutdown task"));
  const queue = jobs.New(jobs.NewMemory(), { MaxAttempts: 1 }).Handle(Count).RunWith(
    mvc.New(app).Register(mvc.Singleton(Counter)).Handle(
      class HomeController {
        #counter = mvc.Inject(Counter);
        Get() {
          return `${this.#counter.count}`;
        }
      },
    ),
  );
  const early = await queue.Add(Count, "early");
  assertEquals((await queue.Get(early.ID))?.State, "waiting");
  const { promise: listening, resolve: listen } = Promise.withResolvers<number>();
  const ended = app.Run(fw.Addr("127.0.0.1:0"), fw.WithOnListen((address) => listen((address as Deno.NetAddr).port)));
  const port = await listening;
  await until(queue, early.ID, "done");
  assertEquals(await (await fetch(`http://127.0.0.1:${port}/`)).text(), "1");
  const { ID } = await queue.Add(Count, "fail");
  assertEquals(await failed, `JOB /jobs/default/Count/${ID} Disk full`);
  const last = await queue.Add(Count, "slow");
  await slow.promise;
  await app.Shutdown();
  await ended;
  assertEquals((await queue.Get(last.ID))?.State, "done");
  assertEquals(log, ["slow job ended", "shutdown task", "dispose"]);
});

Deno.test("Queue.Run() starts other jobs while the ends of jobs are written, up to twice its concurrency", async () => {
  const memory = jobs.NewMemory();
  const written = Promise.withResolvers<void>();
  const store = new Proxy(memory, {
    get(target, name) {
      // The claim must not wait for the write, as with a store that cannot do both in one step.
      if (name === "FinishAndClaim") return undefined;
      const member: unknown = Reflect.get(target, name, target);
      if (typeof member !== "function") return member;
      if (name !== "Finish") return member.bind(target);
      return async (...args: unknown[]) => {
        await written.promise;
        return member.apply(target, args);
      };
    },
  });
  let [started, running, most] = [0, 0, 0];
  const [four, ten] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  async function work(_: number): Promise<void> {
    most = Math.max(most, ++running);
    await new Promise((resolve) => setTimeout(resolve, 1));
    running--;
    if (++started === 4) four.resolve();
    if (started === 10) ten.resolve();
  }
  const queue = jobs.New(store, { Concurrency: 2 }).Handle(work);
  await queue.AddAll(work, Array.from({ length: 10 }, (_, i) => i));
  const ended = queue.Run();
  await four.promise;
  await queue.Stats();
  assertEquals([started, most], [4, 2]);
  written.resolve();
  await ten.promise;
  await queue.Shutdown();
  await ended;
  assertEquals([started, most, (await queue.Stats()).Running], [10, 2, 0]);
});

Deno.test("Queue.Run() claims with the end of the last jobs, and misses none that is added meanwhile", async () => {
  const store = jobs.NewMemory();
  let calls = 0;
  Object.assign(store, {
    async FinishAndClaim(endings: jobs.Ending[], request: jobs.ClaimRequest): Promise<jobs.FinishedAndClaimed> {
      const Finished = await store.Finish(endings, request.Now);
      const Claimed = await store.Claim(request);
      // A job that is added after the claim, but before its outcome is known.
      if (++calls === 1) await queue.Add(work, "last");
      await new Promise((resolve) => setTimeout(resolve, 5));
      return { Finished, Claimed };
    },
  });
  const Logger = new fw.Logger().SetLevel("disable");
  const queue = jobs.New(store, { Logger, Concurrency: 2, PollEvery: 600_000, MaxRunning: 2 });
  const { promise, resolve } = Promise.withResolvers<void>();
  const ran: string[] = [];
  let [now, most] = [0, 0];
  async function work(name: string) {
    most = Math.max(most, ++now);
    await new Promise((resolve) => setTimeout(resolve, 1));
    now--;
    if (ran.push(name) === 8) resolve();
  }
  await queue.Handle(work).AddAll(work, ["a", "b", "c", "d", "e", "f", "g"]);
  const ended = queue.Run();
  await promise;
  await queue.Shutdown();
  await ended;
  assertEquals(ran.sort(), ["a", "b", "c", "d", "e", "f", "g", "last"]);
  assertEquals([most, (await queue.Stats()).Done], [2, 8]);
  assert(calls > 3, `${calls} calls`);
});

Deno.test("Queue.Run() lets timers run between jobs that wait for nothing", async () => {
  const all = 3_000;
  const ended = Promise.withResolvers<void>();
  let left = all;
  function work(_: number): void {
    if (--left === 0) ended.resolve();
  }
  const store = jobs.NewMemory();
  const queue = jobs.New(store).Handle(work);
  await queue.AddAll(work, Array.from({ length: all }, (_, i) => i));
  let turns = 0;
  const timer = setInterval(() => turns++, 1);
  const finished = queue.Run();
  await ended.promise;
  clearInterval(timer);
  await queue.Shutdown();
  await finished;
  await store.Close();
  assert(turns > 3, `timers ran ${turns} times`);
});
