/**
 * Middleware that writes a line a request: status, latency, address, method and path.
 *
 * @example One line a request
 * ```ts
 * import { assertMatch } from "@std/assert";
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
 * assertMatch(lines.join(""), /200 .* GET \/ping/);
 * ```
 *
 * @module
 */

import type { Context } from "../context/context.ts";
import type { Handler } from "../context/handler.ts";

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
  /** The status of the answer. */
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
 * Makes middleware that logs each request once it is answered: at info level, from status 400 on as a warning, from 500
 * on as an error.
 *
 * @param options What stands in the line.
 * @returns The middleware.
 */
export function New(options: Options = {}): Handler {
  const write = options.LogFunc;
  function done(ctx: Context, started: number): void {
    if (options.Skip?.(ctx)) return;
    const record = measure(ctx, options, performance.now() - started);
    if (write !== undefined) write(record);
    else log(ctx, record, options);
  }
  return function logger(ctx) {
    const started = performance.now();
    let rest: Promise<void> | undefined;
    try {
      rest = ctx.Next();
    } catch (error) {
      done(ctx, started);
      throw error;
    }
    if (rest === undefined) done(ctx, started);
    else return rest.finally(() => done(ctx, started));
  };
}

function measure(ctx: Context, options: Options, latency: number): Record {
  const query = options.Query === true ? queryOf(ctx.Request().url) : "";
  return {
    Status: ctx.GetStatusCode(),
    Latency: latency,
    IP: options.IP === false ? "" : ctx.RemoteAddr(),
    Method: ctx.Method(),
    Path: ctx.Path() + query,
  };
}

function log(ctx: Context, record: Record, options: Options): void {
  const parts = [
    options.Status === false ? "" : String(record.Status),
    duration(record.Latency),
    record.IP,
    options.Method === false ? "" : record.Method,
    options.Path === false ? "" : record.Path,
  ];
  const line = parts.filter((part) => part !== "").join(" ");
  const logger = ctx.Application().Logger();
  if (record.Status >= 500) logger.Error(line);
  else if (record.Status >= 400) logger.Warn(line);
  else logger.Info(line);
}

function queryOf(url: string): string {
  const at = url.indexOf("?");
  return at < 0 ? "" : url.slice(at);
}

function duration(milliseconds: number): string {
  if (milliseconds >= 1000) return `${(milliseconds / 1000).toFixed(2)}s`;
  return milliseconds >= 1 ? `${milliseconds.toFixed(2)}ms` : `${(milliseconds * 1000).toFixed(0)}µs`;
}
