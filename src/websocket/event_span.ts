/**
 * Spans of OpenTelemetry for the events of connections.
 *
 * @module
 */

/** The part of OpenTelemetry that is used. */
interface Span {
  recordException(error: Error): void;
  setStatus(status: { code: number }): unknown;
  end(): void;
}

interface Tracer {
  startSpan(name: string, options?: { readonly attributes: Readonly<Record<string, string>> }): Span;
}

/** OpenTelemetry's number of a status that says that something failed. */
const failed = 2;

let tracer: Tracer | null | undefined;

/**
 * Begins the span of an event.
 *
 * @param event The event name.
 * @returns A function that ends the span and returns its second argument; `undefined` if nothing is collected.
 */
export function eventSpan(event: string): ((error: unknown, value: unknown) => unknown) | undefined {
  // Looked for once: without OpenTelemetry it is `null`, which `??=` would look for again.
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

/** Without `OTEL_DENO=true` Deno has a tracer that throws. */
function findTracer(): Tracer | null {
  try {
    const found = Deno.telemetry?.tracerProvider.getTracer("@fw/web") as Tracer;
    found.startSpan("websocket").end();
    return found;
  } catch {
    return null;
  }
}
