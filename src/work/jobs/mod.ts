/**
 * Job queues for work outside of requests. Jobs survive restarts, are retried if they fail, and run at most as often as
 * you allow. The queues work with or without an fw application.
 *
 * A job is a class with a method `Run`, or a function. It runs at least once: if a process crashes, another one runs
 * the job again after its lease has expired, so running it twice must be harmless. Store jobs with
 * `@fw/web/jobs/sqlite`, or in memory for tests.
 *
 * @example Add a job and run it
 * ```ts
 * import * as jobs from "@fw/web/jobs";
 * import * as mvc from "@fw/web/mvc";
 * import { z } from "npm:zod@^4";
 *
 * class Mailer {
 *   readonly sent: string[] = [];
 *   send(to: string) {
 *     this.sent.push(to);
 *   }
 * }
 * class SendReminder {
 *   static Schema = z.object({ to: z.email() });
 *   #mailer = mvc.Inject(Mailer);
 *   Run(data: { to: string }, ctx: jobs.Context) {
 *     this.#mailer.send(data.to);
 *     return `attempt ${ctx.Attempt}`;
 *   }
 * }
 * const mailer = new Mailer();
 * const queue = jobs.New(jobs.NewMemory()).Register(mailer).Handle(SendReminder);
 *
 * const { ID } = await queue.Add(SendReminder, { to: "ada@example.com" });
 * await queue.Drain();
 * mailer.sent; // → ["ada@example.com"]
 * (await queue.Get(ID))?.Result; // → "attempt 1"
 * ```
 *
 * @module
 */

export { FullJitter, type Options } from "./config.ts";
export { Context, PermanentError } from "./context.ts";
export {
  type DataAnd,
  type DataOf,
  Define,
  type Job,
  type JobClass,
  type JobFunction,
  type JobInfo,
  type ParameterOf,
  type Sound,
  type StorableData,
} from "./job.ts";
export { Check, type CheckOptions, type Measurable, Measure } from "./meter.ts";
export type { Meter } from "../../core/exchange/meter.ts";
export { NewMemory } from "./stores/sqlite_store.ts";
export type { AddAllOptions, AddedBatch, Adder, AddOptions, OperatedQueue } from "./adding.ts";
export type { FailureObserver } from "./failure_reports.ts";
export { type JobFilter, Operations, type ScheduleInfo, type Selection } from "./operations.ts";
export { type App, type Middleware, New, Queue } from "./queue.ts";
export type { ScheduleOptions } from "./schedules.ts";
export type * from "./store.ts";
