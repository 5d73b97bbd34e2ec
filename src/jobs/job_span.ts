/**
 * OpenTelemetry spans for jobs.
 *
 * @module
 */

import type { Context } from "./context.ts";

/** The subset of an OpenTelemetry span that is used here. */
interface Span {
  recordException(error: Error): void;
  setStatus(status: { code: number }): unknown;
  end(): void;
}

interface SpanOptions {
  readonly kind: number;
  readonly attributes: Readonly<Record<string, string | number>>;
}

interface Tracer {
  startActiveSpan(name: string, options: SpanOptions, context: unknown, run: (span: Span) => unknown): unknown;
}

/** The key of the span in the OpenTelemetry context, and OpenTelemetry's codes. */
const spanKey = Symbol.for("OpenTelemetry Context Key SPAN");
const consumer = 4;
const failed = 2;

/** The tracer, or `null` if tracing is disabled. It is created for the first job. */
let tracer: Tracer | null | undefined;

/**
 * Runs a job within a span if tracing is enabled. The span belongs to the trace in which the job was added.
 *
 * @param ctx The job.
 * @param run Runs the job.
 * @returns The result of the job.
 */
export async function inJobSpan(ctx: Context, run: () => Promise<unknown>): Promise<unknown> {
  if (tracer === undefined) tracer = Deno.telemetry?.tracerProvider.getTracer("@fw/web") as Tracer | undefined ?? null;
  if (tracer === null) return await run();
  const attributes = {
    "messaging.destination.name": ctx.Queue,
    "messaging.message.id": ctx.ID,
    "messaging.operation.name": ctx.Name,
    "fw.job.attempt": ctx.Attempt,
  };
  let isStarted = false;
  try {
    return await tracer.startActiveSpan(
      `job ${ctx.Name}`,
      { kind: consumer, attributes },
      contextIn(ctx.Trace),
      (span) => {
        isStarted = true;
        return finish(span, run);
      },
    );
  } catch (error) {
    if (isStarted) throw error;
    // Without `OTEL_DENO=true`, Deno's tracer throws, which is the only way to detect that tracing is disabled.
    tracer = null;
    return await run();
  }
}

/** Returns a context whose parent is the span in a `traceparent` header. */
function contextIn(trace: string | null): unknown {
  const context = Deno.telemetry?.contextManager.active();
  const [, traceId, spanId, flags] = /^00-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})$/.exec(trace ?? "") ?? [];
  if (traceId === undefined || spanId === undefined) return context;
  const traceFlags = parseInt(flags ?? "", 16);
  return context.setValue(spanKey, { spanContext: () => ({ traceId, spanId, traceFlags, isRemote: true }) });
}

async function finish(span: Span, run: () => Promise<unknown>): Promise<unknown> {
  try {
    return await run();
  } catch (error) {
    span.recordException(error instanceof Error ? error : new Error(String(error)));
    span.setStatus({ code: failed });
    throw error;
  } finally {
    span.end();
  }
}
