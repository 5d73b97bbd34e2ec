/**
 * Middleware that logs one line per request with the status code, latency, client address, method and path.
 *
 * @example Log every request
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

import { callNow, isBoolean, notify } from "../base/async/callback.ts";
import { cyan, green, red, yellow } from "@std/fmt/colors";
import { flag, func } from "../base/config/option_kinds.ts";
import { type Filled, optionTable, readOptions } from "../base/config/option_table.ts";
import { escapeControls } from "../base/log/describe.ts";
import type { LogFields } from "../base/log/fields.ts";
import { type Logger, showsColor, takesRecords, writeFields, writesJSON, writeTrusted } from "../base/log/logger.ts";
import { maskSecrets } from "../base/log/secrets.ts";
import { type Context, exchangeOf } from "../core/context/context.ts";
import type { Handler } from "../core/context/handler.ts";
import { failureStatus } from "../core/exchange/failure.ts";
import { encodedPath, searchOf } from "../http/headers/request_url.ts";

/** Options for {@linkcode New}. */
export interface Options {
  /**
   * Whether to log the status code.
   *
   * @default {true}
   */
  Status?: boolean;
  /**
   * Whether to log the client's IP address.
   *
   * @default {true}
   */
  IP?: boolean;
  /**
   * Whether to log the method.
   *
   * @default {true}
   */
  Method?: boolean;
  /**
   * Whether to log the path.
   *
   * @default {true}
   */
  Path?: boolean;
  /**
   * Whether to log the query string. It may contain sensitive data.
   *
   * @default {false}
   */
  Query?: boolean;
  /** A predicate that excludes requests from the log. */
  Skip?: (ctx: Context) => boolean;
  /** A callback that receives each record instead of the application's logger. */
  LogFunc?: (record: Record) => void;
}

/** A logged request. */
export interface Record {
  /** The response status code. */
  readonly Status: number;
  /** The time from the first handler to the last, in milliseconds. */
  readonly Latency: number;
  /** The client's IP address. */
  readonly IP: string;
  /** The request method. */
  readonly Method: string;
  /**
   * The request path, including the query string if `Query` is enabled. The signatures of one-time tokens are masked.
   */
  readonly Path: string;
}

const table = optionTable<Options>("middleware/logger.Options", "logger")({
  Status: flag(true),
  IP: flag(true),
  Method: flag(true),
  Path: flag(true),
  Query: flag(false),
  Skip: func(),
  LogFunc: func(),
});

type Settings = Filled<Options, "Skip" | "LogFunc">;

/**
 * Creates middleware that logs each request after its handlers have finished. Responses are logged at info level. A
 * status code of 400 or higher is logged as a warning, and 500 or higher as an error.
 *
 * The status code is colored if the output is a terminal. In JSON logs, each part of the line is a separate member.
 * Fields of `ctx.Logger()` follow at the end.
 *
 * @param options The options.
 * @returns The middleware.
 */
export function New(options: Options = {}): Handler {
  const settings = readOptions(table, options);
  return function logger(ctx) {
    if (exchangeOf(ctx).target.outer?.isRenewal) return ctx.Next();
    const started = performance.now();
    let rest: Promise<void> | undefined;
    try {
      rest = ctx.Next();
    } catch (error) {
      write(ctx, settings, started, failureStatus(exchangeOf(ctx), error));
      throw error;
    }
    if (rest !== undefined) return writeLater(ctx, settings, started, rest);
    write(ctx, settings, started, ctx.GetStatusCode());
  };
}

async function writeLater(ctx: Context, settings: Settings, started: number, rest: Promise<void>): Promise<void> {
  try {
    await rest;
  } catch (error) {
    write(ctx, settings, started, failureStatus(exchangeOf(ctx), error));
    throw error;
  }
  write(ctx, settings, started, ctx.GetStatusCode());
}

function write(ctx: Context, settings: Settings, started: number, status: number): void {
  const { Skip, LogFunc } = settings;
  const report = (name: string) => (reason: unknown) => {
    ctx.Logger().Error(`Cannot use the option ${name} of the request logger:`, reason);
    return false;
  };
  if (Skip !== undefined && callNow(() => Skip(ctx), isBoolean, report("Skip"))) return;
  const { target } = exchangeOf(ctx);
  const record: Record = {
    Status: status,
    Latency: performance.now() - started,
    IP: settings.IP ? ctx.RemoteAddr() : "",
    Method: ctx.Method(),
    Path: maskSecrets(encodedPath(target) + (settings.Query ? searchOf(target) : "")),
  };
  if (LogFunc !== undefined) notify(() => LogFunc(record), report("LogFunc"));
  else writeLine(ctx.Logger(), record, settings);
}

function writeLine(logger: Logger, record: Record, settings: Settings): void {
  const { level, paint } = gradeOf(record.Status);
  if (writesJSON(logger)) {
    return writeFields(logger, level, `${record.Method} ${record.Path}`, fieldsOf(record, settings));
  }
  const status = showsColor(logger) ? paint(String(record.Status)) : String(record.Status);
  const parts = [
    settings.Status ? status : "",
    duration(record.Latency),
    record.IP,
    settings.Method ? record.Method : "",
    settings.Path ? escapeControls(record.Path) : "",
  ];
  const message = `${record.Method} ${record.Path}`;
  const plain = takesRecords(logger) ? { message, fields: fieldsOf(record, settings) } : undefined;
  writeTrusted(logger, level, parts.filter((part) => part !== "").join(" "), plain);
}

/** Returns the fields of a JSON log line. */
function fieldsOf(record: Record, settings: Settings): LogFields {
  return {
    ...settings.Status && { status: record.Status },
    latency_ms: Number(record.Latency.toFixed(3)),
    ...record.IP !== "" && { ip: record.IP },
    ...settings.Method && { method: record.Method },
    ...settings.Path && { path: record.Path },
  };
}

/** The log level and color per class of status codes. */
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
