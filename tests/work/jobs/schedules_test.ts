import { assertEquals, assertRejects } from "@std/assert";
import * as fw from "@fw/web";
import * as jobs from "@fw/web/jobs";

const minute = 60_000;
const hour = 60 * minute;

/** Creates queues on one store, as several processes have them, with a clock that can be set. */
function setup(start: string, processes = 1, config: jobs.Options = {}) {
  const clock = { now: Date.parse(start) };
  const store = jobs.NewMemory();
  const runs: string[] = [];
  function digest(_data: unknown, ctx: jobs.Context) {
    runs.push(ctx.Due.toISOString());
  }
  const Logger = new fw.Logger().SetLevel("disable");
  const newQueue = () => jobs.New(store, { Clock: () => clock.now, Logger, ...config }).Handle(digest);
  const queues = Array.from({ length: processes }, newQueue);
  const drain = async () => {
    for (const queue of queues) await queue.Drain();
    return runs.splice(0);
  };
  return { clock, queues, queue: queues[0] as jobs.Queue, digest, drain, newQueue };
}

Deno.test("Queue.Schedule() runs a job once per tick, however many processes there are", async () => {
  const { clock, queues, digest, drain } = setup("2026-01-05T06:00:30Z", 3);
  for (const queue of queues) await queue.Schedule("0 7 * * 1-5", digest, null, { TimeZone: "UTC" });
  assertEquals(await drain(), []);
  const seen: string[] = [];
  // One week, in steps of half a minute around each tick.
  for (let day = 0; day < 7; day++) {
    for (let step = 0; step < 2 * 60 * 24; step++) {
      clock.now += minute / 2;
      if (Math.abs(clock.now % (24 * hour) - 7 * hour) < 2 * minute) seen.push(...await drain());
    }
  }
  assertEquals(seen, [5, 6, 7, 8, 9].map((day) => `2026-01-0${day}T07:00:00.000Z`));
});

Deno.test("Queue.Schedule() follows the time zone over both changes of summer time", async () => {
  const daily = async (start: string, cron: string) => {
    const { clock, queue, digest, drain } = setup(start);
    await queue.Schedule(cron, digest, null, { TimeZone: "Europe/Berlin", MissedAfter: hour });
    await drain();
    const seen: string[] = [];
    for (let i = 0; i < 3 * 24 * 4; i++) {
      clock.now += hour / 4;
      seen.push(...await drain());
    }
    return seen;
  };
  assertEquals(await daily("2026-03-27T23:10:00Z", "0 7 * * *"), [
    "2026-03-28T06:00:00.000Z",
    "2026-03-29T05:00:00.000Z",
    "2026-03-30T05:00:00.000Z",
  ]);
  // 02:30 does not exist on March 29, so the job runs at 03:30.
  assertEquals(await daily("2026-03-27T23:10:00Z", "30 2 * * *"), [
    "2026-03-28T01:30:00.000Z",
    "2026-03-29T01:30:00.000Z",
    "2026-03-30T00:30:00.000Z",
  ]);
  // 02:30 exists twice on October 25. The job runs the first time.
  assertEquals(await daily("2026-10-23T22:10:00Z", "30 2 * * *"), [
    "2026-10-24T00:30:00.000Z",
    "2026-10-25T00:30:00.000Z",
    "2026-10-26T01:30:00.000Z",
  ]);
});

Deno.test("Queue.Schedule() skips missed ticks, or runs the job once for all of them", async () => {
  for (const Missed of ["skip", "once"] as const) {
    const { clock, queue, digest, drain, newQueue, queues } = setup("2026-01-05T06:30:00Z");
    const options = { Missed };
    await queue.Schedule("0 * * * *", digest, null, options);
    await drain();
    clock.now += 30 * minute + 59_000;
    assertEquals(await drain(), ["2026-01-05T07:00:00.000Z"]);
    // All processes are down for five hours.
    clock.now += 5 * hour;
    clock.now += 10 * minute;
    queues[0] = newQueue();
    await queues[0].Schedule("0 * * * *", digest, null, options);
    assertEquals(await drain(), Missed === "once" ? ["2026-01-05T12:00:00.000Z"] : []);
    assertEquals(await drain(), []);
    clock.now += 50 * minute;
    assertEquals(await drain(), ["2026-01-05T13:00:00.000Z"]);
  }
});

Deno.test("Queue.Schedule() does not repeat ticks if the clock is set back", async () => {
  const { clock, queue, digest, drain } = setup("2026-01-05T06:30:00Z");
  await queue.Schedule("*/10 * * * *", digest);
  await drain();
  clock.now += 10 * minute;
  assertEquals((await drain()).length, 1);
  clock.now -= 30 * minute;
  assertEquals(await drain(), []);
  clock.now += 30 * minute;
  assertEquals(await drain(), []);
  clock.now += 10 * minute;
  assertEquals((await drain()).length, 1);
});

Deno.test("Queue.Schedule() forgets old ticks if the expression changes", async () => {
  const { clock, queue, digest, drain, newQueue, queues } = setup("2026-01-05T06:30:00Z");
  await queue.Schedule("0 * * * *", digest, null, { Missed: "once" });
  await drain();
  clock.now += 5 * hour;
  queues[0] = newQueue();
  await queues[0].Schedule("*/30 * * * *", digest, null, { Missed: "once" });
  assertEquals(await drain(), []);
  clock.now += 30 * minute;
  assertEquals((await drain()).length, 1);
});

Deno.test("Queue.Schedule() rejects invalid expressions, zones, names and data", async () => {
  const { queue, digest } = setup("2026-01-05T06:30:00Z");
  await assertRejects(() => queue.Schedule("61 * * * *", digest), Error, 'Cannot schedule "digest" at "61 * * * *"');
  await assertRejects(() => queue.Schedule("0 0 30 2 *", digest), Error, "never occurs");
  await assertRejects(() => queue.Schedule("* * * * *", digest, null, { TimeZone: "No/Where" }), Error, "No/Where");
  await assertRejects(
    () => queue.Schedule("* * * * *", digest, null, { Missed: "twice" as "once" }),
    Error,
    '"skip" or "once"',
  );
  await queue.Schedule("* * * * *", digest);
  await assertRejects(() => queue.Schedule("0 * * * *", digest), Error, "set the option Name");
  await queue.Schedule("0 * * * *", digest, null, { Name: "hourly" });
});

Deno.test("Queue.Run() waits for the ticks of its schedules", async () => {
  const { promise, resolve } = Promise.withResolvers<void>();
  const tick = () => resolve();
  const queue = jobs.New(jobs.NewMemory(), { PollEvery: 60_000 }).Handle(tick);
  const scheduled = queue.Schedule("* * * * * *", tick);
  const ended = queue.Run();
  await scheduled;
  await promise;
  await queue.Shutdown();
  await ended;
});
