/**
 * OpenTelemetry spans for WebSocket events.
 *
 * @module
 */

/** The subset of an OpenTelemetry span that is used here. */
interface Span {
  recordException(error: Error): void;
  setStatus(status: { code: number }): unknown;
  end(): void;
}

interface Tracer {
  startSpan(name: string, options?: { readonly attributes: Readonly<Record<string, string>> }): Span;
}

/** The OpenTelemetry status code for errors. */
const failed = 2;

let tracer: Tracer | null | undefined;

/**
 * Starts a span for an event.
 *
 * @param event The event name.
 * @returns A function that ends the span and returns its second argument, or `undefined` if tracing is disabled.
 */
export function eventSpan(event: string): ((error: unknown, value: unknown) => unknown) | undefined {
  // `null` means that there is no tracer. With `??=`, the lookup would be repeated for every event.
  if (tracer === undefined) tracer = findTracer();
  if (tracer === null) return undefined;
  const span = tracer.startSpan(`websocket ${event}`, { attributes: { "messaging.operation.name": event } });
  return function end(error, value) {
    if (error !== undefined) {
      span.recordException(error instanceof Error ? error : new Error(String(error)));
      span.setStatus({ code: failed });
    }
    span.end();
    return value;
  };
}

/** Returns the tracer, or `null` if tracing is disabled. Without `OTEL_DENO=true`, Deno's tracer throws. */
function findTracer(): Tracer | null {
  try {
    const found = Deno.telemetry?.tracerProvider.getTracer("@fw/web") as Tracer;
    found.startSpan("websocket").end();
    return found;
  } catch {
    return null;
  }
}
