/**
 * Jobs as the application reads them.
 *
 * @module
 */

import { parseLossless } from "../text/lossless_json.ts";
import type { JobRecord } from "./store.ts";

/** A job and its state. */
export interface JobInfo extends Omit<JobRecord, "Data" | "Progress" | "Result"> {
  /** The data. */
  readonly Data: unknown;
  /** The progress that the handler has reported, or `null`. */
  readonly Progress: unknown;
  /** The return value of the handler, or `null`. */
  readonly Result: unknown;
}

/** Reads the data, the progress and the result of a job. */
export function infoOf(job: JobRecord): JobInfo {
  return { ...job, Data: read(job.Data), Progress: read(job.Progress), Result: read(job.Result) };
}

function read(text: string | null): unknown {
  return text === null ? null : parseLossless(text);
}
