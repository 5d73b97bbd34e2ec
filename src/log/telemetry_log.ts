/**
 * Log lines in OpenTelemetry: with `OTEL_DENO=1`, Deno exports what is written to the console, with the span that is
 * active.
 *
 * @module
 */

import type { Level } from "./level.ts";

/** What a line is part of. */
interface SpanContext {
  readonly traceId: string;
  readonly spanId: string;
}

/** The name under which OpenTelemetry keeps the span in its context. */
const spanKey = Symbol.for("OpenTelemetry Context Key SPAN");

/** The method of the console whose severity a level has. */
const methods: Readonly<Record<string, "debug" | "info" | "warn" | "error">> = {
  debug: "debug",
  info: "info",
  warn: "warn",
  error: "error",
  fatal: "error",
};

const variable = "OTEL_DENO";
// The variable does not change while the process runs.
let isReadable: boolean | undefined = undefined;
let isOn = false;

/** Reports whether Deno exports log lines. Without the permission to read the variable, an active span shows it. */
export function exportsLogs(): boolean {
  if (isReadable === undefined) {
    isReadable = Deno.permissions.querySync({ name: "env", variable }).state === "granted";
    isOn = isReadable && ["1", "true"].includes(Deno.env.get(variable) ?? "");
  }
  return isReadable ? isOn : spanIDs() !== undefined;
}

/** Writes a line to the console, from where Deno exports it. */
export function writeToConsole(level: Level, line: string): void {
  // deno-lint-ignore no-console
  console[methods[level.name] ?? "log"](line);
}

/** The ids of the trace and the span that are active, for JSON lines. */
export function spanIDs(): { readonly trace_id: string; readonly span_id: string } | undefined {
  const span = Deno.telemetry?.contextManager.active()?.getValue(spanKey);
  const ids: SpanContext | undefined = span?.spanContext?.();
  return ids === undefined ? undefined : { trace_id: ids.traceId, span_id: ids.spanId };
}
