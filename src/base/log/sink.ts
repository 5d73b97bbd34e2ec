/**
 * Log outputs. Functions receive lines immediately, and writers receive them in batches. Telemetry receives
 * records.
 *
 * @module
 */

import type { LogFields } from "./fields.ts";
import type { Level, LevelName } from "./level.ts";

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

/** A synchronous writer, such as `Deno.stdout`, `Deno.stderr` or an open file. */
export interface LogWriter {
  /**
   * Writes bytes.
   *
   * @param bytes The bytes to write.
   * @returns The number of bytes written.
   */
  writeSync(bytes: Uint8Array): number;
  /** Reports whether the writer is a terminal, which supports colors. */
  isTerminal?(): boolean;
}

/**
 * A log output: a function that receives each line without its line break and the line's record, or a writer that
 * receives bytes.
 */
export type LogOutput = ((line: string, record: LogRecord) => void) | LogWriter;

/** The interface between a logger and its output. */
export interface Sink {
  /** Whether the output supports colors. */
  readonly color: boolean;
  /** Whether the output accepts records in addition to lines. */
  readonly takesRecords: boolean;
  /** Writes one line, given without its line break, and its record if the output accepts records. */
  push(line: string, record?: LogRecord | undefined): void;
  /** Writes buffered lines immediately. */
  flush(): void;
}

/** The batch size, in characters, at which a batch is written without waiting for the end of the event loop turn. */
const BATCH = 16 * 1024;
/** The time to wait for a full pipe, in steps of one millisecond, before its bytes are discarded. */
const PATIENCE = 1000;

const encoder = new TextEncoder();
const sinks = new WeakMap<LogWriter, BatchSink>();
const waiting = new Set<BatchSink>();
let watching = false;

/**
 * Returns the sink for an output. Loggers with the same writer share a sink, so that their lines stay in order.
 *
 * @param output The output.
 * @throws {TypeError} If the output is neither a function nor a writer.
 */
export function sinkOf(output: LogOutput): Sink {
  if (typeof output === "function") return new FunctionSink(output);
  if (typeof output?.writeSync !== "function") {
    throw new TypeError("Cannot set the log output: it must be a function or a writer with a writeSync method");
  }
  let sink = sinks.get(output);
  if (sink === undefined) sinks.set(output, sink = new BatchSink(output));
  return sink;
}

/** Passes each line to a function. */
class FunctionSink implements Sink {
  readonly color = false;
  readonly takesRecords = true;
  #output: (line: string, record: LogRecord) => void;

  constructor(output: (line: string, record: LogRecord) => void) {
    this.#output = output;
  }

  push(line: string, record: LogRecord = recordOf(line)): void {
    try {
      // A failing log output must not fail the request that writes the line, and must not end the process.
      dropRejection(this.#output(line, record));
    } catch {
      // The line is lost.
    }
  }

  flush(): void {}
}

/** Creates the record for a line that was written without one. */
function recordOf(line: string): LogRecord {
  return { Level: "info", Time: new Date(), Message: line, Fields: {}, Error: undefined };
}

/** A platform function that the types of the oldest supported Deno version do not declare. */
declare function setImmediate(run: (sink: BatchSink) => void, sink: BatchSink): unknown;

/**
 * Writes the first line immediately, so that it is visible even if the program hangs or crashes in the next statement.
 * Further lines are buffered until the end of the event loop turn. Under `wrk -c64`, a server wrote batches of 23 to 59
 * lines. With a microtask, each batch had only 1 line, and a timer would trigger the test sanitizers. Writing 40 lines
 * in one turn takes 18 µs, compared to 106 µs with one write per line (`tests/base/log/sink_bench.ts`).
 */
class BatchSink implements Sink {
  readonly color: boolean;
  readonly takesRecords = false;
  #writer: LogWriter;
  #pending = "";
  #armed = false;
  #closed = false;

  constructor(writer: LogWriter) {
    this.#writer = writer;
    this.color = isTerminal(writer) && !Deno.noColor;
  }

  push(line: string): void {
    if (this.#closed) return;
    this.#pending += line + "\n";
    if (!this.#armed) {
      this.flush();
      this.#arm();
    } else if (this.#pending.length >= BATCH) {
      this.flush();
    }
  }

  flush(): void {
    if (this.#pending === "") return;
    const bytes = encoder.encode(this.#pending);
    this.#pending = "";
    this.#closed = !writeAll(this.#writer, bytes);
  }

  #arm(): void {
    this.#armed = true;
    waiting.add(this);
    watchEnd();
    // Use the global function, because importing node:timers would load a part of Node.js at start-up, which takes 7
    // ms.
    setImmediate(BatchSink.#turn, this);
  }

  static #turn(sink: BatchSink): void {
    sink.#armed = false;
    waiting.delete(sink);
    if (sink.#pending === "") return;
    sink.flush();
    sink.#arm();
  }
}

/** Writes all bytes. Returns `false` if the writer can no longer be written to. */
function writeAll(writer: LogWriter, bytes: Uint8Array): boolean {
  let patience = PATIENCE;
  for (let at = 0; at < bytes.length;) {
    try {
      const written = writer.writeSync(at === 0 ? bytes : bytes.subarray(at));
      if (!(written > 0)) return dropRejection(written);
      at += written;
    } catch (error) {
      if (error instanceof Deno.errors.Interrupted) continue;
      // A non-blocking pipe is full. Wait as a blocking pipe would, but only for a limited time.
      if (error instanceof Deno.errors.WouldBlock && patience-- > 0) {
        sleep(1);
        continue;
      }
      // The reader has closed the pipe (`| head -1`). Stop writing lines, but keep the server running.
      return !(error instanceof Deno.errors.BrokenPipe || error instanceof Deno.errors.BadResource);
    }
  }
  return true;
}

/** Ignores the failure of an output that is asynchronous against its type. */
function dropRejection(result: unknown): true {
  if (result instanceof Promise) result.catch(() => {});
  return true;
}

/**
 * Flushes buffered lines when the process exits, either normally, through `Deno.exit` or because of an uncaught error.
 */
function watchEnd(): void {
  if (watching) return;
  watching = true;
  for (const event of ["unload", "error", "unhandledrejection"]) globalThis.addEventListener(event, flushAll);
}

function flushAll(): void {
  for (const sink of waiting) sink.flush();
}

function isTerminal(writer: LogWriter): boolean {
  try {
    const answer: unknown = writer.isTerminal?.();
    return dropRejection(answer) && answer === true;
  } catch {
    return false;
  }
}

function sleep(milliseconds: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, milliseconds);
}

/** A log entry, for outputs that forward it to another program, such as pino or an error tracker. */
export interface LogRecord {
  /** The level. Lines without a level use `info`. */
  readonly Level: Exclude<LevelName, "disable">;
  /** The time of the log call. */
  readonly Time: Date;
  /** The message, including the logger's prefix. Control characters are not escaped. */
  readonly Message: string;
  /** The unconverted fields of the logger and the log call. */
  readonly Fields: LogFields;
  /** The first error among the arguments, if any. */
  readonly Error: Error | undefined;
}
