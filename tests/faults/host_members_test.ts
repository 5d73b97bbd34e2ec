/**
 * The members of an extension's host and the faults of the functions that they are given.
 *
 * @module
 */

import * as fw from "@fw/web";
import * as jobs from "@fw/web/jobs";
import * as health from "@fw/web/middleware/health";
import * as metrics from "@fw/web/middleware/metrics";
import { assert, assertEquals, assertRejects, assertStringIncludes, assertThrows } from "@std/assert";

/** The faults. */
const faults = ["throws", "rejects", "never returns", "returns nonsense", "is called after Build"] as const;
type Fault = typeof faults[number];

/** The members of the host that take functions or change the application. */
const members = [
  "Options",
  "Errors",
  "Provide",
  "Provide Encode",
  "Provide Decode",
  "Label",
  "ViewFunc",
  "Page",
  "Panel",
  "Check start",
  "Check ready",
  "Meter",
  "Run",
  "Run Drain",
  "Run Dispose",
] as const;
type Member = typeof members[number];

/** A program with the extension under test. */
interface Bench {
  readonly app: fw.Application;
  readonly lines: string[];
  readonly host: fw.Host;
}

function newBench(): Bench {
  const app = fw.New();
  const lines: string[] = [];
  app.Logger().SetTimeFormat("").SetOutput((line) => lines.push(line));
  const host = app.Install({ Name: "tested", Install: (own) => own });
  app.Get("/fine", (ctx) => ctx.WriteString("fine"));
  return { app, lines, host };
}

/** Returns a function with a fault. */
// deno-lint-ignore no-explicit-any
function faulty(fault: Fault): () => any {
  switch (fault) {
    case "throws":
      return () => {
        throw new Error("secret reason");
      };
    case "rejects":
      return () => Promise.reject(new Error("secret reason"));
    case "never returns":
      return () => new Promise(() => {});
    default:
      return () => ({ not: "expected" });
  }
}

async function statusOf(app: fw.Application, path: string): Promise<number> {
  const response = await app.fetch(new Request(`http://localhost${path}`));
  assert(!(await response.text()).includes("secret reason"));
  return response.status;
}

/** Asserts that nothing else is affected. */
async function assertFine({ app }: Bench): Promise<void> {
  assertEquals(await statusOf(app, "/fine"), 200);
}

/** Serves an application until it is shut down, and returns whether it was ready. */
async function ready(app: fw.Application): Promise<number> {
  health.New({ MaxAge: 0, Timeout: 50 }).Register(app);
  return await statusOf(app, "/readyz");
}

/** Runs an application for a moment. */
async function lived(app: fw.Application): Promise<void> {
  const running = app.Run(
    "127.0.0.1:0",
    fw.WithoutStartupLog,
    fw.WithShutdownTimeout(400),
    fw.WithOnListen(() => queueMicrotask(() => void app.Shutdown())),
  );
  assertEquals(await running, null);
}

const key = fw.Key<unknown>("tested");

/** Asserts that a call fails because the application was built. */
async function assertLate(call: (host: fw.Host) => unknown): Promise<void> {
  const bench = newBench();
  await bench.app.Build();
  const error = assertThrows(() => call(bench.host), fw.FrameworkError);
  assertEquals(error.Code, "FW_STATE");
  await assertFine(bench);
}

/** The synchronous part of a member does not call a function with this fault. */
const notCalled = "not called";
type Attempt = (bench: Bench, fault: Fault) => Promise<void>;
type Cell = typeof notCalled | Attempt;

/** The outcome of each member, by fault. */
const table: Readonly<Record<Member, Readonly<Record<Fault, Cell>>>> = {
  "Options": {
    "throws": notCalled,
    "rejects": notCalled,
    "never returns": notCalled,
    "returns nonsense": async (bench) => {
      assertThrows(() => bench.host.Options({ A: 5 }, { A: { Kind: "string" } }), fw.FrameworkError);
      await assertFine(bench);
    },
    "is called after Build": async (bench) => {
      await bench.app.Build();
      // It only checks its arguments.
      assertEquals(bench.host.Options({ A: "x" }, { A: { Kind: "string" } }), { A: "x" });
    },
  },
  "Errors": {
    "throws": notCalled,
    "rejects": notCalled,
    "never returns": notCalled,
    "returns nonsense": async (bench) => {
      for (const code of ["FW_MINE", "lower", "A-B"]) {
        const declare = () => bench.host.Errors({ [code]: { Meaning: "x", Remedy: "y" } });
        assertThrows(declare, fw.FrameworkError, `Cannot declare the error code "${code}"`);
      }
      assertThrows(() => bench.host.Errors({ MINE: { Meaning: "x", Remedy: "" } }), fw.FrameworkError);
      await assertFine(bench);
    },
    "is called after Build": () => assertLate((host) => host.Errors({ MINE: { Meaning: "x", Remedy: "y" } })),
  },
  "Provide": {
    "throws": provides(500),
    "rejects": provides(500),
    "never returns": async (bench, fault) => {
      bench.app.Configure(fw.WithHandlerTimeout(50), fw.WithShutdownTimeout(100));
      await provides(503)(bench, fault);
    },
    "returns nonsense": provides(200),
    "is called after Build": () => assertLate((host) => host.Provide(key, () => 1)),
  },
  "Provide Encode": {
    "throws": carries("Encode", 500, "not added"),
    "rejects": carries("Encode", 500, "not added"),
    "never returns": carries("Encode", 500, "not added"),
    // An object can be stored, and Decode receives it.
    "returns nonsense": carries("Encode", 200, "done"),
    "is called after Build": () => assertLate((host) => host.Provide(key, () => 1, { Encode: Number, Decode: Number })),
  },
  "Provide Decode": {
    "throws": carries("Decode", 200, "failed"),
    "rejects": carries("Decode", 200, "failed"),
    "never returns": carries("Decode", 200, "failed"),
    "returns nonsense": carries("Decode", 200, "done"),
    "is called after Build": () => assertLate((host) => host.Provide(key, () => 1, { Encode: Number, Decode: Number })),
  },
  "Label": {
    "throws": labels,
    "rejects": labels,
    "never returns": labels,
    "returns nonsense": labels,
    "is called after Build": () => assertLate((host) => host.Label("x", () => "", {})),
  },
  "ViewFunc": {
    "throws": views(500),
    "rejects": views(500),
    "never returns": views(500),
    "returns nonsense": views(200),
    "is called after Build": () => assertLate((host) => host.ViewFunc("tested", () => "")),
  },
  "Page": {
    "throws": pages(500),
    "rejects": pages(500),
    "never returns": async (bench, fault) => {
      bench.app.Configure(fw.WithHandlerTimeout(50), fw.WithShutdownTimeout(100));
      await pages(503)(bench, fault);
    },
    "returns nonsense": pages(500),
    "is called after Build": () => assertLate((host) => host.Page("/late", () => {})),
  },
  "Panel": {
    "throws": listed,
    "rejects": listed,
    "never returns": listed,
    "returns nonsense": listed,
    "is called after Build": () => assertLate((host) => host.Panel("Late", () => "")),
  },
  "Check start": {
    "throws": fails,
    "rejects": fails,
    "never returns": async (bench) => {
      // The time limit is half a minute, so only the signal is tested.
      let given: unknown;
      bench.host.Check("tested", (signal) => void (given = signal), "start");
      await assertFine(bench);
      assert(given instanceof AbortSignal);
    },
    "returns nonsense": async (bench, fault) => {
      bench.host.Check("tested", faulty(fault), "start");
      await assertFine(bench);
    },
    "is called after Build": () => assertLate((host) => host.Check("late", () => {}, "start")),
  },
  "Check ready": {
    "throws": readiness(503),
    "rejects": readiness(503),
    "never returns": readiness(503),
    "returns nonsense": readiness(200),
    "is called after Build": () => assertLate((host) => host.Check("late", () => {}, "ready")),
  },
  "Meter": {
    "throws": measures,
    "rejects": measures,
    "never returns": measures,
    "returns nonsense": measures,
    "is called after Build": () => assertLate((host) => host.Meter(() => [])),
  },
  "Run": {
    "throws": works("has failed and starts again"),
    "rejects": works("has failed and starts again"),
    "never returns": works("was not drained in time"),
    "returns nonsense": works(""),
    "is called after Build": () => assertLate((host) => host.Run(() => {})),
  },
  "Run Drain": {
    "throws": works("Cannot drain the work", "Drain"),
    "rejects": works("Cannot drain the work", "Drain"),
    "never returns": works("was not drained in time", "Drain"),
    "returns nonsense": works("", "Drain"),
    "is called after Build": () => assertLate((host) => host.Run(() => {}, { Drain: () => {} })),
  },
  "Run Dispose": {
    "throws": works("Cannot dispose of the work", "Dispose"),
    "rejects": works("Cannot dispose of the work", "Dispose"),
    "never returns": works("was not disposed of in time", "Dispose"),
    "returns nonsense": works("", "Dispose"),
    "is called after Build": () => assertLate((host) => host.Run(() => {}, { Dispose: () => {} })),
  },
};

function provides(status: number): Attempt {
  return async (bench, fault) => {
    bench.host.Provide(key, faulty(fault));
    bench.app.Get("/", async (ctx) => ctx.WriteString(typeof await ctx.Values().Get(key)));
    assertEquals(await statusOf(bench.app, "/"), status);
    await assertFine(bench);
  };
}

/** Adds a job in a request, and reads the value in the job. */
function carries(method: "Encode" | "Decode", status: number, state: string): Attempt {
  return async (bench, fault) => {
    function read(_: undefined, ctx: jobs.Context): void {
      ctx.Values().Get(key);
    }
    bench.host.Provide(key, () => 1, { Encode: Number, Decode: Number, [method]: faulty(fault) });
    const queue = jobs.New(jobs.NewMemory(), { MaxAttempts: 1 }).Handle(read).RunWith(bench.app);
    bench.app.Get("/", async () => void await queue.Add(read));
    assertEquals(await statusOf(bench.app, "/"), status);
    await queue.Drain();
    const [job] = await queue.List();
    assertEquals(job?.State ?? "not added", state);
    await assertFine(bench);
  };
}

async function labels(bench: Bench, fault: Fault): Promise<void> {
  bench.host.Label("tested", faulty(fault), { Log: true, Vary: true, Metric: ["a"] });
  bench.app.Get("/", (ctx) => ctx.Logger().Info("line"));
  for (let i = 0; i < 2; i++) assertEquals(await statusOf(bench.app, "/"), 200);
  assertEquals(bench.lines.filter((line) => line.startsWith("[INFO]")), ["[INFO] line", "[INFO] line"]);
  const reported = bench.lines.filter((line) => line.includes('Cannot read the label "tested" of "tested"'));
  assertEquals(reported.length, 1);
}

function views(status: number): Attempt {
  return async (bench, fault) => {
    bench.app.RegisterView(fw.HTML("").ParseTemplate("page.html", "<%= typeof tested() %>"));
    bench.host.ViewFunc("tested", faulty(fault));
    bench.app.Get("/", (ctx) => ctx.View("page"));
    assertEquals(await statusOf(bench.app, "/"), status);
    await assertFine(bench);
  };
}

function pages(status: number): Attempt {
  return async (bench, fault) => {
    bench.host.Page("/page", faulty(fault));
    assertEquals(await statusOf(bench.app, "/page"), status);
    await assertFine(bench);
  };
}

async function listed(bench: Bench, fault: Fault): Promise<void> {
  bench.host.Panel("Tested", faulty(fault));
  assert(bench.app.Extensions().some(({ Panels }) => typeof Panels["Tested"] === "function"));
  await assertFine(bench);
}

async function fails(bench: Bench, fault: Fault): Promise<void> {
  bench.host.Check("tested", faulty(fault), "start");
  const error = await assertRejects(async () => await bench.app.Build(), fw.FrameworkError);
  assertStringIncludes(error.message, 'the check "tested" of "tested" failed: secret reason');
}

function readiness(status: number): Attempt {
  return async (bench, fault) => {
    bench.host.Check("tested", faulty(fault), "ready");
    assertEquals(await ready(bench.app), status);
    await assertFine(bench);
  };
}

async function measures(bench: Bench, fault: Fault): Promise<void> {
  const counted = metrics.New();
  bench.app.UseRouter(counted.Handler());
  bench.host.Meter(faulty(fault));
  bench.app.Install({
    Name: "other",
    Install: (host) => host.Meter(() => [{ Name: "other_total", Type: "counter", Help: "Others.", Value: 1 }]),
  });
  await assertFine(bench);
  for (let i = 0; i < 2; i++) assertStringIncludes(counted.Text(), "other_total 1");
  assertEquals(bench.lines.filter((line) => line.includes('Cannot read the numbers of "tested"')).length, 1);
}

function works(logged: string, option?: "Drain" | "Dispose"): Attempt {
  return async (bench, fault) => {
    const steps: string[] = [];
    bench.app.Install({
      Name: "other",
      Install: (host) => host.Run(() => void steps.push("started"), { Dispose: () => void steps.push("disposed") }),
    });
    if (option === undefined) bench.host.Run(faulty(fault));
    else bench.host.Run(() => {}, { [option]: faulty(fault) });
    await lived(bench.app);
    assertEquals(steps, ["started", "disposed"]);
    const lines = bench.lines.filter((line) => line.includes("of the extension"));
    if (logged === "") assertEquals(lines, []);
    else assertStringIncludes(lines.join("\n"), logged);
  };
}

for (const member of members) {
  Deno.test(`Host.${member} has a defined outcome for every fault of its function`, async (t) => {
    assertEquals(Object.keys(table[member]).toSorted(), [...faults].toSorted());
    for (const fault of faults) {
      const cell = table[member][fault];
      if (cell === notCalled) continue;
      await t.step(fault, async () => {
        const bench = newBench();
        await cell(bench, fault);
        await bench.app.Shutdown();
      });
    }
  });
}

Deno.test("Host has a row in the table for each of its members that takes a function", () => {
  const own = new Set(members.map((member) => member.split(" ")[0]));
  const names = Object.getOwnPropertyNames(Object.getPrototypeOf(newBench().host));
  const taking = names.filter((name) => /^[A-Z]/.test(name) && name !== "App");
  assertEquals(taking.toSorted(), [...own].toSorted() as string[]);
  assertEquals(taking.length + ["App", "Party", "Seam"].length, 13);
});
