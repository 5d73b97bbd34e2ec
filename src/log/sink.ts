/**
 * Where log lines go: to a function as they come, to a writer in batches.
 *
 * @module
 */

import type { LogRecord } from "./record.ts";

/** A place for bytes that are written at once: `Deno.stdout`, `Deno.stderr`, an open file. */
export interface LogWriter {
  /**
   * Writes bytes.
   *
   * @param bytes The bytes.
   * @returns How many of them were written.
   */
  writeSync(bytes: Uint8Array): number;
  /** True for a terminal, which gets colours. */
  isTerminal?(): boolean;
}

/**
 * Where log lines can go: a function gets each line without its line break, and the record that the line was written
 * from; a writer gets bytes.
 */
export type LogOutput = ((line: string, record: LogRecord) => void) | LogWriter;

/** What a logger needs of its output. */
export interface Sink {
  /** True when the output shows colours. */
  readonly color: boolean;
  /** True when the output takes records beside the lines. */
  readonly takesRecords: boolean;
  /** Takes one line, without its line break, and what it was written from, if the output takes records. */
  push(line: string, record?: LogRecord | undefined): void;
  /** Writes at once what still waits. */
  flush(): void;
}

/** Beyond this many characters a batch is written without waiting for the turn's end. */
const BATCH = 16 * 1024;
/** How long a full pipe is waited for, one millisecond at a time, before its bytes are given up. */
const PATIENCE = 1000;

const encoder = new TextEncoder();
const sinks = new WeakMap<LogWriter, BatchSink>();
const waiting = new Set<BatchSink>();
let watching = false;

/**
 * Finds the sink of an output; two loggers on one writer share it, so that their lines keep their order.
 *
 * @param output The output.
 */
export function sinkOf(output: LogOutput): Sink {
  if (typeof output === "function") return new FunctionSink(output);
  if (typeof output?.writeSync !== "function") {
    throw new TypeError("Cannot set the log output: it is neither a function nor a writer with writeSync");
  }
  let sink = sinks.get(output);
  if (sink === undefined) sinks.set(output, sink = new BatchSink(output));
  return sink;
}

/** Hands each line on. */
class FunctionSink implements Sink {
  readonly color = false;
  readonly takesRecords = true;
  #output: (line: string, record: LogRecord) => void;

  constructor(output: (line: string, record: LogRecord) => void) {
    this.#output = output;
  }

  push(line: string, record: LogRecord = recordOf(line)): void {
    try {
      this.#output(line, record);
    } catch {
      // A log that fails must not end the request that it tells of.
    }
  }

  flush(): void {}
}

/** The record of a line that came without one. */
function recordOf(line: string): LogRecord {
  return { Level: "info", Time: new Date(), Message: line, Fields: {}, Error: undefined };
}

/** The platform's own, which the types of the least Deno that fw supports do not name. */
declare function setImmediate(run: (sink: BatchSink) => void, sink: BatchSink): unknown;

/**
 * Writes the first line at once, so that it is seen even if the program hangs or dies in the next statement, and
 * collects what follows in the same turn of the event loop. A server under `wrk -c64` wrote 23 to 59 lines at a time,
 * where a microtask wrote 1; a timer would trip the test sanitizers. 40 lines of one turn take 18 µs, with a write for
 * each 106 µs (`tests/log/sink_bench.ts`).
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
    // The global and not an import of node:timers, with which a part of Node.js would be loaded at the start: 7 ms.
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

/** Writes all bytes; false when the writer will never take any again. */
function writeAll(writer: LogWriter, bytes: Uint8Array): boolean {
  let patience = PATIENCE;
  for (let at = 0; at < bytes.length;) {
    try {
      const written = writer.writeSync(at === 0 ? bytes : bytes.subarray(at));
      if (!(written > 0)) return true;
      at += written;
    } catch (error) {
      if (error instanceof Deno.errors.Interrupted) continue;
      // A pipe that was set to non-blocking and is full: wait as a blocking one would, but not for ever.
      if (error instanceof Deno.errors.WouldBlock && patience-- > 0) {
        sleep(1);
        continue;
      }
      // The reader has gone (`| head -1`): no more lines, but the server lives on.
      return !(error instanceof Deno.errors.BrokenPipe || error instanceof Deno.errors.BadResource);
    }
  }
  return true;
}

/** Writes what waits when the process ends: by running out, by `Deno.exit`, by an uncaught error. */
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
    return writer.isTerminal?.() === true;
  } catch {
    return false;
  }
}

function sleep(milliseconds: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, milliseconds);
}
