import { assertEquals } from "@std/assert";
import pg from "npm:pg@^8";
import type { ClaimRequest, Ending, JobRecord, Limits, NewJob, Store } from "../../../../src/work/jobs/store.ts";
import * as postgres from "../../../../src/work/jobs/stores/postgres.ts";
import { NewMemory } from "../../../../src/work/jobs/stores/sqlite_store.ts";
import { postgresIsMissing, startPostgres } from "../../../recipes/postgres_server.ts";
import { testUnless } from "../../../skipped.ts";

const limits: readonly (readonly [Limits, Limits])[] = [
  [{}, {}],
  [{ MaxRunning: 3 }, {}],
  [{ Rate: { Limit: 4, Period: 500 } }, {}],
  [{}, { MaxRunning: 1 }],
  [{ MaxRunning: 4, Rate: { Limit: 6, Period: 400 } }, { MaxRunning: 2, Rate: { Limit: 3, Period: 200 } }],
];

/** Random calls of a store. The same seed yields the same calls. */
class RandomCalls {
  #seed: number;
  #now = Date.UTC(2026, 0, 5, 7);
  readonly #ids = ["unknown"];
  readonly #limits: readonly [Limits, Limits];
  /** The claims of jobs that may still run. */
  running: Pick<JobRecord, "ID" | "Token">[] = [];

  constructor(seed: number) {
    this.#seed = seed;
    this.#limits = this.#one(limits);
  }

  /** Returns the next call. */
  next(): readonly [name: string, call: (store: Store) => unknown] {
    this.#now += this.#one([0, 1, 5, 20, 100]);
    const [now, ids, claim, endings] = [this.#now, this.#some(this.#ids), this.#claim(), this.#endings()];
    const [jobs, Name] = [this.#jobs(), this.#one(["first", "second"])];
    const then = { ...jobs[0] as NewJob, ID: `${jobs[0]?.ID} then`, Key: null, KeyUntil: null, Pending: jobs.length };
    const batch = [then, ...jobs.map((job) => ({ ...job, Batch: then.ID }))];
    this.#ids.push(...batch.map(({ ID }) => ID));
    const filter = this.#one([{}, { State: "failed" as const }, { State: "running" as const }, { IsRetried: true }]);
    const isPaused = this.#chance(0.4);
    const tick = { Queue: "default", Name, At: now - this.#one([0, 5, 20]), Job: { ...then, Pending: 0 } };
    const schedule = { Queue: "default", Name, Cron: "* * * * *", TimeZone: "UTC", Job: "a", Data: "null" };
    return this.#one<readonly [string, (store: Store) => unknown]>([
      ["Add", (store) => store.Add(jobs, now)],
      ["Add a batch", (store) => store.Add(batch, now)],
      ["Claim", (store) => store.Claim(claim)],
      ["Claim", (store) => store.Claim(claim)],
      ["Finish", (store) => store.Finish(endings, now)],
      ["FinishAndClaim", (store) => store.FinishAndClaim?.(endings, claim)],
      ["FinishAndClaim", (store) => store.FinishAndClaim?.(endings, claim)],
      ["Renew", (store) => store.Renew(endings, now + 100)],
      ["Started", async (store) => void await store.Started(claim, ["g"], now + 30)],
      ["Cancel", (store) => store.Cancel(ids, now)],
      ["Retry", (store) => store.Retry(ids, now)],
      ["Hurry", (store) => store.Hurry(ids, now)],
      ["Delete", (store) => store.Delete(ids)],
      ["List", (store) => store.List({ Queue: "default", Limit: 5, ...filter })],
      ["Stats", (store) => store.Stats(now)],
      ["Kinds", (store) => store.Kinds("default")],
      ["Pause", (store) => store.Pause("default", "b", isPaused)],
      ["Unreported", (store) => store.Unreported("default", now, now + 100)],
      ["Reported", async (store) => void await store.Reported(ids)],
      ["Sweep", (store) => store.Sweep(now)],
      ["Schedule", (store) => store.Schedule(schedule, now)],
      ["Tick", (store) => store.Tick(tick, now)],
    ]);
  }

  #jobs(): NewJob[] {
    return Array.from({ length: this.#one([1, 2, 3]) }, (_, i) => {
      const Key = this.#one([null, null, "k", "l"]);
      return {
        ID: `${this.#ids.length} ${i}`,
        Queue: "default",
        Name: this.#one(["a", "b"]),
        Data: "{}",
        Due: this.#now + this.#one([0, 0, -5, 40, 400]),
        Priority: this.#one([0, 0, 1, -1]),
        MaxAttempts: this.#one([1, 2, 3]),
        Key,
        KeyUntil: Key === null ? null : this.#one([null, this.#now + 50, this.#now + 600]),
        Group: this.#one([null, "g", "h"]),
        Trace: null,
      };
    });
  }

  #claim(): ClaimRequest {
    return {
      Queue: "default",
      Names: this.#one([["a", "b"], ["a"]]),
      Count: this.#one([1, 2, 3, 4]),
      Now: this.#now,
      LeaseUntil: this.#now + this.#one([50, 200, 1000]),
      Limits: this.#limits[0],
      GroupLimits: this.#limits[1],
      Crashed: this.#one(["include", "only", "exclude", "exclude"]),
      IsAlone: this.#chance(0.3),
      StartsAt: this.#now + 20,
      ReportAt: this.#one([null, this.#now + 100]),
    };
  }

  #endings(): Ending[] {
    return this.#some(this.running).map(({ ID, Token }) => {
      const State = this.#one(["done", "failed", "canceled", "waiting", "waiting"] as const);
      const ending = { ID, Token, State, IsShared: this.#chance(0.3), Error: this.#one([null, "no", "not now"]) };
      if (State === "waiting") {
        return { ...ending, Due: this.#now + this.#one([-10, 0, 30, 500]), IsReleased: this.#chance(0.3) };
      }
      const ReportAt = State === "failed" ? this.#one([null, this.#now + 50]) : null;
      return { ...ending, KeepUntil: this.#one([null, this.#now, this.#now + 300]), ReportAt };
    });
  }

  #some<T>(items: readonly T[]): T[] {
    return [...new Set([0, 1, 2].map(() => this.#one(items)))].filter((item) => item !== undefined);
  }

  #one<T>(items: readonly T[]): T {
    return items[Math.floor(this.#random() * items.length)] as T;
  }

  #chance(probability: number): boolean {
    return this.#random() < probability;
  }

  /** Returns a number from 0 to 1, by a linear congruential generator. */
  #random(): number {
    this.#seed = (this.#seed * 1_664_525 + 1_013_904_223) % 2 ** 32;
    return this.#seed / 2 ** 32;
  }
}

/** Returns the outcome of a call without what may differ: numbers of rows, and the order of jobs that are reported. */
function comparable(outcome: unknown): unknown {
  return JSON.parse(JSON.stringify(outcome ?? null, (key, value) => {
    if (key === "Seq" || value === undefined) return undefined;
    return key === "Expired" || key === "Unreported" ? value.toSorted(byID) : value;
  }));
}

function byID(a: JobRecord, b: JobRecord): number {
  return a.ID < b.ID ? -1 : 1;
}

testUnless(postgresIsMissing, "SQLite and PostgreSQL give the same answers to random calls", async () => {
  await using server = await startPostgres();
  const client = new pg.Client(server.url);
  await client.connect();
  try {
    for (let seed = 1; seed <= 10; seed++) {
      const [first, second] = [NewMemory(), postgres.New(client, { Schema: `random_${seed}` })];
      await second.Migrate();
      const calls = new RandomCalls(seed);
      for (let step = 0; step < 80; step++) {
        const [name, call] = calls.next();
        const outcome = await call(first) as { Jobs?: JobRecord[]; Claimed?: { Jobs: JobRecord[] } } | undefined;
        const expected = comparable({ [name]: outcome });
        assertEquals(comparable({ [name]: await call(second) }), expected, `seed ${seed}, step ${step}: ${name}`);
        calls.running.push(...outcome?.Jobs ?? outcome?.Claimed?.Jobs ?? []);
        calls.running = calls.running.slice(-12);
      }
      await first.Close();
    }
  } finally {
    await client.end();
  }
});
