/**
 * OpenTelemetry log export. With `OTEL_DENO=1`, Deno exports console output together with the active span.
 *
 * @module
 */

import type { Level } from "./level.ts";

/** The trace and span of a log line. */
interface SpanContext {
  readonly traceId: string;
  readonly spanId: string;
}

/** The key under which OpenTelemetry stores the active span in its context. */
const spanKey = Symbol.for("OpenTelemetry Context Key SPAN");

/** The console method for each log level. */
const methods: Readonly<Record<string, "debug" | "info" | "warn" | "error">> = {
  debug: "debug",
  info: "info",
  warn: "warn",
  error: "error",
  fatal: "error",
};

const variable = "OTEL_DENO";
// The result is cached, because the environment variable does not change while the process runs.
let isReadable: boolean | undefined = undefined;
let isOn = false;

/**
 * Reports whether Deno exports log lines. Without permission to read the environment variable, fw checks for an active
 * span instead.
 */
export function exportsLogs(): boolean {
  if (isReadable === undefined) {
    isReadable = Deno.permissions.querySync({ name: "env", variable }).state === "granted";
    isOn = isReadable && ["1", "true"].includes(Deno.env.get(variable) ?? "");
  }
  return isReadable ? isOn : spanIDs() !== undefined;
}

/** Writes a line to the console so that Deno exports it. */
export function writeToConsole(level: Level, line: string): void {
  // deno-lint-ignore no-console
  console[methods[level.name] ?? "log"](line);
}

/** Returns the IDs of the active trace and span, for JSON lines. */
export function spanIDs(): { readonly trace_id: string; readonly span_id: string } | undefined {
  const span = Deno.telemetry?.contextManager.active()?.getValue(spanKey);
  const ids: SpanContext | undefined = span?.spanContext?.();
  return ids === undefined ? undefined : { trace_id: ids.traceId, span_id: ids.spanId };
}
