/**
 * OpenTelemetry spans for WebSocket events.
 *
 * @module
 */

import { isThenable } from "../../async/thenable.ts";
import { HTTPError } from "../../errors/errors.ts";

/** The subset of an OpenTelemetry span that is used here. */
interface Span {
  recordException(error: Error): void;
  setStatus(status: { code: number }): unknown;
  end(): void;
}

interface Tracer {
  startActiveSpan(
    name: string,
    options: { readonly attributes: Readonly<Record<string, string>> },
    run: (span: Span) => unknown,
  ): unknown;
}

/** The OpenTelemetry status code for errors. */
const failed = 2;

/** The tracer, or `null` if tracing is disabled. It is created for the first event. */
let tracer: Tracer | null | undefined;

/**
 * Runs an event handler within a span if tracing is enabled. Spans created by the handler are its children.
 *
 * @param event The event name.
 * @param run The handler.
 * @returns The return value of the handler.
 */
export function inEventSpan(event: string, run: () => unknown): unknown {
  if (tracer === undefined) tracer = newTracer();
  if (tracer === null) return run();
  let isStarted = false;
  try {
    return tracer.startActiveSpan(
      `websocket ${event}`,
      { attributes: { "messaging.operation.name": event } },
      (span) => {
        isStarted = true;
        return finish(span, run);
      },
    );
  } catch (error) {
    if (isStarted) throw error;
    // Without `OTEL_DENO=true`, Deno's tracer throws, which is the only way to detect that tracing is disabled.
    tracer = null;
    return run();
  }
}

function newTracer(): Tracer | null {
  return Deno.telemetry?.tracerProvider.getTracer("@fw/web") as Tracer | undefined ?? null;
}

function finish(span: Span, run: () => unknown): unknown {
  try {
    const outcome = run();
    if (!isThenable(outcome)) {
      span.end();
      return outcome;
    }
    return outcome.then((value) => {
      span.end();
      return value;
    }, (error) => fail(span, error));
  } catch (error) {
    return fail(span, error);
  }
}

function fail(span: Span, error: unknown): never {
  // As with HTTP requests, a rejected event is not a server error.
  if (!(error instanceof HTTPError) || error.Status >= 500) {
    span.recordException(error instanceof Error ? error : new Error(String(error)));
    span.setStatus({ code: failed });
  }
  span.end();
  throw error;
}
