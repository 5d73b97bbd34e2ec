/**
 * The trace that the running code belongs to.
 *
 * @module
 */

/** The part of an OpenTelemetry span that this module uses. */
interface Span {
  spanContext?(): { readonly traceId: string; readonly spanId: string; readonly traceFlags: number };
}

const spanKey = Symbol.for("OpenTelemetry Context Key SPAN");

/** Returns the active span as a `traceparent` header, or `null` if there is none. */
export function currentTrace(): string | null {
  const span: Span | undefined = Deno.telemetry?.contextManager.active()?.getValue(spanKey);
  const context = span?.spanContext?.();
  if (context === undefined) return null;
  return `00-${context.traceId}-${context.spanId}-${context.traceFlags.toString(16).padStart(2, "0")}`;
}
