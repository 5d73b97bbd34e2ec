/**
 * OpenTelemetry spans for jobs.
 *
 * @module
 */

import { inSpan, type NewSpan } from "../exchange/span.ts";
import type { Context } from "./context.ts";

/** The kind of spans that process messages. */
const consumer = 4;

/**
 * Runs a job within a span if tracing is enabled. The span belongs to the trace in which the job was added.
 *
 * @param ctx The job.
 * @param run Runs the job.
 * @returns The result of the job.
 */
export async function inJobSpan(ctx: Context, run: () => Promise<unknown>): Promise<unknown> {
  return await inSpan(spanOf, ctx, run);
}

function spanOf(ctx: Context): NewSpan {
  const attributes = {
    "messaging.destination.name": ctx.Queue,
    "messaging.message.id": ctx.ID,
    "messaging.operation.name": ctx.Name,
    "fw.job.attempt": ctx.Attempt,
  };
  return { name: `job ${ctx.Name}`, kind: consumer, attributes, trace: ctx.Trace, isFailure: () => true };
}
