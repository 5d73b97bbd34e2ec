/**
 * OpenTelemetry spans for calls that are not requests, and the events that the development pages show.
 *
 * @module
 */

import { isThenable } from "../../base/async/thenable.ts";
import { messageOf } from "../../base/errors/to_error.ts";

/** The subset of an OpenTelemetry span that is used here. */
interface Span {
  recordException(error: Error): void;
  setStatus(status: { code: number }): unknown;
  end(): void;
}

/** The identity of an OpenTelemetry span. */
interface SpanContext {
  readonly traceId: string;
  readonly spanId: string;
  readonly traceFlags: number;
}

/** A span to start. */
export interface NewSpan {
  readonly name: string;
  /** The kind, as OpenTelemetry numbers it. */
  readonly kind?: number;
  readonly attributes: Readonly<Record<string, string | number>>;
  /** The trace that the span continues, as a `traceparent` header. If omitted, the span belongs to the active one. */
  readonly trace?: string | null;
  /** Reports whether an error is a failure of the span. */
  readonly isFailure: (error: unknown) => boolean;
}

interface Tracer {
  startActiveSpan(name: string, options: NewSpan, context: unknown, run: (span: Span) => unknown): unknown;
}

/** Begins a call of the current request. Returns the function that ends it, or `undefined` if it is not recorded. */
type Show = (kind: string, text: string) => (() => void) | undefined;

/** Shows calls on the development pages. Unset without them. */
let show: Show | undefined;

/** Sets the function that shows calls on the development pages. */
export function showCalls(by: Show): void {
  show = by;
}

/** Adds an event to the current request, such as a job that it adds, if the development pages record it. */
export function announce(kind: string, text: string): void {
  show?.(kind, text);
}

/** The key of the span in the OpenTelemetry context. */
const spanKey = Symbol.for("OpenTelemetry Context Key SPAN");
/** The OpenTelemetry status code for errors. */
const failed = 2;

/** The tracer, or `null` if tracing is disabled. It is created for the first span. */
let tracer: Tracer | null | undefined;

/**
 * Runs a function within a span if tracing is enabled. Spans created by the function are its children.
 *
 * @param describe Describes the span of a call. It is not called if tracing is disabled.
 * @param call The call.
 * @param run The function.
 * @returns The return value of the function.
 */
export function inSpan<T>(describe: (call: T) => NewSpan, call: T, run: () => unknown): unknown {
  if (show === undefined) return traced(describe, call, run);
  const end = show("event", describe(call).name);
  if (end === undefined) return traced(describe, call, run);
  let outcome: unknown;
  try {
    return outcome = traced(describe, call, run);
  } finally {
    if (isThenable(outcome)) void outcome.then(end, end);
    else end();
  }
}

function traced<T>(describe: (call: T) => NewSpan, call: T, run: () => unknown): unknown {
  if (tracer === undefined) tracer = Deno.telemetry?.tracerProvider.getTracer("@fw/web") as Tracer | undefined ?? null;
  if (tracer === null) return run();
  const span = describe(call);
  let isStarted = false;
  try {
    return tracer.startActiveSpan(span.name, span, contextIn(span.trace), (started) => {
      isStarted = true;
      return finish(started, span, run);
    });
  } catch (error) {
    if (isStarted) throw error;
    // Without `OTEL_DENO=true`, Deno's tracer throws, which is the only way to detect that tracing is disabled.
    tracer = null;
    return run();
  }
}

/** Returns the active span as a `traceparent` header, or `null` if there is none. */
export function currentTrace(): string | null {
  const span: { spanContext?(): SpanContext } | undefined = Deno.telemetry?.contextManager.active()?.getValue(spanKey);
  const context = span?.spanContext?.();
  if (context === undefined) return null;
  return `00-${context.traceId}-${context.spanId}-${context.traceFlags.toString(16).padStart(2, "0")}`;
}

/** Returns a context whose parent is the span in a `traceparent` header, or the active one. */
function contextIn(trace: string | null | undefined): unknown {
  const context = Deno.telemetry.contextManager.active();
  const [, traceId, spanId, flags = ""] = /^00-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})$/.exec(trace ?? "") ?? [];
  if (traceId === undefined) return context;
  const parent = { traceId, spanId, traceFlags: parseInt(flags, 16), isRemote: true };
  return context.setValue(spanKey, { spanContext: () => parent });
}

function finish(span: Span, options: NewSpan, run: () => unknown): unknown {
  try {
    const outcome = run();
    if (!isThenable(outcome)) {
      span.end();
      return outcome;
    }
    return outcome.then((value) => {
      span.end();
      return value;
    }, (error) => fail(span, options, error));
  } catch (error) {
    return fail(span, options, error);
  }
}

function fail(span: Span, { isFailure }: NewSpan, error: unknown): never {
  if (isFailure(error)) {
    span.recordException(error instanceof Error ? error : new Error(messageOf(error)));
    span.setStatus({ code: failed });
  }
  span.end();
  throw error;
}
