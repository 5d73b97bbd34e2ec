import { assertEquals } from "@std/assert";
import { fromFileUrl } from "@std/path";
import * as fw from "@fw/web";
import * as jobs from "@fw/web/jobs";
import * as sqlite from "@fw/web/jobs/sqlite";

const Logger = new fw.Logger().SetLevel("disable");

/** Calls a function with the path of a database that is deleted afterwards. */
async function withFile<T>(use: (file: string, folder: string) => Promise<T>): Promise<T> {
  const folder = await Deno.makeTempDir();
  try {
    return await use(`${folder}/jobs.db`, folder);
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}

Deno.test("Queue.Run() fails exactly the job that kills its process, and finishes its neighbours", async () => {
  await withFile(async (File, folder) => {
    const store = sqlite.New({ File });
    await store.Migrate();
    const queue = jobs.New(store, { MaxAttempts: 3 });
    const work = (_name: string) => {};
    const names = Array.from({ length: 30 }, (_, i) => `job ${i}`);
    await queue.AddAll(work, [...names.slice(0, 3), "poison", ...names.slice(3)]);
    const script = fromFileUrl(new URL("./processes/poisoned.ts", import.meta.url));
    const args = ["run", "-A", "--no-check", script, File, `${folder}/runs`, "1000"];
    let crashes = 0;
    // A process that is killed is started again, as by an orchestrator.
    for (let isOver = false; !isOver;) {
      const process = new Deno.Command(Deno.execPath(), { args, stdout: "null", stderr: "null" }).spawn();
      let hasEnded = false;
      const ended = process.status.then(() => hasEnded = true);
      while (!hasEnded && !isOver) {
        const { Waiting, Running } = await queue.Stats();
        isOver = Waiting + Running === 0;
        await new Promise((resolve) => setTimeout(resolve, 20));
      }
      if (hasEnded) crashes++;
      else process.kill("SIGTERM");
      await ended;
    }
    const failed = await queue.List({ State: "failed" });
    assertEquals(failed.map(({ Data, Attempt }) => [Data, Attempt]), [["poison", 3]]);
    const runs = (await Deno.readTextFile(`${folder}/runs`)).trim().split("\n");
    assertEquals(new Set(runs), new Set(names));
    // The first crash was among neighbours, and each of the others was its own.
    assertEquals(crashes, 4);
    await store.Close();
  });
});

Deno.test("Queue.Drain() runs jobs whose lease has expired one at a time, in all queues of the process", async () => {
  const clock = { now: Date.UTC(2026, 0, 5, 7) };
  const store = jobs.NewMemory();
  let running = 0;
  let most = 0;
  async function work(_data: unknown) {
    most = Math.max(most, ++running);
    await new Promise((resolve) => setTimeout(resolve, 2));
    running--;
  }
  const options = { Clock: () => clock.now, Logger, Lease: 1_000 };
  const queue = jobs.New(store, options).Handle(work);
  await queue.AddAll(work, [1, 2, 3, 4]);
  const claim = { Queue: "default", Names: ["work"], Count: 4, Limits: {}, GroupLimits: {}, Now: clock.now };
  await store.Claim({ ...claim, LeaseUntil: clock.now + 1_000 });
  clock.now += 1_000;
  assertEquals([await queue.Drain(), most], [4, 1]);
  await queue.AddAll(work, [1, 2, 3, 4]);
  assertEquals([await queue.Drain(), most], [4, 4]);
});

Deno.test("Queue.OnFailed() is called for a job whose process was killed before it could report", async () => {
  const clock = { now: Date.UTC(2026, 0, 5, 7) };
  const store = jobs.NewMemory();
  const fail = () => {
    throw new jobs.PermanentError("The disk is full");
  };
  // The process is killed between the end of the job and the call of the observer.
  const killed = new Proxy(store, {
    get(target, name) {
      if (name === "Reported") return () => Promise.resolve();
      const member: unknown = Reflect.get(target, name, target);
      return typeof member === "function" ? member.bind(target) : member;
    },
  });
  const seen: unknown[] = [];
  const observe = (job: jobs.JobInfo, error: Error) => void seen.push([job.State, job.Attempt, error.message]);
  const options = { Clock: () => clock.now, Logger, Lease: 1_000 };
  const first = jobs.New(killed, options).Handle(fail).OnFailed(observe);
  await first.Add(fail);
  await first.Drain();
  assertEquals(seen.splice(0), [["failed", 1, "The disk is full"]]);
  const second = jobs.New(store, options).Handle(fail).OnFailed(observe);
  await second.Drain();
  assertEquals(seen, []);
  clock.now += 1_000;
  await second.Drain();
  assertEquals(seen.splice(0), [["failed", 1, "The disk is full"]]);
  clock.now += 60_000;
  await second.Drain();
  assertEquals(seen, []);
});

Deno.test("Queue.OnFailed() receives the final state and error, also if the lease has expired", async () => {
  const clock = { now: Date.UTC(2026, 0, 5, 7) };
  const store = jobs.NewMemory();
  const work = () => {};
  const seen: unknown[] = [];
  const queue = jobs.New(store, { Clock: () => clock.now, Logger }).Handle(work)
    .OnFailed((job, error) => void seen.push([job.State, job.Error === error.message, job.Finished]));
  await queue.Add(work, undefined, { MaxAttempts: 1 });
  const claim = { Queue: "default", Names: ["work"], Count: 1, Limits: {}, GroupLimits: {}, Now: clock.now };
  await store.Claim({ ...claim, LeaseUntil: clock.now + 1_000, IsAlone: true });
  clock.now += 1_000;
  await queue.Drain();
  assertEquals(seen, [["failed", true, clock.now]]);
});
