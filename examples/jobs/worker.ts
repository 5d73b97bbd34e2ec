/**
 * A worker that runs jobs until the application stops.
 *
 * @module
 */

import { setTimeout as sleep } from "node:timers/promises";
import type * as fw from "jsr:@fw/web";
import type { Job, Queue } from "./queue.ts";

/**
 * Runs a job. A job may run twice if its process crashes or is suspended, so running it again must be harmless.
 *
 * @param payload The payload of the job.
 * @param signal Aborted when the application stops or another worker has claimed the job. A long job should then stop at
 * a safe point and throw.
 */
export type Run = (payload: string, signal: AbortSignal) => void | Promise<void>;

/**
 * Starts a worker.
 *
 * @param app The application that the worker stops with.
 * @param queue The queue.
 * @param run Runs a job.
 */
export function startWorker(app: fw.Application, queue: Queue, run: Run): void {
  const stopping = new AbortController();
  const finished = work(app, queue, run, stopping.signal);
  // When a shutdown begins, the worker stops claiming jobs. When all requests have finished, the shutdown waits for the
  // worker.
  app.RegisterOnInterrupt(() => stopping.abort());
  app.RegisterOnShutdown(() => {
    stopping.abort();
    return finished;
  });
}

async function work(app: fw.Application, queue: Queue, run: Run, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    const job = queue.claim();
    if (job === undefined) {
      await sleep(200, undefined, { signal }).catch(() => {});
      continue;
    }
    try {
      await runClaimed(queue, job, run, signal);
      // If the process was suspended for longer than the lease, the job now belongs to another worker.
      if (!queue.done(job)) app.Logger().Warnf("Job %d may run twice: another worker has claimed it", job.id);
    } catch (error) {
      app.Logger().Error("Cannot run a job:", error);
      queue.retry(job);
    }
  }
}

/** Runs a job, and renews its claim until it ends. */
async function runClaimed(queue: Queue, job: Job, run: Run, stopping: AbortSignal): Promise<void> {
  const ended = new AbortController();
  const lost = new AbortController();
  const renewing = renewUntil(ended.signal, queue, job).catch((error) => lost.abort(error));
  try {
    await run(job.payload, AbortSignal.any([stopping, lost.signal]));
  } finally {
    ended.abort();
    await renewing;
  }
}

/** Renews a claim three times per lease, so that it survives a delay. */
async function renewUntil(ended: AbortSignal, queue: Queue, job: Job): Promise<void> {
  while (!ended.aborted) {
    await sleep(queue.lease / 3, undefined, { signal: ended }).catch(() => {});
    if (!ended.aborted && !queue.renew(job)) throw new Error(`Another worker has claimed job ${job.id}`);
  }
}
