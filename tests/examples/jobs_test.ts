import { assertEquals } from "@std/assert";
import { newApp } from "../../examples/jobs/main.ts";
import { type Job, Queue } from "../../examples/jobs/queue.ts";
import { startWorker } from "../../examples/jobs/worker.ts";
import * as httptest from "../../src/httptest/mod.ts";
import { logged } from "../serving.ts";

/** Runs a test with a separate database. */
async function withFile(run: (path: string) => Promise<void>): Promise<void> {
  const path = await Deno.makeTempFile({ suffix: ".db" });
  try {
    await run(path);
  } finally {
    await Deno.remove(path);
  }
}

Deno.test("examples/jobs finishes the job in progress at shutdown and keeps the others", async () => {
  await withFile(async (path) => {
    const queue = new Queue(path);
    const app = newApp(queue);
    app.Logger().SetLevel("disable");
    const started = Promise.withResolvers<AbortSignal>();
    const gate = Promise.withResolvers<void>();
    const packed: string[] = [];
    startWorker(app, queue, async (tea, signal) => {
      started.resolve(signal);
      await gate.promise;
      packed.push(tea);
    });
    const test = httptest.New(app);
    await test.POST("/orders/Assam").Expect().Status(202);
    await test.POST("/orders/Sencha").Expect().Status(202);
    const signal = await started.promise;
    const stopped = app.Shutdown();
    if (!signal.aborted) await new Promise((resolve) => signal.addEventListener("abort", resolve));
    assertEquals(packed, []);
    gate.resolve();
    await stopped;
    assertEquals([packed, queue.size()], [["Assam"], 1]);
    queue.close();
  });
});

Deno.test("examples/jobs runs the jobs of a crashed process again", async () => {
  await withFile(async (path) => {
    const crashed = new Queue(path);
    crashed.add("Assam");
    // The job was claimed an hour ago and never completed.
    assertEquals(crashed.claim(Date.now() - 3_600_000)?.payload, "Assam");
    crashed.close();

    const queue = new Queue(path);
    const app = newApp(queue);
    app.Logger().SetLevel("disable");
    const run = Promise.withResolvers<string>();
    startWorker(app, queue, (tea) => run.resolve(tea));
    assertEquals(await run.promise, "Assam");
    await app.Shutdown();
    assertEquals(queue.size(), 0);
    queue.close();
  });
});

Deno.test("examples/jobs keeps a failed job, and no other worker claims it in the meantime", async () => {
  await withFile(async (path) => {
    const queue = new Queue(path);
    const app = newApp(queue);
    app.Logger().SetLevel("disable");
    const failed = Promise.withResolvers<number>();
    startWorker(app, queue, () => {
      failed.resolve(Date.now());
      throw new Error("The printer is out of paper");
    });
    queue.add("Assam");
    const failedAt = await failed.promise;
    await app.Shutdown();
    assertEquals([queue.size(), queue.claim(failedAt)], [1, undefined]);
    queue.close();
  });
});

/** A queue that reports renewals. */
class Observed extends Queue {
  renewed: (due: number) => void = () => {};

  override renew(job: Job): boolean {
    const { due } = job;
    const isOurs = super.renew(job);
    this.renewed(due);
    return isOurs;
  }
}

Deno.test("examples/jobs renews its claim while a long job runs, so that no other worker claims the job", async () => {
  await withFile(async (path) => {
    const queue = new Observed(path, 60);
    const other = new Queue(path);
    const app = newApp(queue);
    app.Logger().SetLevel("disable");
    const finish = Promise.withResolvers<void>();
    const claimed: unknown[] = [];
    queue.renewed = (due) => {
      // The time at which the claim would have ended without the renewal.
      if (claimed.push(other.claim(due)) === 3) finish.resolve();
    };
    queue.add("Assam");
    startWorker(app, queue, () => finish.promise);
    await finish.promise;
    await app.Shutdown();
    assertEquals([queue.size(), claimed], [0, [undefined, undefined, undefined]]);
    other.close();
    queue.close();
  });
});

Deno.test("examples/jobs does not delete a job whose claim another worker has taken while it ran", async () => {
  await withFile(async (path) => {
    const queue = new Queue(path);
    const other = new Queue(path);
    const { app, lines } = logged(newApp(queue));
    const ran = Promise.withResolvers<void>();
    queue.add("Assam");
    let taken: Job | undefined;
    startWorker(app, queue, () => {
      // As if this process had been suspended for an hour.
      taken = other.claim(Date.now() + 3_600_000);
      ran.resolve();
    });
    await ran.promise;
    await app.Shutdown();
    assertEquals([other.size(), taken !== undefined && other.renew(taken)], [1, true]);
    assertEquals(lines.filter((line) => line.includes("twice")), [
      "[WARN] Job 1 may run twice: another worker has claimed it",
    ]);
    other.close();
    queue.close();
  });
});

Deno.test("examples/jobs waits while another process writes to the queue", async () => {
  await withFile(async (path) => {
    const queue = new Queue(path);
    const writer = new Worker(
      "data:text/javascript," + encodeURIComponent(`
        import { DatabaseSync } from "node:sqlite";
        const db = new DatabaseSync(${JSON.stringify(path)});
        db.exec("BEGIN IMMEDIATE");
        postMessage("locked");
        setTimeout(() => { db.exec("COMMIT"); db.close(); postMessage("released"); }, 50);
      `),
      { type: "module" },
    );
    const messages = Promise.withResolvers<void>();
    writer.onmessage = ({ data }) => {
      if (data === "locked") queue.add("Assam");
      else messages.resolve();
    };
    await messages.promise;
    writer.terminate();
    assertEquals(queue.claim()?.payload, "Assam");
    queue.close();
  });
});

Deno.test("examples/jobs aborts a job whose claim another worker has taken, and leaves the job to that worker", async () => {
  await withFile(async (path) => {
    const queue = new Observed(path, 60);
    const other = new Queue(path);
    const app = newApp(queue);
    app.Logger().SetLevel("disable");
    const aborted = Promise.withResolvers<string>();
    queue.add("Assam");
    let taken: Job | undefined;
    startWorker(app, queue, async (_tea, signal) => {
      // As if this process had been suspended for an hour.
      taken = other.claim(Date.now() + 3_600_000);
      await new Promise((resolve) => signal.addEventListener("abort", resolve));
      aborted.resolve(signal.reason.message);
      throw signal.reason;
    });
    assertEquals(await aborted.promise, "Another worker has claimed job 1");
    await app.Shutdown();
    assertEquals([other.size(), taken !== undefined && other.renew(taken)], [1, true]);
    other.close();
    queue.close();
  });
});
