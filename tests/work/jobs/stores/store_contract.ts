/**
 * The behaviours that every job store must have. One test file per store calls {@linkcode testStore}.
 *
 * @module
 */

import { assert, assertEquals, assertRejects } from "@std/assert";
import type { Awaitable } from "../../../../src/state/store/store.ts";
import type { ClaimRequest, JobRecord, NewJob, Store } from "../../../../src/work/jobs/store.ts";

/** A transaction of the application. */
export interface OpenTransaction {
  /** The value for `queue.In`. */
  readonly tx: unknown;
  commit(): Awaitable<void>;
  rollback(): Awaitable<void>;
}

/** An empty store. */
export interface Opened {
  /** The store. Its tables exist. */
  readonly store: Store;
  /** Another store with the same jobs, as another process has it. The same store if it is not shared. */
  readonly other: Store;
  /** Begins a transaction. `undefined` if the store has no transactions. */
  begin?(): Awaitable<OpenTransaction>;
  /** Closes both stores and removes the jobs. */
  close(): Awaitable<void>;
}

const start = Date.UTC(2026, 0, 5, 7);

let ids = 0;

/** Creates a job that is due at the start. */
export function newJob(changes: Partial<NewJob> = {}): NewJob {
  return {
    ID: `job-${++ids}-${crypto.randomUUID()}`,
    Queue: "default",
    Name: "Remind",
    Data: "{}",
    Due: start,
    Priority: 0,
    MaxAttempts: 3,
    Key: null,
    KeyUntil: null,
    Group: null,
    Trace: null,
    ...changes,
  };
}

/** The properties of a job that has just been added, apart from those of {@linkcode NewJob}. */
const fresh = {
  State: "waiting" as const,
  Attempt: 0,
  Token: 0,
  LeaseUntil: null,
  IsCanceled: false,
  Progress: null,
  Result: null,
  Error: null,
  Finished: null,
  Crashes: 0,
  Batch: null,
  Pending: 0,
  FailedInBatch: 0,
};

/** Creates a request for a claim at the start. */
export function newClaim(changes: Partial<ClaimRequest> = {}): ClaimRequest {
  const Now = changes.Now ?? start;
  return {
    Queue: "default",
    Names: ["Remind"],
    Count: 10,
    Now,
    LeaseUntil: Now + 1000,
    Limits: {},
    GroupLimits: {},
    ...changes,
  };
}

/** Registers the tests of a store. */
export function testStore(name: string, open: () => Awaitable<Opened>): void {
  function behaves(sentence: string, run: (opened: Opened) => Promise<void>): void {
    Deno.test(`${name}: ${sentence}`, async () => {
      const opened = await open();
      try {
        await run(opened);
      } finally {
        await opened.close();
      }
    });
  }

  async function add(store: Store, ...changes: Partial<NewJob>[]): Promise<NewJob[]> {
    const jobs = changes.map(newJob);
    await store.Add(jobs, start);
    return jobs;
  }

  async function claimOne(store: Store, changes: Partial<ClaimRequest> = {}): Promise<JobRecord> {
    const { Jobs } = await store.Claim(newClaim({ Count: 1, ...changes }));
    assertEquals(Jobs.length, 1);
    return Jobs[0] as JobRecord;
  }

  async function claimedIDs(store: Store, changes: Partial<ClaimRequest> = {}): Promise<string[]> {
    return (await store.Claim(newClaim(changes))).Jobs.map(({ ID }) => ID);
  }

  behaves("Migrate() can run again and concurrently", async ({ store, other }) => {
    await Promise.all([store.Migrate(), other.Migrate(), store.Migrate()]);
    await add(store, {});
    await other.Migrate();
    assertEquals((await claimedIDs(other)).length, 1);
  });

  behaves("Add() stores every property of a job", async ({ store, other }) => {
    const job = newJob({
      Queue: "mail",
      Data: '{"text":"Ünïcödé \\u0000 \'\\"","n":12345678901234567890}',
      Due: start + 5,
      Priority: -3,
      MaxAttempts: 7,
      Key: "key 'é'",
      KeyUntil: start + 60_000,
      Group: "grün",
      Trace: "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01",
    });
    assertEquals(await store.Add([job], start + 1), [{ ID: job.ID, IsNew: true }]);
    const stored = await other.Get(job.ID);
    assert((stored?.Seq ?? 0) > 0);
    assertEquals(stored, { ...job, ...fresh, Added: start + 1, Seq: stored?.Seq as number });
    assertEquals(await store.Get("nothing"), null);
  });

  behaves("Add() accepts many jobs and none", async ({ store }) => {
    assertEquals(await store.Add([], start), []);
    const jobs = Array.from({ length: 500 }, () => newJob());
    assertEquals((await store.Add(jobs, start)).filter(({ IsNew }) => IsNew).length, 500);
    assertEquals((await claimedIDs(store, { Count: 1000 })).length, 500);
  });

  behaves("Add() adds all jobs or none", async ({ store }) => {
    const job = newJob();
    const invalid = { ...newJob(), Due: Symbol("not a time") as unknown as number };
    await assertRejects(async () => await store.Add([job, invalid], start));
    assertEquals(await store.Get(job.ID), null);
  });

  behaves("Add() returns the job that holds the key", async ({ store, other }) => {
    const [first] = await add(store, { Key: "k" });
    const second = newJob({ Key: "k" });
    assertEquals(await other.Add([second], start), [{ ID: first?.ID as string, IsNew: false }]);
    assertEquals(await other.Get(second.ID), null);
    const elsewhere = newJob({ Key: "k", Queue: "mail" });
    assertEquals(await store.Add([elsewhere], start), [{ ID: elsewhere.ID, IsNew: true }]);
    const twins = [newJob({ Key: "twin" }), newJob({ Key: "twin" })] as const;
    assertEquals(await store.Add(twins, start), [
      { ID: twins[0].ID, IsNew: true },
      { ID: twins[0].ID, IsNew: false },
    ]);
  });

  behaves("Add() adds one of many jobs with the same key", async ({ store, other }) => {
    const all = await Promise.all(
      Array.from(
        { length: 40 },
        async (_, i) => await (i % 2 === 0 ? store : other).Add([newJob({ Key: "k" })], start),
      ),
    );
    assertEquals(all.flat().filter(({ IsNew }) => IsNew).length, 1);
    assertEquals(new Set(all.flat().map(({ ID }) => ID)).size, 1);
  });

  behaves("Claim() frees a key that is held while waiting", async ({ store }) => {
    await add(store, { Key: "k" });
    const claimed = await claimOne(store);
    const [second] = await store.Add([newJob({ Key: "k", Due: start + 1 })], start);
    assertEquals(second?.IsNew, true);
    // The first job goes back and does not take the key from the second one.
    await store.Finish([{ ...claimed, State: "waiting", Due: start }], start);
    assertEquals((await store.Add([newJob({ Key: "k" })], start))[0], { ID: second?.ID as string, IsNew: false });
  });

  behaves("Finish() lets a job that waits again hold its key again", async ({ store }) => {
    const [job] = await add(store, { Key: "k" });
    await store.Finish([{ ...await claimOne(store), State: "waiting", Due: start + 10 }], start);
    assertEquals((await store.Add([newJob({ Key: "k" })], start))[0], { ID: job?.ID as string, IsNew: false });
  });

  behaves("Add() respects a key for a period, in any state", async ({ store }) => {
    const [job] = await add(store, { Key: "k", KeyUntil: start + 100 });
    const again = async (now: number) =>
      (await store.Add([newJob({ Key: "k", KeyUntil: now + 100, Due: now })], now))[0];
    const claimed = await claimOne(store);
    assertEquals(await again(start + 1), { ID: job?.ID as string, IsNew: false });
    await store.Finish([{ ...claimed, State: "done", KeepUntil: start }], start + 2);
    await store.Sweep(start + 99);
    assertEquals(await again(start + 99), { ID: job?.ID as string, IsNew: false });
    assertEquals((await again(start + 100))?.IsNew, true);
    await store.Sweep(start + 101);
    assertEquals(await store.Get(job?.ID as string), null);
  });

  behaves("Claim() returns jobs by priority, then time, then order of addition", async ({ store, other }) => {
    const jobs = await add(
      store,
      { Due: start },
      { Due: start - 5 },
      { Due: start, Priority: 5 },
      { Due: start - 1, Priority: -1 },
      { Due: start },
      { Due: start - 9, Priority: 5 },
    );
    const order = [5, 2, 1, 0, 4, 3].map((i) => jobs[i]?.ID);
    assertEquals(await claimedIDs(other, { Count: 4 }), order.slice(0, 4) as string[]);
    assertEquals(await claimedIDs(store), order.slice(4) as string[]);
  });

  behaves("Claim() skips other queues, unknown names and jobs that are not due", async ({ store }) => {
    await add(store, { Queue: "mail" }, { Name: "Other" }, { Due: start + 10 });
    const claimed = await store.Claim(newClaim());
    assertEquals([claimed.Jobs, claimed.Expired, claimed.Next], [[], [], start + 10]);
    assertEquals((await claimedIDs(store, { Now: start + 10 })).length, 1);
    assertEquals((await claimedIDs(store, { Names: ["Other"] })).length, 1);
    assertEquals((await claimedIDs(store, { Queue: "mail" })).length, 1);
    assertEquals((await claimedIDs(store, { Names: [] })).length, 0);
  });

  behaves("Claim() reports when to ask again", async ({ store }) => {
    assertEquals((await store.Claim(newClaim())).Next, null);
    await add(store, {}, {});
    assertEquals((await store.Claim(newClaim({ Count: 1 }))).Next, start);
    // The lease of the first job expires then.
    assertEquals((await store.Claim(newClaim({ Now: start + 1 }))).Next, start + 1000);
  });

  behaves("Claim() never gives one job to two processes", async ({ store, other }) => {
    await store.Add(Array.from({ length: 200 }, () => newJob()), start);
    const claims = await Promise.all(
      Array.from({ length: 60 }, (_, i) => claimedIDs(i % 2 === 0 ? store : other, { Count: 5 })),
    );
    assertEquals(new Set(claims.flat()).size, 200);
    assertEquals(claims.flat().length, 200);
  });

  behaves("Claim() counts attempts and tokens, and leases the job", async ({ store, other }) => {
    const [job] = await add(store, { Key: "k" });
    const claimed = await claimOne(store);
    const leased = { State: "running" as const, Attempt: 1, Token: 1, LeaseUntil: start + 1000 };
    assertEquals(claimed, { ...job as NewJob, ...fresh, ...leased, Added: start, Seq: claimed.Seq });
    assertEquals(await other.Get(claimed.ID), claimed);
  });

  behaves("Claim() takes over a job whose lease has expired, with a new token", async ({ store, other }) => {
    await add(store, {});
    const first = await claimOne(store);
    assertEquals(await claimedIDs(other, { Now: start + 999 }), []);
    const second = await claimOne(other, { Now: start + 1000 });
    assertEquals([second.ID, second.Attempt, second.Token, second.Crashes], [first.ID, 1, 2, 1]);
    assertEquals(await store.Renew([first], start + 5000), ["lost"]);
    assertEquals(await store.Progress(first, "1"), false);
    assertEquals(await store.Finish([{ ...first, State: "done", KeepUntil: start }], start + 1001), [false]);
    assertEquals(await other.Finish([{ ...second, State: "done", Result: "2", KeepUntil: null }], start + 1001), [
      true,
    ]);
    assertEquals((await store.Get(first.ID))?.Result, "2");
  });

  behaves("Claim() fails a job whose lease expired in its last attempt, and reports it once", async ({ store }) => {
    await add(store, { MaxAttempts: 1 });
    const { ID } = await claimOne(store, { IsAlone: true });
    const claimed = await store.Claim(newClaim({ Now: start + 1000 }));
    assertEquals(claimed.Jobs, []);
    assertEquals(claimed.Expired.map((job) => [job.ID, job.State, job.Attempt]), [[ID, "failed", 1]]);
    assert(claimed.Expired[0]?.Error?.includes("lease"));
    assertEquals((await store.Claim(newClaim({ Now: start + 2000 }))).Expired, []);
    const failed = await store.Get(ID);
    assertEquals([failed?.State, failed?.Finished, failed?.LeaseUntil], ["failed", start + 1000, null]);
  });

  behaves("Claim() lets one of several jobs with the same key hold it after a crash", async ({ store }) => {
    await add(store, { Key: "k" });
    const first = await claimOne(store);
    const [second] = await add(store, { Key: "k", Queue: "other" }, { Key: "k" });
    await claimOne(store);
    await claimOne(store, { Queue: "other" });
    await store.Cancel([second?.ID as string], start);
    const Now = start + 1000;
    // The leases of both expire at once, and no job is claimed.
    assertEquals((await store.Claim(newClaim({ Now, Crashed: "exclude" }))).Jobs, []);
    const [held] = await store.Add([newJob({ Key: "k" })], Now);
    assertEquals([held?.IsNew, (await store.Get(first.ID))?.State], [false, "waiting"]);
    await store.Claim(newClaim({ Now, Queue: "other", Crashed: "exclude" }));
    const canceled = await store.Get(second?.ID as string);
    assertEquals([canceled?.State, canceled?.Finished, canceled?.IsCanceled], ["canceled", Now, false]);
    assertEquals((await store.Add([newJob({ Key: "k", Queue: "other" })], Now))[0]?.IsNew, true);
  });

  behaves("Claim() counts a crash as an attempt only if the job was alone", async ({ store, other }) => {
    await add(store, { MaxAttempts: 2 }, { MaxAttempts: 2 }, { MaxAttempts: 2, Due: start + 5000 });
    assertEquals((await claimedIDs(store)).length, 2);
    const Now = start + 1000;
    // Jobs that have crashed are claimed only on request.
    const excluded = await other.Claim(newClaim({ Now, Crashed: "exclude" }));
    assertEquals([excluded.Jobs, excluded.Expired, excluded.Crashes], [[], [], 1]);
    const only = await other.Claim(newClaim({ Now, Crashed: "only", Count: 1, IsAlone: true }));
    const alone = only.Jobs[0] as JobRecord;
    assertEquals([only.Jobs.length, alone.Attempt, alone.Crashes, only.Crashes], [1, 1, 1, 1]);
    const shared = await claimOne(store, { Now, Crashed: "only" });
    assertEquals(await other.Renew([{ ...claim(shared), IsShared: true }], Now + 1000), ["renewed"]);
    const again = await other.Claim(newClaim({ Now: Now + 1000 }));
    assertEquals(
      again.Jobs.map(({ ID, Attempt, Crashes }) => [ID, Attempt, Crashes]).sort(),
      [
        [alone.ID, 2, 2],
        [shared.ID, 1, 2],
      ].sort(),
    );
    // An attempt that ends in another way clears the suspicion, and a shutdown does not.
    const endings = again.Jobs.map((job) => ({
      ...claim(job),
      State: "waiting" as const,
      Due: Now,
      IsReleased: job.ID === alone.ID,
    }));
    await store.Finish(endings, Now + 1001);
    assertEquals((await store.Get(alone.ID))?.Crashes, 2);
    assertEquals((await store.Get(shared.ID))?.Crashes, 0);
    assertEquals(await claimedIDs(store, { Now: Now + 1002, Crashed: "exclude" }), [shared.ID]);
    assertEquals(await claimedIDs(store, { Now: Now + 1002, Crashed: "only" }), [alone.ID]);
  });

  behaves("Pause() stops claims of a queue or of one kind of job, in all processes", async ({ store, other }) => {
    const [remind, send] = await add(store, {}, { Name: "Send" });
    const Names = ["Remind", "Send"];
    assertEquals(await store.Pause("default", "Remind", true), true);
    assertEquals(await store.Pause("default", "Remind", true), false);
    assertEquals(await other.Pauses("default"), ["Remind"]);
    assertEquals(await claimedIDs(other, { Names }), [send?.ID as string]);
    await other.Pause("default", "", true);
    await store.Pause("default", "Remind", false);
    assertEquals(await claimedIDs(store, { Names }), []);
    assertEquals(await store.Pauses("mail"), []);
    await store.Pause("default", "", false);
    assertEquals(await claimedIDs(store, { Names }), [remind?.ID as string]);
  });

  behaves("Hurry() makes waiting jobs due", async ({ store, other }) => {
    const [later] = await add(store, { Due: start + 5000 }, {});
    const running = await claimOne(store);
    assertEquals(await other.Hurry([later?.ID as string, running.ID, "nothing"], start + 1), 1);
    assertEquals(await claimedIDs(store, { Now: start + 1 }), [later?.ID as string]);
  });

  behaves("Hurry() and Retry() let the last job of a batch wait for the others", async ({ store, other }) => {
    const then = newJob({ Pending: 1, Name: "Then" });
    const member = newJob({ Batch: then.ID, Due: start + 5 });
    await store.Add([then, member], start);
    assertEquals(await other.Hurry([then.ID], start + 1), 0);
    assertEquals([await other.Cancel([then.ID], start + 2), await other.Retry([then.ID], start + 3)], [1, 1]);
    assertEquals(await claimedIDs(store, { Names: ["Then"], Now: start + 4 }), []);
    const { ID, Token } = await claimOne(store, { Now: start + 5 });
    await store.Finish([{ ID, Token, State: "done", KeepUntil: null }], start + 6);
    assertEquals(await claimedIDs(store, { Names: ["Then"], Now: start + 6 }), [then.ID]);
  });

  behaves("Cancel() and Claim() set the time after which jobs that do not run again are deleted", async ({ store }) => {
    const [waiting, running, crashed] = await add(store, { Due: start + 9 }, {}, { MaxAttempts: 1 });
    const ids = [waiting, running, crashed].map((job) => job?.ID as string);
    await store.Claim(newClaim({ IsAlone: true, LeaseUntil: start + 1 }));
    assertEquals(await store.Cancel(ids.slice(0, 2), start, start + 5), 2);
    assertEquals(await claimedIDs(store, { Now: start + 2, KeepUntil: start + 6 }), []);
    const states = () => Promise.all(ids.map(async (id) => (await store.Get(id))?.State));
    assertEquals(await states(), ["canceled", "canceled", "failed"]);
    assertEquals([await store.Sweep(start + 4), await store.Sweep(start + 5), await store.Sweep(start + 6)], [0, 1, 2]);
    assertEquals(await states(), [undefined, undefined, undefined]);
  });

  behaves("Retry() keeps a job that has crashed apart from others", async ({ store }) => {
    const [job] = await add(store, {});
    await store.Claim(newClaim({ LeaseUntil: start + 1 }));
    assertEquals(await claimedIDs(store, { Now: start + 2, Names: ["Other"] }), []);
    assertEquals([await store.Cancel([job?.ID as string], start), await store.Retry([job?.ID as string], start)], [
      1,
      1,
    ]);
    assertEquals(await claimedIDs(store, { Now: start + 3, Crashed: "exclude" }), []);
    assertEquals((await claimedIDs(store, { Now: start + 3, Crashed: "only" })).length, 1);
  });

  behaves("Claim() accepts periods with fractions and large limits", async ({ store }) => {
    await add(store, {}, {});
    const Rate = { Limit: 2 ** 40, Period: 1000 / 3 };
    const limited = { Count: 2 ** 40, Limits: { Rate }, GroupLimits: { Rate } };
    assertEquals((await claimedIDs(store, limited)).length, 2);
    assertEquals((await store.List({ Limit: 2 ** 40 })).length, 2);
  });

  behaves("Unreported() returns failed jobs until they are reported", async ({ store, other }) => {
    await add(store, { MaxAttempts: 1 }, {});
    const first = await claimOne(store, { IsAlone: true });
    const second = await claimOne(store, { LeaseUntil: start + 9000 });
    const failed = { State: "failed" as const, Error: "no", KeepUntil: start, ReportAt: start + 500 };
    await store.Finish([{ ...claim(second), ...failed }], start);
    const { Expired } = await other.Claim(newClaim({ Now: start + 1000, ReportAt: start + 2000 }));
    assertEquals(Expired.map(({ ID }) => ID), [first.ID]);
    const unreported = async (now: number) =>
      (await other.Unreported("default", now, now + 1000)).map(({ ID, State }) => [ID, State]);
    assertEquals(await unreported(start + 499), []);
    assertEquals(await unreported(start + 500), [[second.ID, "failed"]]);
    assertEquals(await unreported(start + 500), []);
    await store.Sweep(start + 1000); // keeps what has not been reported
    assertEquals((await unreported(start + 2000)).length, 2);
    await store.Reported([first.ID, second.ID]);
    assertEquals(await unreported(start + 99_000), []);
    assertEquals(await store.Sweep(start + 99_000), 1);
  });

  behaves("Add() lets a job wait for the end of its batch", async ({ store, other }) => {
    const [then] = [newJob({ Pending: 5, Name: "Then" })];
    const members = Array.from({ length: 5 }, (_, i) => newJob({ Batch: then.ID, Key: i < 3 ? null : "twin" }));
    await store.Add([then], start);
    await other.Add(members, start);
    const { Jobs } = await store.Claim(newClaim({ Names: ["Then", "Remind"] }));
    assertEquals(Jobs.map(({ Name }) => Name), ["Remind", "Remind", "Remind", "Remind"]);
    const [a, b, c, d] = Jobs as [JobRecord, JobRecord, JobRecord, JobRecord];
    await store.Finish([{ ...claim(a), State: "done", KeepUntil: start }], start + 1);
    await store.Finish([{ ...claim(b), State: "failed", Error: "no", KeepUntil: null }], start + 2);
    await store.Finish([{ ...claim(c), State: "waiting", Due: start + 3 }], start + 3);
    await store.Finish([{ ...claim(d), State: "canceled", KeepUntil: null }], start + 3);
    assertEquals((await store.Get(then.ID))?.Pending, 1);
    // A job that is retried later has been counted.
    await store.Retry([b.ID], start + 4);
    const [retried] = (await store.Claim(newClaim({ Now: start + 4, Count: 2 }))).Jobs.filter(({ ID }) => ID === b.ID);
    await store.Finish([{ ...claim(retried as JobRecord), State: "done", KeepUntil: null }], start + 5);
    assertEquals((await store.Get(then.ID))?.Pending, 1);
    const waiting = await store.Get(c.ID) as JobRecord;
    await store.Finish([{ ...claim(waiting), State: "waiting", Due: start + 9 }], start + 6);
    assertEquals(await other.Delete([c.ID]), 1);
    const ready = await claimOne(other, { Names: ["Then"], Now: start + 9 });
    assertEquals([ready.ID, ready.Pending, ready.FailedInBatch], [then.ID, 0, 1]);
  });

  behaves("List() pages by key, and finds jobs that are retried", async ({ store, other }) => {
    const added = await add(
      store,
      ...Array.from({ length: 20 }, (_, i) => ({ Name: i % 2 === 0 ? "Remind" : "Send", Due: start + i })),
    );
    const { Jobs } = await store.Claim(newClaim({ Names: ["Send"], Now: start + 7 }));
    await store.Finish(Jobs.map((job) => ({ ...claim(job), State: "waiting", Error: "no", Due: start + 99 })), start);
    const pages: string[] = [];
    let Before: number | undefined = undefined;
    for (;;) {
      const page: readonly JobRecord[] = await other.List({ Limit: 3, Before });
      pages.push(...page.map(({ ID }) => ID));
      if (page.length < 3) break;
      Before = page.at(-1)?.Seq;
    }
    assertEquals(pages, added.map(({ ID }) => ID).reverse());
    const retried = await other.List({ Queue: "default", IsRetried: true, Limit: 3 });
    assertEquals(retried.map(({ Error }) => Error), ["no", "no", "no"]);
    assertEquals(retried.length + (await other.List({ IsRetried: true, Limit: 9, Before: retried[2]?.Seq })).length, 4);
    assertEquals((await other.List({ IsRetried: true, Name: "Remind", Limit: 9 })).length, 0);
    const kind = { Running: 0, Failed: 0, Done: 0 };
    assertEquals(await other.Kinds("default"), [
      { Name: "Remind", Waiting: 10, ...kind },
      { Name: "Send", Waiting: 10, ...kind },
    ]);
  });

  behaves("Tick() is not bound by a tick of the future, and adds no job twice", async ({ store, other }) => {
    const schedule = {
      Queue: "default",
      Name: "digest",
      Cron: "* * * * *",
      TimeZone: "UTC",
      Job: "Remind",
      Data: "{}",
    };
    await store.Schedule(schedule, start);
    const tick = async (At: number, now: number) => await other.Tick({ ...schedule, At, Job: newJob() }, now);
    assertEquals(await tick(start + 7_200_000, start + 7_200_000), true); // the clock was wrong
    assertEquals(await tick(start + 60_000, start + 60_000), true);
    assertEquals(await tick(start + 60_000, start + 60_001), false);
    assertEquals(await tick(start + 120_000, start + 120_000), true);
    assertEquals(await tick(start + 7_200_000, start + 7_200_000), false);
    assertEquals(await tick(start + 7_260_000, start + 7_260_000), true);
  });

  behaves("Started() corrects the start of jobs in a rate", async ({ store, other }) => {
    await add(store, {}, {}, {});
    const request = newClaim({ Limits: { Rate: { Limit: 2, Period: 100 } }, StartsAt: start + 20 });
    assertEquals((await store.Claim(request)).Jobs.length, 2);
    assertEquals((await other.Claim({ ...request, Now: start + 100 })).Next, start + 120);
    await store.Started(request, [null, null], start + 60);
    const next = await other.Claim({ ...request, Now: start + 120 });
    assertEquals([next.Jobs.length, next.Next], [0, start + 160]);
    assertEquals((await claimedIDs(other, { ...request, Now: start + 160 })).length, 1);
  });

  behaves("Renew() extends leases", async ({ store, other }) => {
    await add(store, {}, {});
    const { Jobs } = await store.Claim(newClaim());
    assertEquals(await store.Renew(Jobs, start + 3000), ["renewed", "renewed"]);
    assertEquals(await claimedIDs(other, { Now: start + 2999 }), []);
    assertEquals((await claimedIDs(other, { Now: start + 3000 })).length, 2);
    assertEquals(await store.Renew([], start), []);
    assertEquals(await store.Renew([{ ID: "nothing", Token: 1 }], start), ["lost"]);
  });

  behaves("Renew() and Finish() tell two claims of one job apart", async ({ store }) => {
    await add(store, {});
    const first = await claimOne(store);
    const second = await claimOne(store, { Now: first.LeaseUntil as number, LeaseUntil: start + 9_000 });
    const claims = [claim(first), claim(second)];
    assertEquals([first.ID, await store.Renew(claims, start + 9_000)], [second.ID, ["lost", "renewed"]]);
    const endings = claims.map((each) => ({ ...each, State: "done" as const, KeepUntil: null }));
    assertEquals(await store.Finish(endings, start + 2_000), [false, true]);
  });

  behaves("Cancel() and Delete() take a batch together with the job that waits for it", async ({ store }) => {
    const changes = {
      canceled: (ids: string[]) => store.Cancel(ids, start),
      deleted: (ids: string[]) => store.Delete(ids),
    };
    for (const [state, change] of Object.entries(changes)) {
      const then = newJob({ Pending: 1, Name: "Then" });
      const member = newJob({ Batch: then.ID });
      await store.Add([then, member], start);
      assertEquals(await change([then.ID, member.ID]), 2);
      assertEquals((await store.Get(then.ID))?.State ?? "deleted", state);
    }
  });

  behaves("Finish() counts a failed job in its batch even if the job is not kept", async ({ store }) => {
    const then = newJob({ Pending: 1, Name: "Then" });
    await store.Add([then, newJob({ Batch: then.ID })], start);
    const member = await claimOne(store);
    await store.Finish([{ ...claim(member), State: "failed", Error: "no", KeepUntil: start }], start);
    const [next] = (await store.Claim(newClaim({ Names: ["Then"] }))).Jobs;
    assertEquals([next?.ID, next?.FailedInBatch], [then.ID, 1]);
    assertEquals([await store.Sweep(start), await store.Get(member.ID)], [1, null]);
  });

  behaves("Finish() stores the outcome", async ({ store }) => {
    await add(store, {}, {}, {}, {}, {});
    const { Jobs } = await store.Claim(newClaim());
    const [done, gone, failed, again, released] = Jobs as [JobRecord, JobRecord, JobRecord, JobRecord, JobRecord];
    await store.Progress(done, "0.5");
    const now = start + 7;
    const valid = await store.Finish([
      { ...claim(done), State: "done", Result: '{"n":1}', KeepUntil: now + 1 },
      { ...claim(gone), State: "done", Result: "1", KeepUntil: now },
      { ...claim(failed), State: "failed", Error: "Error: no", KeepUntil: null },
      { ...claim(again), State: "waiting", Error: "Error: later", Due: now + 50 },
      { ...claim(released), State: "waiting", IsReleased: true, Due: start },
    ], now);
    assertEquals(valid, [true, true, true, true, true]);
    const at = async ({ ID }: JobRecord) => {
      const job = await store.Get(ID);
      return job &&
        [job.State, job.Attempt, job.Due, job.Result, job.Error, job.Progress, job.Finished, job.LeaseUntil];
    };
    assertEquals(await at(done), ["done", 1, start, '{"n":1}', null, "0.5", now, null]);
    assertEquals(await at(gone), null);
    assertEquals(await at(failed), ["failed", 1, start, null, "Error: no", null, now, null]);
    assertEquals(await at(again), ["waiting", 1, now + 50, null, "Error: later", null, null, null]);
    assertEquals(await at(released), ["waiting", 0, start, null, null, null, null, null]);
    assertEquals(await store.Finish([{ ...claim(done), State: "failed", Error: "x" }], now), [false]);
    const retaken = await claimOne(store, { Now: now });
    assertEquals([retaken.ID, retaken.Attempt, retaken.Token], [released.ID, 1, 2]);
    assertEquals(await store.Finish([{ ...claim(released), State: "done", KeepUntil: now }], now), [false]);
  });

  behaves("FinishAndClaim() ends attempts before it claims, so that limits have room", async ({ store }) => {
    if (store.FinishAndClaim === undefined) return;
    await add(store, {}, { Key: "k", KeyUntil: start + 1 }, {});
    const Limits = { MaxRunning: 1, Rate: { Limit: 2, Period: 100 } };
    const first = await claimOne(store, { Limits });
    const ending = { ...claim(first), State: "done" as const, Result: "1", KeepUntil: start + 5 };
    const { Finished, Claimed } = await store.FinishAndClaim([ending, { ...ending, ID: "x" }], newClaim({ Limits }));
    assertEquals([Finished, Claimed.Jobs.length], [[true, false], 1]);
    assertEquals(Claimed.Jobs[0]?.Key, "k");
    const lost = await store.FinishAndClaim([ending], newClaim({ Limits, Now: start + 1 }));
    assertEquals([lost.Finished, lost.Claimed], [[false], { Jobs: [], Expired: [], Next: start + 100, Crashes: 0 }]);
    assertEquals((await store.List({ State: "running", Limit: 9 })).map(({ Key }) => Key), ["k"]);
    assertEquals((await store.List({ State: "done", Limit: 9 })).map(({ Result }) => Result), ["1"]);
  });

  behaves("Sweep() deletes only what need not be kept", async ({ store }) => {
    await add(store, {}, {}, {}, {});
    const { Jobs } = await store.Claim(newClaim({ Count: 3 }));
    const [short, long, ever] = Jobs as [JobRecord, JobRecord, JobRecord];
    await store.Finish([
      { ...claim(short), State: "done", KeepUntil: start + 10 },
      { ...claim(long), State: "failed", Error: "e", KeepUntil: start + 20 },
      { ...claim(ever), State: "failed", Error: "e", KeepUntil: null },
    ], start);
    assertEquals(await store.Sweep(start + 9), 0);
    assertEquals(await store.Sweep(start + 19), 1);
    assertEquals(await store.Sweep(start + 1e9), 1);
    assertEquals((await store.List({ Limit: 10 })).length, 2);
  });

  behaves("Cancel() cancels waiting jobs at once and tells the process of a running job", async ({ store, other }) => {
    const [waiting] = await add(store, { Due: start + 10, Key: "k" }, {});
    const running = await claimOne(store);
    assertEquals(await other.Cancel([waiting?.ID as string, running.ID, "nothing"], start + 1), 2);
    assertEquals((await store.Get(waiting?.ID as string))?.State, "canceled");
    assertEquals((await store.Add([newJob({ Key: "k" })], start))[0]?.IsNew, true);
    assertEquals((await store.Get(running.ID))?.IsCanceled, true);
    assertEquals(await store.Renew([running], start + 1000), ["canceled"]);
    assertEquals(await store.Finish([{ ...claim(running), State: "canceled", KeepUntil: null }], start + 2), [true]);
    assertEquals(await other.Cancel([running.ID], start + 3), 0);
    assertEquals((await store.Get(running.ID))?.State, "canceled");
  });

  behaves("Cancel() also reaches a job whose process has disappeared", async ({ store }) => {
    await add(store, {});
    const { ID } = await claimOne(store);
    await store.Cancel([ID], start);
    assertEquals(await claimedIDs(store, { Now: start + 1000 }), []);
    assertEquals((await store.Get(ID))?.State, "canceled");
  });

  behaves("Retry() makes failed and canceled jobs due with all their attempts", async ({ store, other }) => {
    const [other1] = await add(store, { Due: start + 5 }, {});
    const { ID, Token } = await claimOne(store);
    assertEquals(await store.Retry([ID, other1?.ID as string], start), 0);
    await store.Finish([{ ID, Token, State: "failed", Error: "no", KeepUntil: start + 5 }], start);
    assertEquals(await other.Retry([ID], start + 1), 1);
    await store.Sweep(start + 6);
    const again = await claimOne(store, { Now: start + 1 });
    assertEquals([again.ID, again.Attempt, again.Token, again.Finished], [ID, 1, 2, null]);
    await store.Cancel([other1?.ID as string], start);
    assertEquals(await store.Retry([other1?.ID as string], start), 1);
  });

  behaves("Delete() deletes jobs that are not running", async ({ store }) => {
    const [later] = await add(store, { Due: start + 5, Key: "k" }, {});
    const { ID } = await claimOne(store);
    assertEquals(await store.Delete([ID, later?.ID as string, "nothing"]), 1);
    assertEquals((await store.Add([newJob({ Key: "k" })], start))[0]?.IsNew, true);
    assertEquals(await store.Get(later?.ID as string), null);
    assertEquals((await store.Get(ID))?.State, "running");
  });

  behaves("List() and Stats() describe the queues", async ({ store, other }) => {
    const [a, , c] = await add(store, { Due: start - 50 }, { Due: start + 10 }, { Queue: "mail", Name: "Send" });
    const failed = await claimOne(store, { Queue: "mail", Names: ["Send"] });
    await store.Finish([{ ...claim(failed), State: "failed", Error: "no", KeepUntil: null }], start);
    const all = await other.List({ Limit: 10 });
    assertEquals(all.length, 3);
    assertEquals((await other.List({ Limit: 1, Before: all[1]?.Seq ?? 0 }))[0]?.ID, a?.ID);
    assertEquals((await other.List({ Limit: 10, State: "failed" })).map(({ ID }) => ID), [c?.ID as string]);
    assertEquals((await other.List({ Limit: 10, Queue: "mail", Name: "Remind" })).length, 0);
    assertEquals(await other.Stats(start), [
      { Queue: "default", Waiting: 2, Due: 1, Running: 0, Failed: 0, Done: 0, OldestDue: start - 50 },
      { Queue: "mail", Waiting: 0, Due: 0, Running: 0, Failed: 1, Done: 0, OldestDue: null },
    ]);
  });

  behaves("Claim() never exceeds the number of running jobs", async ({ store, other }) => {
    await add(store, {}, {}, {}, {}, {});
    const Limits = { MaxRunning: 2 };
    const claims = await Promise.all([store, other, store, other].map((each) => claimedIDs(each, { Limits })));
    assertEquals(claims.flat().length, 2);
    // A job whose lease has expired does not count.
    assertEquals((await claimedIDs(other, { Limits, Now: start + 1000 })).length, 2);
    const { Jobs } = await store.Claim(newClaim({ Limits, Now: start + 2000, LeaseUntil: start + 9000 }));
    await store.Finish([{ ...claim(Jobs[0] as JobRecord), State: "done", KeepUntil: start }], start + 2001);
    assertEquals((await claimedIDs(store, { Limits, Now: start + 2001 })).length, 1);
  });

  behaves("Claim() never exceeds the rate, and reports when it allows more", async ({ store, other }) => {
    await add(store, {}, {}, {}, {}, {});
    const Limits = { Rate: { Limit: 2, Period: 100 } };
    const first = await store.Claim(newClaim({ Limits, Count: 1 }));
    assertEquals(first.Jobs.length, 1);
    assertEquals((await claimedIDs(other, { Limits, Now: start + 40 })).length, 1);
    const full = await store.Claim(newClaim({ Limits, Now: start + 41 }));
    assertEquals([full.Jobs.length, full.Next], [0, start + 100]);
    const next = await other.Claim(newClaim({ Limits, Now: start + 100, Count: 5 }));
    assertEquals([next.Jobs.length, next.Next], [1, start + 140]);
    assertEquals((await claimedIDs(store, { Limits, Now: start + 1000 })).length, 2);
  });

  behaves("Claim() limits each group, and a full group does not delay others", async ({ store, other }) => {
    const jobs = await add(
      store,
      ...Array.from({ length: 30 }, () => ({ Group: "a" })),
      { Group: "b" },
      {},
      { Group: "b", Priority: -1 },
    );
    const GroupLimits = { MaxRunning: 1 };
    assertEquals(
      await claimedIDs(store, { GroupLimits }),
      [jobs[0], jobs[30], jobs[31]].map((job) => job?.ID as string),
    );
    assertEquals(await claimedIDs(other, { GroupLimits }), []);
  });

  behaves("Claim() limits the rate of each group", async ({ store }) => {
    await add(store, { Group: "a" }, { Group: "a" }, { Group: "a" }, { Group: "b" });
    const GroupLimits = { Rate: { Limit: 2, Period: 100 } };
    const claimed = await store.Claim(newClaim({ GroupLimits }));
    assertEquals([claimed.Jobs.length, claimed.Next], [3, start + 100]);
    assertEquals((await claimedIDs(store, { GroupLimits, Now: start + 99 })).length, 0);
    assertEquals((await claimedIDs(store, { GroupLimits, Now: start + 100 })).length, 1);
  });

  behaves("Tick() adds one job per tick", async ({ store, other }) => {
    const template = { Cron: "0 7 * * *", TimeZone: "UTC", Job: "Remind", Data: "{}" };
    const schedule = { Queue: "default", Name: "digest", ...template };
    assertEquals(await store.Tick({ ...schedule, At: start, Job: newJob() }, start), false);
    assertEquals(await store.Schedule(schedule, start), { ...schedule, Last: start });
    assertEquals(await other.Schedule(schedule, start + 50), { ...schedule, Last: start });
    const tick = async (each: Store, At: number) => await each.Tick({ ...schedule, At, Job: newJob() }, At);
    const ticked = await Promise.all(Array.from({ length: 20 }, (_, i) => tick(i % 2 ? store : other, start + 100)));
    assertEquals(ticked.filter(Boolean).length, 1);
    assertEquals(await tick(store, start + 99), false);
    assertEquals(await tick(other, start + 200), true);
    assertEquals((await store.List({ Limit: 10 })).length, 2);
    assertEquals(await store.Schedules(), [{ ...schedule, Last: start + 200 }]);
    const changed = { ...schedule, Cron: "0 8 * * *" };
    assertEquals(await other.Schedule(changed, start + 500), { ...changed, Last: start + 500 });
    assertEquals(await store.Unschedule("default", "digest"), true);
    assertEquals(await store.Unschedule("default", "digest"), false);
    assertEquals(await store.Schedules(), []);
  });

  behaves("Watch() notifies of jobs that another process adds", async ({ store, other }) => {
    if (store.Watch === undefined) return;
    for (const adder of [other, store]) {
      const { promise, resolve } = Promise.withResolvers<void>();
      const stop = await store.Watch(resolve);
      try {
        await add(adder, {});
        await promise;
      } finally {
        await stop();
      }
    }
  });

  behaves("Add() joins a transaction", async ({ store, other, begin }) => {
    if (begin === undefined) {
      await assertRejects(async () => await store.Add([newJob()], start, {}), Error, "transaction");
      return;
    }
    const [kept, dropped, twin] = [newJob({ Key: "kept" }), newJob({ Key: "dropped" }), newJob({ Key: "kept" })];
    const first = await begin();
    assertEquals(await store.Add([kept], start, first.tx), [{ ID: kept.ID, IsNew: true }]);
    assertEquals(await store.Add([twin], start, first.tx), [{ ID: kept.ID, IsNew: false }]);
    assertEquals(await other.Get(kept.ID), null);
    await first.commit();
    assertEquals((await other.Get(kept.ID))?.State, "waiting");
    const second = await begin();
    await store.Add([dropped], start, second.tx);
    await second.rollback();
    assertEquals(await other.Get(dropped.ID), null);
    assertEquals(await claimedIDs(other), [kept.ID]);
    await assertRejects(async () => await store.Add([newJob()], start, "no transaction"), Error, "transaction");
  });
}

function claim({ ID, Token }: JobRecord): { ID: string; Token: number } {
  return { ID, Token };
}
