/** Every expression of a grammar, in every time zone with a change, over the change, for a process that starts anywhere. */

import { assert, assertEquals } from "@std/assert";
import * as fw from "@fw/web";
import * as jobs from "@fw/web/jobs";
import { timesOf } from "../../../src/base/time/tick_times.ts";

const minute = 60_000;
const hour = 60 * minute;

/** A field of an expression, and the values that it matches. */
type Field = readonly [text: string, matches: (value: number) => boolean];

const minutes: readonly Field[] = [
  ["0", (m) => m === 0],
  ["30", (m) => m === 30],
  ["59", (m) => m === 59],
  ["*/20", (m) => m % 20 === 0],
  ["5,45", (m) => m === 5 || m === 45],
];
const hours: readonly Field[] = [
  ["*", () => true],
  ["0", (h) => h === 0],
  ["1", (h) => h === 1],
  ["2", (h) => h === 2],
  ["3", (h) => h === 3],
  ["*/2", (h) => h % 2 === 0],
  ["1-3", (h) => h >= 1 && h <= 3],
  ["23", (h) => h === 23],
];
const weekdays: readonly Field[] = [["*", () => true], ["0", (d) => d === 0], ["1-6", (d) => d > 0]];

/** A change of the offset of a time zone. */
interface Change {
  readonly zone: string;
  readonly at: number;
  readonly isForward: boolean;
}

/** Returns the first change in each direction of all time zones, and some that are unlike the others. */
function changes(): Change[] {
  const from = Temporal.Instant.from("2026-01-01T00:00Z");
  const found: Change[] = [];
  for (const zone of Intl.supportedValuesOf("timeZone")) {
    const seen = new Set<boolean>();
    let time = from.toZonedDateTimeISO(zone).getTimeZoneTransition("next");
    for (let i = 0; i < 6 && time !== null; i++, time = time.getTimeZoneTransition("next")) {
      const isForward = time.offsetNanoseconds > time.subtract({ nanoseconds: 1 }).offsetNanoseconds;
      if (!seen.has(isForward)) found.push({ zone, at: time.epochMilliseconds, isForward });
      seen.add(isForward);
    }
  }
  // Samoa skipped a whole day.
  found.push({ zone: "Pacific/Apia", at: Date.parse("2011-12-30T10:00:00Z"), isForward: true });
  return found;
}

/** Returns the documented ticks between two times: each local time that matches, as one instant. */
function documented(zone: string, [m, h, d]: readonly [Field, Field, Field], from: number, until: number): number[] {
  // Local times are counted as if they were in UTC.
  const first = Math.floor((from - 40 * hour) / minute) * minute;
  const ticks = new Set<number>();
  for (let local = first; local < until + 40 * hour; local += minute) {
    const date = new Date(local);
    if (!m[1](date.getUTCMinutes()) || !h[1](date.getUTCHours()) || !d[1](date.getUTCDay())) continue;
    const text = date.toISOString().slice(0, -1);
    const at = Temporal.PlainDateTime.from(text).toZonedDateTime(zone, { disambiguation: "compatible" });
    if (at.epochMilliseconds > from && at.epochMilliseconds <= until) ticks.add(at.epochMilliseconds);
  }
  return [...ticks].sort((a, b) => a - b);
}

const expressions = minutes.flatMap((m) => hours.flatMap((h) => weekdays.map((d) => [m, h, d] as const)));

/**
 * The part of the product to run: all expressions with every 4th change, beginning with the first, for `FW_FIGURES=1/4`.
 * Without it, the changes take turns with the expressions, because the whole product takes an hour.
 */
const part = Deno.env.get("FW_FIGURES")?.split("/").map(Number);

/** Returns the expressions to test over a change. */
function expressionsOf(change: number): readonly (readonly [Field, Field, Field])[] {
  if (part === undefined) return expressions.filter((_, n) => n % 24 === change % 24);
  const [own = 1, parts = 1] = part;
  return change % parts === own - 1 ? expressions : [];
}

function textOf([m, h, d]: readonly [Field, Field, Field]): string {
  return `${m[0]} ${h[0]} * * ${d[0]}`;
}

Deno.test("TickTimes.next() returns the documented ticks over every change, wherever a process starts", async () => {
  const all = changes();
  assert(all.length > 250, `${all.length} changes`);
  let count = 0;
  const failures: string[] = [];
  for (const [i, { zone, at, isForward }] of all.entries()) {
    for (const expression of expressionsOf(i)) {
      const until = at + 5 * hour;
      const expected = documented(zone, expression, at - 5 * hour, until);
      for (const offset of [-5, -1, -1 / 60, 0, 1 / 60, 0.25, 0.6, 1, 1.5, 3]) {
        const from = at + offset * hour;
        const times = await timesOf(textOf(expression), zone);
        const ticks: number[] = [];
        for (let tick = times.next(from); tick <= until; tick = times.next(tick)) ticks.push(tick);
        const wanted = expected.filter((tick) => tick > from);
        count++;
        if (ticks.join() !== wanted.join()) failures.push(`${textOf(expression)} ${zone} ${isForward} ${offset}`);
        const last = times.last(from, until);
        if (last !== wanted.at(-1)) failures.push(`last: ${textOf(expression)} ${zone} ${isForward} ${offset}`);
      }
    }
  }
  assertEquals(failures.slice(0, 5), [], `${failures.length} of ${count} failed`);
  // deno-lint-ignore no-console -- figures
  if (part !== undefined) console.log(`${count} starts`);
});

/** The zones whose changes are unlike each other. */
const sample = ["Europe/Berlin", "America/New_York", "Australia/Lord_Howe", "America/Santiago", "Africa/Casablanca"];

Deno.test("Queue.Schedule() runs the documented ticks once over a change, wherever processes start", async () => {
  const failures: string[] = [];
  let count = 0;
  for (const [i, { zone, at, isForward }] of changes().entries()) {
    if (part === undefined && !sample.includes(zone)) continue;
    for (const [n, expression] of (part === undefined ? expressions : expressionsOf(i)).entries()) {
      if (part === undefined && n % 24 !== i % 24) continue;
      // Before the change, in the interval that is skipped or occurs twice, and after it.
      for (const offset of part === undefined ? [-26, -1, 0.1, 0.4, 0.9, 2] : [-1, 0.4, 2]) {
        const runs = await run(textOf(expression), zone, at + offset * hour, at + 4 * hour);
        const expected = documented(zone, expression, at + offset * hour, at + 4 * hour);
        count++;
        if (runs.join() !== expected.join()) failures.push(`${textOf(expression)} ${zone} ${isForward} ${offset}`);
      }
    }
  }
  assertEquals(failures.slice(0, 5), [], `${failures.length} of ${count} failed`);
  // deno-lint-ignore no-console -- figures
  if (part !== undefined) console.log(`${count} schedules`);
});

/** The time between two looks at a schedule, in milliseconds. */
const step = part === undefined ? minute : 5 * minute;

/** Runs a schedule in two processes, of which the second one starts in the middle, and returns the ticks. */
async function run(cron: string, TimeZone: string, from: number, until: number): Promise<number[]> {
  const clock = { now: from };
  const store = jobs.NewMemory();
  const runs: number[] = [];
  const digest = (_data: unknown, ctx: jobs.Context) => void runs.push(ctx.Due.getTime());
  const newQueue = async () => {
    const Logger = new fw.Logger().SetLevel("disable");
    const queue = jobs.New(store, { Clock: () => clock.now, Logger }).Handle(digest);
    await queue.Schedule(cron, digest, null, { TimeZone, MissedAfter: 2 * step });
    return queue;
  };
  const queues = [await newQueue()];
  await queues[0]?.Drain();
  const middle = Math.max(from, until - 3.5 * hour);
  while (clock.now < until) {
    clock.now += Math.min(step, until - clock.now);
    if (queues.length === 1 && clock.now > middle) queues.push(await newQueue());
    for (const queue of queues) await queue.Drain();
  }
  return runs.sort((a, b) => a - b);
}
