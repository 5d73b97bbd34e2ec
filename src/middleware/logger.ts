/**
 * Middleware that writes a line per request: status, latency, address, method and path.
 *
 * @example One line per request
 * ```ts
 * import * as fw from "@fw/web";
 * import * as logger from "@fw/web/middleware/logger";
 *
 * const lines: string[] = [];
 * const app = fw.New();
 * app.Logger().SetOutput((line) => lines.push(line));
 * app.Use(logger.New());
 * app.Get("/ping", (ctx) => ctx.WriteString("pong"));
 * await app.fetch(new Request("http://localhost/ping"));
 * app.Logger().Flush();
 * /200 .* GET \/ping/.test(lines.join("")); // → true
 * ```
 *
 * @module
 */

import { cyan, green, red, yellow } from "@std/fmt/colors";
import { HTTPError } from "../base/errors.ts";
import { type Context, exchangeOf } from "../context/context.ts";
import type { Handler } from "../context/handler.ts";
import { encodedPath, searchOf } from "../http/request_url.ts";
import { escapeControls } from "../log/describe.ts";
import type { LogFields } from "../log/fields.ts";
import { type Logger, showsColor, takesRecords, writeFields, writesJSON, writeTrusted } from "../log/logger.ts";

/** What stands in the line; everything but the query by default. */
export interface Options {
  /** Write the status. */
  Status?: boolean;
  /** Write the client's address. */
  IP?: boolean;
  /** Write the method. */
  Method?: boolean;
  /** Write the path. */
  Path?: boolean;
  /** Write the query behind the path; it may hold what should not be in a log. */
  Query?: boolean;
  /** Leaves a request out. */
  Skip?: (ctx: Context) => boolean;
  /** Receives the record in place of the application's logger. */
  LogFunc?: (record: Record) => void;
}

/** One request, as it is logged. */
export interface Record {
  /** The status of the response. */
  readonly Status: number;
  /** The time from the first handler to the last, in milliseconds. */
  readonly Latency: number;
  /** The client's address. */
  readonly IP: string;
  /** The method. */
  readonly Method: string;
  /** The path, with the query if it was asked for. */
  readonly Path: string;
}

/**
 * Creates middleware that logs each request when its handlers have finished: at info level, from status 400 on as a
 * warning, from 500 on as an error. The status is coloured where the log is a terminal; where the log is JSON, all
 * parts of the line are members of their own. What `ctx.Logger()` carries stands behind them.
 *
 * @param options What stands in the line.
 * @returns The middleware.
 */
export function New(options: Options = {}): Handler {
  return function logger(ctx) {
    const started = performance.now();
    let rest: Promise<void> | undefined;
    try {
      rest = ctx.Next();
    } catch (error) {
      write(ctx, options, started, statusOf(error));
      throw error;
    }
    if (rest !== undefined) return writeLater(ctx, options, started, rest);
    write(ctx, options, started, ctx.GetStatusCode());
  };
}

async function writeLater(ctx: Context, options: Options, started: number, rest: Promise<void>): Promise<void> {
  try {
    await rest;
  } catch (error) {
    write(ctx, options, started, statusOf(error));
    throw error;
  }
  write(ctx, options, started, ctx.GetStatusCode());
}

/** The status that an error on its way up will become. */
function statusOf(error: unknown): number {
  return error instanceof HTTPError ? error.Status : 500;
}

function write(ctx: Context, options: Options, started: number, status: number): void {
  if (options.Skip?.(ctx)) return;
  const { target } = exchangeOf(ctx);
  const record: Record = {
    Status: status,
    Latency: performance.now() - started,
    IP: options.IP === false ? "" : ctx.RemoteAddr(),
    Method: ctx.Method(),
    Path: encodedPath(target) + (options.Query === true ? searchOf(target) : ""),
  };
  if (options.LogFunc !== undefined) options.LogFunc(record);
  else writeLine(ctx.Logger(), record, options);
}

function writeLine(logger: Logger, record: Record, options: Options): void {
  const { level, paint } = gradeOf(record.Status);
  if (writesJSON(logger)) {
    return writeFields(logger, level, `${record.Method} ${record.Path}`, fieldsOf(record, options));
  }
  const status = showsColor(logger) ? paint(String(record.Status)) : String(record.Status);
  const parts = [
    options.Status === false ? "" : status,
    duration(record.Latency),
    record.IP,
    options.Method === false ? "" : record.Method,
    options.Path === false ? "" : escapeControls(record.Path),
  ];
  const message = `${record.Method} ${record.Path}`;
  const plain = takesRecords(logger) ? { message, fields: fieldsOf(record, options) } : undefined;
  writeTrusted(logger, level, parts.filter((part) => part !== "").join(" "), plain);
}

/** The record as a line of JSON carries it. */
function fieldsOf(record: Record, options: Options): LogFields {
  return {
    ...options.Status !== false && { status: record.Status },
    latency_ms: Number(record.Latency.toFixed(3)),
    ...record.IP !== "" && { ip: record.IP },
    ...options.Method !== false && { method: record.Method },
    ...options.Path !== false && { path: record.Path },
  };
}

/** How a status is shown, by its first digit. */
const grades = [
  { from: 500, level: "error", paint: red },
  { from: 400, level: "warn", paint: yellow },
  { from: 300, level: "info", paint: cyan },
  { from: 0, level: "info", paint: green },
] as const;

function gradeOf(status: number): (typeof grades)[number] {
  return grades.find((grade) => status >= grade.from) ?? grades[0];
}

function duration(milliseconds: number): string {
  if (milliseconds >= 1000) return `${(milliseconds / 1000).toFixed(2)}s`;
  return milliseconds >= 1 ? `${milliseconds.toFixed(2)}ms` : `${(milliseconds * 1000).toFixed(0)}µs`;
}
