import { assert, assertEquals, assertRejects } from "@std/assert";
import * as fw from "@fw/web";
import * as jobs from "@fw/web/jobs";
import { z } from "npm:zod@^4";

const Logger = new fw.Logger().SetLevel("disable");

/** Creates a queue in memory with a clock that can be set. */
function setup(config: jobs.Options = {}) {
  const clock = { now: Date.UTC(2026, 0, 5, 7) };
  const store = jobs.NewMemory();
  const queue = jobs.New(store, { Clock: () => clock.now, Logger, ...config });
  return { queue, clock, store };
}

/** Waits until a condition is met. */
async function until(isMet: () => boolean | Promise<boolean>): Promise<void> {
  while (!await isMet()) await new Promise((resolve) => setTimeout(resolve, 2));
}

Deno.test("Queue.AddAll() adds many jobs in few statements, in order, and none if one is not valid", async () => {
  const { queue, store } = setup({ Concurrency: 1 });
  let statements = 0;
  const { Add } = store;
  store.Add = (...args) => {
    statements++;
    return Add.apply(store, args);
  };
  const seen: number[] = [];
  const note = jobs.Define("note", z.number(), (n) => void seen.push(n));
  queue.Handle(note);
  await assertRejects(() => queue.AddAll(note, [1, "two" as unknown as number, 3]), fw.ValidationError);
  assertEquals([statements, (await queue.Stats()).Waiting], [0, 0]);
  const numbers = Array.from({ length: 1_200 }, (_, i) => i);
  const added = await queue.AddAll(note, numbers, { Priority: 1 });
  assertEquals([added.length, added.every(({ IsNew }) => IsNew), statements], [1_200, true, 3]);
  await queue.Drain();
  assertEquals(seen, numbers);
  const keyed = await queue.AddAll(note, [1, 2, 1], { Key: (data) => `key ${data}` });
  assertEquals(keyed.map(({ IsNew }) => IsNew), [true, true, false]);
  assertEquals(await queue.AddAll(note, []), []);
});

Deno.test("Queue.AddBatch() runs the last job when all others have ended", async () => {
  const { queue, clock } = setup({ MaxAttempts: 2, Backoff: () => 1_000 });
  const log: string[] = [];
  function resize(image: string) {
    if (image === "broken") throw new Error("no image");
    log.push(image);
  }
  const publish = (album: string, ctx: jobs.Context) => void log.push(`${album} ${ctx.FailedInBatch}`);
  queue.Handle(resize, publish);
  const { ID, Jobs } = await queue.AddBatch(resize, ["a", "broken", "b"], publish, "album");
  assertEquals(Jobs.length, 3);
  await queue.Drain();
  assertEquals([log, (await queue.Get(ID))?.Pending], [["a", "b"], 1]);
  clock.now += 1_000;
  await queue.Drain();
  assertEquals(log, ["a", "b", "album 1"]);
  await queue.AddBatch(resize, [], publish, "empty");
  await queue.Drain();
  assertEquals(log.at(-1), "empty 0");
});

Deno.test("Queue.Pause() stops a queue or one kind of job until Resume(), for all queues on the store", async () => {
  const { queue, store, clock } = setup();
  const log: string[] = [];
  const send = () => void log.push("send");
  const pack = () => void log.push("pack");
  const other = jobs.New(store, { Clock: () => clock.now, Logger }).Handle(send, pack);
  await queue.Pause(send);
  await queue.Add(send);
  await queue.Add(pack);
  assertEquals([await other.Drain(), log.splice(0), await other.Paused()], [1, ["pack"], ["send"]]);
  await queue.Pause();
  await queue.Resume("send");
  assertEquals(await other.Drain(), 0);
  await queue.Resume();
  assertEquals([await other.Drain(), log, await other.Paused()], [1, ["send"], []]);
});

Deno.test("Queue.Resume() wakes a queue that runs", async () => {
  const store = jobs.NewMemory();
  let runs = 0;
  const work = () => void runs++;
  const queue = jobs.New(store, { Logger, PollEvery: 60_000 }).Handle(work);
  await queue.Pause();
  const { ID } = await queue.Add(work);
  const ended = queue.Run();
  assertEquals((await queue.Get(ID))?.State, "waiting");
  await queue.Resume();
  await until(() => runs === 1);
  await queue.Shutdown();
  await ended;
});

Deno.test("Queue.Quiet() finishes running jobs and starts no others, while the queue goes on", async () => {
  const { promise, resolve } = Promise.withResolvers<void>();
  const work = async () => await promise;
  const queue = jobs.New(jobs.NewMemory(), { Logger }).Handle(work);
  const first = await queue.Add(work);
  const ended = queue.Run();
  await until(async () => (await queue.Get(first.ID))?.State === "running");
  let isQuiet = false;
  const quiet = queue.Quiet().then(() => isQuiet = true);
  const second = await queue.Add(work);
  assertEquals(isQuiet, false);
  resolve();
  await quiet;
  assertEquals((await queue.Get(first.ID))?.State, "done");
  assertEquals((await queue.Get(second.ID))?.State, "waiting");
  await queue.Shutdown();
  await ended;
});

Deno.test("Queue.Retry(), RunNow(), Cancel() and Delete() take filters", async () => {
  const { queue } = setup({ MaxAttempts: 1 });
  const state = { isDown: true };
  const send = (_n: number) => {
    if (state.isDown) throw new Error("down");
  };
  const pack = (_n: number) => send(0);
  queue.Handle(send, pack);
  const numbers = Array.from({ length: 600 }, (_, i) => i);
  await queue.AddAll(send, numbers);
  await queue.AddAll(pack, [1, 2]);
  await queue.Drain();
  state.isDown = false;
  assertEquals((await queue.Kinds()).map(({ Name, Failed }) => [Name, Failed]), [["pack", 2], ["send", 600]]);
  assertEquals(await queue.Retry({ Name: "send" }), 600);
  assertEquals(await queue.Drain(), 600);
  assertEquals(await queue.Delete({ State: "done" }), 600);
  assertEquals(await queue.Delete({ State: "failed", Name: "send" }), 0);
  assertEquals(await queue.Delete({ State: "failed" }), 2);
  await queue.AddAll(send, [1, 2, 3], { In: 60_000 });
  await queue.AddAll(pack, [1], { In: 60_000 });
  assertEquals(await queue.Drain(), 0);
  const limited: jobs.JobFilter & { Limit: number } = { Name: "send", Limit: 1 };
  await assertRejects(() => queue.Delete(limited), fw.FrameworkError, '"Limit"');
  assertEquals(await queue.RunNow({ Name: "send" }), 3);
  assertEquals(await queue.Drain(), 3);
  assertEquals(await queue.Cancel({ Name: "pack" }), 1);
  assertEquals((await queue.List({ State: "canceled" })).length, 1);
});

Deno.test("Queue.Cancel() with a filter needs few calls, however long a call takes", async () => {
  let calls = 0;
  const slow = new Proxy(jobs.NewMemory(), {
    get(target, name) {
      const member: unknown = Reflect.get(target, name, target);
      if (typeof member !== "function") return member;
      return async (...args: unknown[]) => {
        calls++;
        await new Promise((resolve) => setTimeout(resolve, 12));
        return Reflect.apply(member, target, args);
      };
    },
  });
  const queue = jobs.New(slow);
  const work = () => {};
  await queue.AddAll(work, Array.from({ length: 1_000 }, () => undefined));
  calls = 0;
  assertEquals(await queue.Cancel({ Name: "work" }), 1_000);
  assert(calls <= 30, `${calls} calls`);
});

Deno.test("Queue.Cancel() and Retry() let timers run while they change many jobs", async () => {
  const queue = jobs.New(jobs.NewMemory());
  const work = () => {};
  const ids = (await queue.AddAll(work, Array.from({ length: 5_000 }, () => undefined))).map(({ ID }) => ID);
  for (const change of [() => queue.Cancel(...ids), () => queue.Retry({ Name: "work" })]) {
    let turns = 0;
    const timer = setInterval(() => turns++, 1);
    assertEquals(await change(), 5_000);
    clearInterval(timer);
    assert(turns > 5, `${turns} turns`);
  }
});

Deno.test("Queue.List() shows waiting jobs that are retried, with their error", async () => {
  const { queue } = setup({ Backoff: () => 60_000 });
  const fail = () => {
    throw new Error("no answer");
  };
  queue.Handle(fail);
  await queue.Add(fail);
  await queue.Add(fail, undefined, { In: 5_000 });
  await queue.Drain();
  const [job, ...others] = await queue.List({ IsRetried: true });
  assertEquals([job?.State, job?.Attempt, others.length], ["waiting", 1, 0]);
  assert(job?.Error?.includes("no answer"));
  assertEquals(await queue.RunNow({ IsRetried: true }), 1);
  assertEquals(await queue.Drain(), 1);
});

Deno.test("Queue.Schedules() returns the last and next ticks, and RunSchedule() adds a job now", async () => {
  const { queue, clock, store } = setup();
  const seen: unknown[] = [];
  const digest = (data: { to: string }) => void seen.push(data);
  queue.Handle(digest);
  await queue.Schedule("0 8 * * *", digest, { to: "ada" }, { Name: "daily" });
  await queue.Drain();
  clock.now += 3_600_000;
  await queue.Drain();
  // A process that does not run jobs, such as the one with the page, sees them as well.
  const other = jobs.New(store, { Clock: () => clock.now });
  const [schedule] = await other.Schedules();
  const day = 86_400_000;
  assertEquals([schedule?.Name, schedule?.Last, schedule?.Next], ["daily", clock.now, clock.now + day]);
  assertEquals((await other.RunSchedule("daily"))?.IsNew, true);
  assertEquals(await other.RunSchedule("nothing"), null);
  assertEquals(await queue.Drain(), 1);
  assertEquals(seen, [{ to: "ada" }, { to: "ada" }]);
});

Deno.test("Queue.RunSchedule() and Schedules() know a schedule before the queue first runs", async () => {
  const { queue, clock, store } = setup();
  const seen: unknown[] = [];
  const digest = (data: { to: string }) => void seen.push(data);
  queue.Handle(digest);
  await queue.Schedule("0 8 * * *", digest, { to: "ada" }, { Name: "daily" });
  assertEquals((await queue.RunSchedule("daily"))?.IsNew, true);
  const other = jobs.New(store, { Clock: () => clock.now });
  assertEquals((await other.Schedules()).map(({ Name }) => Name), ["daily"]);
  assertEquals([await queue.Drain(), seen], [1, [{ to: "ada" }]]);
});

Deno.test("Queue.Pause() and Resume() refuse an empty name, which would pause the whole queue", async () => {
  const { queue } = setup();
  for (const job of ["", null, 5, {}]) {
    await assertRejects(() => queue.Pause(job as string), fw.FrameworkError);
    await assertRejects(() => queue.Resume(job as string), fw.FrameworkError);
  }
  assertEquals(await queue.Paused(), []);
});

Deno.test("Queue.Schedule() keeps the first tick if the first look comes after it", async () => {
  const { queue, clock } = setup();
  const seen: string[] = [];
  const digest = (_data: unknown, ctx: jobs.Context) => void seen.push(ctx.Due.toISOString());
  queue.Handle(digest);
  clock.now -= 30_000;
  await queue.Schedule("0 7 * * *", digest);
  clock.now += 40_000;
  await queue.Drain();
  assertEquals(seen, ["2026-01-05T07:00:00.000Z"]);
});

Deno.test("Queue.Cancel() reaches another process soon after another change", async () => {
  const store = jobs.NewMemory();
  const aborted = Promise.withResolvers<number>();
  async function obey(_data: unknown, ctx: jobs.Context) {
    const { promise, reject } = Promise.withResolvers<void>();
    ctx.Signal.addEventListener("abort", () => {
      aborted.resolve(performance.now());
      reject(ctx.Signal.reason);
    });
    await promise;
  }
  const queue = jobs.New(store, { Logger, Lease: 60_000 }).Handle(obey);
  const ended = queue.Run();
  const { ID } = await queue.Add(obey);
  await until(async () => (await queue.Get(ID))?.State === "running");
  const other = jobs.New(store);
  const work = () => {};
  await other.Add(work); // causes a renewal
  await new Promise((resolve) => setTimeout(resolve, 5));
  const begin = performance.now();
  await other.Cancel(ID);
  assert(await aborted.promise - begin < 5_000); // a third of the lease is 20 s
  await queue.Shutdown();
  await ended;
});

Deno.test("Queue.Run() counts starts for a rate, even if the store is slow", async () => {
  const inner = jobs.NewMemory();
  const delays = [300, 0, 0, 0, 0, 0, 0];
  const store = new Proxy(inner, {
    get(target, name) {
      const member: unknown = Reflect.get(target, name, target);
      if (name !== "Claim") return typeof member === "function" ? member.bind(target) : member;
      return async (request: jobs.ClaimRequest) => {
        const claimed = await target.Claim(request);
        // The answer is slow, so the jobs start later than they were claimed.
        if (claimed.Jobs.length > 0) await new Promise((resolve) => setTimeout(resolve, delays.shift() ?? 0));
        return claimed;
      };
    },
  });
  const starts: number[] = [];
  const work = () => void starts.push(performance.now());
  const queue = jobs.New(store, { Logger, Rate: { Limit: 3, Period: 500 }, PollEvery: 20 }).Handle(work);
  await queue.AddAll(work, Array.from({ length: 7 }, () => undefined));
  const ended = queue.Run();
  await until(() => starts.length === 7);
  for (let i = 3; i < 7; i++) assert((starts[i] ?? 0) - (starts[i - 3] ?? 0) >= 490, `${starts}`);
  await queue.Shutdown();
  await ended;
});
