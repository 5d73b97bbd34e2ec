/**
 * The callbacks of job queues.
 *
 * @module
 */

import * as jobs from "@fw/web/jobs";
import { Key, Logger, New } from "@fw/web";
import { assertEquals } from "@std/assert";
import type { Fault } from "./faults.ts";
import { soon } from "./site.ts";
import type { Family, Row } from "./table.ts";

/** A queue with a callback, and what happened to its jobs. */
interface Scene {
  readonly store?: (store: jobs.Store) => jobs.Store;
  readonly options?: jobs.Options;
  readonly set?: (queue: jobs.Queue) => unknown;
  /** The job whose run calls the callback. Fails by default. */
  readonly job?: () => unknown;
  /** Further steps while the queue runs. Their result replaces that of the job. */
  readonly steps?: (queue: jobs.Queue) => Promise<string>;
}

/** Runs a job that calls the callback, and others before and after it. */
async function inQueue({ store = (same) => same, options, set, job, steps }: Scene): Promise<string> {
  const lines: string[] = [];
  const memory = jobs.NewMemory();
  const logger = new Logger().SetTimeFormat("").SetOutput((line) => lines.push(line));
  const limits = { Lease: 400, PollEvery: 20, ShutdownTimeout: 300, Timeout: 100, MaxAttempts: 3 };
  const queue = jobs.New(store(memory), { ...limits, Logger: logger, ...options });
  const later = Promise.withResolvers<void>();
  function faulty(): unknown {
    if (job === undefined) throw new Error("the job fails");
    return job();
  }
  function other(_: undefined, ctx: jobs.Context): void {
    if (ctx.Key === "later") later.resolve();
  }
  queue.Handle(faulty, other);
  await set?.(queue);
  const running = queue.Run();
  try {
    await soon(queue.Add(other), "the first job");
    const { ID } = await soon(queue.Add(faulty), "the faulty job");
    const told = await steps?.(queue);
    const state = await stateOf(memory, ID);
    await soon(queue.Add(other, undefined, { Key: "later" }), "the last job");
    await soon(later.promise, "the end of another job");
    const log = lines.some((line) => /ERRO/.test(line)) ? " logged" : "";
    return `${told ?? state}${log}`;
  } finally {
    await soon(queue.Shutdown(), "the shutdown");
    await soon(running, "the end");
    const stuck = (await memory.List({ Limit: 10, State: "running", Queue: "default" })).map(({ Name }) => Name);
    assertEquals(stuck, [], "a job is still running");
  }
}

/** Waits until an attempt has ended. */
async function stateOf(store: jobs.Store, id: string): Promise<string> {
  for (let round = 0; round < 2_000; round++) {
    const job = await store.Get(id);
    if (job !== null && job.State !== "running" && (job.State !== "waiting" || job.Attempt > 0)) {
      return job.State === "waiting" && job.Due - Date.now() > 3_600_000 ? "lost" : job.State;
    }
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
  return "stuck";
}

const rows: readonly Row[] = [
  {
    of: ["jobs/config.Options.Backoff"],
    run: ({ fn }) => inQueue({ options: { Backoff: fn } }),
    gives: {
      throws: "waiting logged",
      rejects: "waiting logged",
      never: "waiting logged",
      values: "waiting logged",
    },
  },
  {
    of: ["jobs/config.Options.Clock"],
    run: ({ fn }) => inQueue({ options: { Clock: fn }, job: () => {} }),
    gives: { throws: "done logged", rejects: "done logged", never: "done logged", values: "done logged" },
  },
  {
    of: ["jobs/job.Define(run)"],
    run: ({ fn }) => inQueue({ job: fn }),
    gives: { throws: "waiting", rejects: "waiting", never: "waiting", values: "done", symbol: "done logged" },
  },
  {
    of: ["jobs/queue.Middleware", "jobs/queue.Queue.Use(middleware)"],
    run: ({ fn }) =>
      inQueue({ set: (queue) => queue.Use((ctx, next) => ctx.Name === "faulty" ? fn() : next()), job: () => {} }),
    gives: { throws: "waiting", rejects: "waiting", never: "waiting", values: "done", symbol: "done logged" },
  },
  {
    of: ["jobs/failure_reports.FailureObserver", "jobs/queue.Queue.OnFailed(observer)"],
    run: ({ fn }) => inQueue({ set: (queue) => queue.OnFailed(fn), options: { MaxAttempts: 1 } }),
    gives: { throws: "failed logged", rejects: "failed logged", never: "failed logged", values: "failed logged" },
  },
];

/** Lets the first call of a store's method fail. */
function broken(name: keyof jobs.Store, fault: Fault, isOnce = true): (store: jobs.Store) => jobs.Store {
  return (store) =>
    new Proxy(store, {
      get(target, key) {
        if (key === name && !(isOnce && fault.calls > 0)) return fault.fn;
        // A worker calls Finish only if there is nothing to claim, or if the store cannot do both in one step.
        if (name === "Finish" && key === "FinishAndClaim") return undefined;
        const member: unknown = Reflect.get(target, key, target);
        return typeof member === "function" ? member.bind(target) : member;
      },
    });
}

/** The methods that the worker calls on its own. */
const worker = ["Claim", "Finish", "FinishAndClaim", "Renew", "Sweep", "Schedule", "Tick", "Watch", "Now"] as const;

function job(): void {}

const working = worker.map((name): Row => ({
  of: [`jobs/store.Store.${name}`],
  run: (fault) =>
    inQueue({
      store: broken(name, fault),
      job: async () => {
        // The lease is renewed while a job runs.
        if (name === "Renew") await soon(fault.called, "the renewal");
        if (name === "Tick") await soon(fault.called, "the tick");
      },
      options: { Timeout: 4_000 },
      set: (queue) => queue.Schedule("* * * * * *", job, undefined, { Name: "each second" }),
    }),
  gives: {
    throws: "done logged",
    rejects: "done logged",
    // A job may end before its lease.
    never: name === "Renew" ? "done" : "done logged",
    values: "done logged",
  },
}));

/** The methods that methods of the queue call. */
const asked: Readonly<Partial<Record<keyof jobs.Store, (queue: jobs.Queue) => Promise<unknown>>>> = {
  Add: (queue) => queue.Add(job),
  Get: (queue) => queue.Get("x"),
  List: (queue) => queue.List(),
  Stats: (queue) => queue.Stats(),
  Cancel: (queue) => queue.Cancel("x"),
  Retry: (queue) => queue.Retry("x"),
  Delete: (queue) => queue.Delete("x"),
  Hurry: (queue) => queue.RunNow("x"),
  Kinds: (queue) => queue.Kinds(),
  Pause: (queue) => queue.Pause(),
  Pauses: (queue) => queue.Paused(),
};

const calling = Object.entries(asked).map(([name, call]): Row => ({
  of: [`jobs/store.Store.${name}`],
  run: async (fault) => {
    const queue = jobs.New(broken(name as keyof jobs.Store, fault)(jobs.NewMemory()), { Lease: 300 });
    const first = await soon(call(queue).then(() => "resolves", () => "rejects"), "the first call");
    await soon(call(queue), "the second call");
    return first;
  },
  gives: {
    throws: "rejects",
    rejects: "rejects",
    never: "rejects",
    values: "rejects",
    ...name === "Get" && { null: "resolves" },
  },
}));

const progress: Row = {
  of: ["jobs/store.Store.Progress"],
  run: async (fault) => {
    let told = "";
    async function reporting(_: undefined, ctx: jobs.Context): Promise<void> {
      told = await ctx.Progress(1).then(() => "resolves", () => "rejects");
    }
    const store = broken("Progress", fault)(jobs.NewMemory());
    const queue = jobs.New(store, { Lease: 300, Logger: new Logger().SetLevel("disable") }).Handle(reporting);
    await queue.Add(reporting);
    await soon(queue.Drain(), "the job");
    return told;
  },
  gives: { throws: "rejects", rejects: "rejects", never: "rejects", values: "rejects" },
};

const keys: Row = {
  of: ["jobs/adding.AddAllOptions.Key"],
  run: ({ fn }) => {
    const queue = jobs.New(jobs.NewMemory());
    return soon(queue.AddAll(job, [undefined], { Key: fn }).then(() => "resolves", () => "rejects"), "the call");
  },
  gives: { throws: "rejects", rejects: "rejects", never: "rejects", values: "rejects" },
};

/** Adds a job in a request, reads a value of the request in the job, and returns how both ended. */
async function carry(Encode: (value: string) => unknown, Decode: (data: unknown) => string): Promise<string> {
  const key = Key<string>("carried");
  const app = New();
  app.Logger().SetLevel("disable");
  app.Install({ Name: "carrying", Install: (host) => host.Provide(key, () => "value", { Encode, Decode }) });
  function reading(_: undefined, ctx: jobs.Context): string {
    return typeof ctx.Values().Get(key);
  }
  const queue = jobs.New(jobs.NewMemory(), { MaxAttempts: 1 }).Handle(reading, job).RunWith(app);
  app.Get("/", async () => void await queue.Add(reading));
  app.Get("/other", (ctx) => ctx.WriteString("fine"));
  const { status } = await soon(Promise.resolve(app.fetch(new Request("http://localhost/"))), "the request");
  const other = await soon(Promise.resolve(app.fetch(new Request("http://localhost/other"))), "another request");
  assertEquals(await other.text(), "fine");
  await soon(queue.Add(job), "another job");
  await soon(queue.Drain(), "the jobs");
  const [ran] = await queue.List({ Name: "reading" });
  await app.Shutdown();
  return `${status} ${ran?.State ?? "not added"}`;
}

const carrying: readonly Row[] = [
  {
    of: ["context/extension.Carry.Encode"],
    run: ({ fn }) => carry(fn, String),
    gives: {
      throws: "500 not added",
      rejects: "500 not added",
      never: "500 not added",
      // All other values can be stored, and Decode receives them.
      values: "200 done",
      symbol: "500 not added",
    },
  },
  {
    of: ["context/extension.Carry.Decode"],
    run: ({ fn }) => carry(String, fn),
    gives: { throws: "200 failed", rejects: "200 failed", never: "200 failed", values: "200 done" },
  },
];

export const family: Family = { name: "jobs", rows: [...rows, ...working, ...calling, progress, keys, ...carrying] };
