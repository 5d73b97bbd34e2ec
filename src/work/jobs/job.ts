/**
 * Jobs as the application writes them: classes and functions.
 *
 * @module
 */

import { checkArgument } from "../../base/config/option_table.ts";
import { filled, func } from "../../base/config/option_kinds.ts";
import { fitJSON } from "../../core/accessors/fit_input.ts";
import { checkValid, schemaOption, type StandardSchema } from "../../core/accessors/schema.ts";
import { isThenable } from "../../base/async/thenable.ts";
import type { Storable } from "../../base/codec/storable.ts";
import { decodeMarked, encodeMarked, isMarked } from "../../base/codec/stored.ts";
import { FrameworkError } from "../../base/errors/errors.ts";
import type { Context } from "./context.ts";
import type { JobRecord } from "./store.ts";
import { traceOf } from "./stored_part.ts";

/**
 * A function that runs a job. Its name is the name of the job. Parameters after the context are dependencies, such as
 * `mailer = mvc.Inject(Mailer)`.
 */
export interface JobFunction {
  (data: never, ctx: Context, ...dependencies: never[]): unknown;
  /** The schema of the data. */
  readonly Schema?: StandardSchema;
}

/** A class whose instances run one job each. Its name is the name of the job. */
export interface JobClass {
  /** Creates an instance for one job. */
  new (): {
    /** Runs the job. Parameters after the context are dependencies. */
    Run(data: never, ctx: Context, ...dependencies: never[]): unknown;
  };
  /** The schema of the data. */
  readonly Schema?: StandardSchema;
}

/** A class or function that runs jobs. */
export type Job = JobClass | JobFunction;

/** The type of a job's data: the input of its schema, or the type of its first parameter. */
export type DataOf<J> = J extends { readonly Schema: infer S extends StandardSchema }
  ? NonNullable<S["~standard"]["types"]>["input"]
  : ParameterOf<J>;

/**
 * The arguments after the job: its data, which can be omitted if it may be `undefined`, and the options. Data that
 * cannot be stored, such as an object with methods, does not compile.
 */
export type DataAnd<J, Options> = undefined extends DataOf<J> ? [data?: StorableData<J>, options?: Options]
  : [data: StorableData<J>, options?: Options];

/** The type of a job's data if it can be stored. */
export type StorableData<J> = DataOf<J> & Storable<DataOf<J>>;

/**
 * A job whose parameter accepts the output of its schema. Another one does not compile, because it would receive data
 * of a different type.
 */
export type Sound<J> = J extends { readonly Schema: infer S extends StandardSchema }
  ? [ParameterOf<J>] extends [never] ? J
  : NonNullable<S["~standard"]["types"]>["output"] extends ParameterOf<J> ? J
  : { readonly Schema: StandardSchema<ParameterOf<J>> }
  : J;

/** The type of the parameter that receives a job's data. */
export type ParameterOf<J> = J extends new () => { Run(data: infer D, ...rest: never[]): unknown } ? D
  : J extends (data: infer D, ...rest: never[]) => unknown ? D
  : never;

/**
 * Creates a job from a schema and a function.
 *
 * @param name The name of the job. It is stored with each job, so it should not change.
 * @param schema The schema of the data.
 * @param run The function. It receives the output of the schema.
 * @returns The function, for `Handle` and `Add`.
 *
 * @example A job whose data is validated
 * ```ts
 * import * as jobs from "@fw/web/jobs";
 * import { z } from "npm:zod@^4";
 *
 * const sent: string[] = [];
 * const remind = jobs.Define("remind", z.object({ to: z.email() }), ({ to }) => void sent.push(to));
 * const queue = jobs.New(jobs.NewMemory()).Handle(remind);
 * await queue.Add(remind, { to: "ada@example.com" });
 * await queue.Drain();
 * sent; // → ["ada@example.com"]
 * ```
 */
export function Define<S extends StandardSchema>(
  name: string,
  schema: S,
  run: (data: NonNullable<S["~standard"]["types"]>["output"], ctx: Context, ...dependencies: never[]) => unknown,
): JobFunction & { readonly Schema: S } {
  checkArgument(name, filled(), "name", "jobs.Define");
  checkArgument(schema, schemaOption(), "schema", "jobs.Define");
  checkArgument(run, func(), "run", "jobs.Define");
  return Object.assign(Object.defineProperty(run, "name", { value: name }), { Schema: schema });
}

/**
 * Returns a new ID, a UUID of version 7. It begins with the time, so that jobs that are added together are close
 * together in the index of the store. With random IDs, SQLite would write one more page per job.
 */
export function newID(now: number = Date.now()): string {
  const time = Math.max(0, now).toString(16).padStart(12, "0");
  return `${time.slice(0, 8)}-${time.slice(8)}-7${crypto.randomUUID().slice(15)}`;
}

/** Returns the name of a job. */
export function nameOf(job: Job): string {
  if (typeof job === "function" && job.name !== "" && !job.name.includes("\0")) return job.name;
  throw new FrameworkError("FW_JOB", "Cannot use a job without a name: pass a named class or function");
}

/**
 * Serializes data and validates it.
 *
 * @param job The job.
 * @param data The data.
 * @returns The JSON, or a promise if the schema is asynchronous.
 * @throws The validation error, if the data is not valid, or an error that names the part that cannot be stored.
 */
export function encode(job: Job, data: unknown): string | Promise<string> {
  const text = encodeMarked(data, { act: `add the job "${nameOf(job)}"`, root: "Data", code: "FW_JOB" });
  // The handler receives the data as it is read from the store, so that is the data to validate.
  const checked = decode(job, text);
  return isThenable(checked) ? checked.then(() => text) : text;
}

/**
 * Reads data from JSON and validates it.
 *
 * @param job The job.
 * @param text The JSON.
 * @returns The output of the schema, or a promise if the schema is asynchronous.
 * @throws The validation error, if the data is not valid.
 */
export function decode({ Schema }: Job, text: string): unknown {
  const data = decodeMarked(text);
  if (Schema === undefined) return data;
  // Version 0.2 stored bigints as numbers.
  return checkValid(isMarked(text) ? data : fitJSON(data, Schema), Schema);
}

/** A job and its state. */
export interface JobInfo extends Omit<JobRecord, "Data" | "Progress" | "Result" | "Trace"> {
  /** The trace that the job continues, as a `traceparent` header, or `null`. */
  readonly Trace: string | null;
  /** The data. */
  readonly Data: unknown;
  /** The progress that the handler has reported, or `null`. */
  readonly Progress: unknown;
  /** The return value of the handler, or `null`. */
  readonly Result: unknown;
}

/** Reads the data, the progress and the result of a job. */
export function infoOf(job: JobRecord): JobInfo {
  const [Data, Progress, Result] = [job.Data, job.Progress, job.Result].map((text) => text && decodeMarked(text));
  return { ...job, Data, Progress, Result, Trace: traceOf(job.Trace) };
}
