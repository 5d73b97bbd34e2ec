/**
 * The access log. It measures requests and writes their entries in batches.
 *
 * @module
 */

import { isObject } from "../../base/config/returned.ts";
import { callNow, isBoolean, isString } from "../../base/async/callback.ts";
import { Buffer } from "node:buffer";
import {
  bytes,
  count,
  either,
  filled,
  flag,
  formerly,
  func,
  milliseconds,
  record,
  text,
  texts,
  where,
} from "../../base/config/option_kinds.ts";
import { type Filled, optionTable, readOptions } from "../../base/config/option_table.ts";
import { type Context, exchangeOf } from "../../core/context/context.ts";
import type { Handler } from "../../core/context/handler.ts";
import { breakOff } from "../../core/exchange/stream_terms.ts";
import { beforeResponse, beforeSending } from "../../core/exchange/ending/end_tasks.ts";
import type { Exchange } from "../../core/exchange/exchange.ts";
import { fieldsOf, type Logger } from "../../base/log/logger.ts";
import { maskSecrets } from "../../base/log/secrets.ts";
import { RotatingFile, type Rotation } from "../../base/log/rotating_file.ts";
import { type LogOutput, type LogWriter, type Sink, sinkOf } from "../../base/log/sink.ts";
import { isStreamed, readHeader, termsOf } from "../../http/response/draft.ts";
import { transformBody } from "../../http/response/draft_body.ts";
import { nullBody } from "../../http/response/to_response.ts";
import { observed } from "../observed_stream.ts";
import { captureResponse, requestBody } from "./captured_body.ts";
import { type Entry, entryOf, none } from "./entry.ts";
import { csvHeader, type FormatName, type Formatter, formatterOf, isFormat } from "./formats.ts";
import { Listeners, type ListenOptions } from "./listeners.ts";
import { bodyText, type BodyWriter, type CapturedBody, secretTest } from "./masked_body.ts";

/**
 * Options for {@linkcode New}. A log file is rotated when it reaches `MaxFile` bytes (100 MiB by default) or is older
 * than `MaxAge` milliseconds (0 by default, which means no limit). Up to `MaxFiles` rotated files (5 by default) are
 * kept.
 */
export interface Options extends Rotation {
  /** The path of the log file. If omitted, lines are written to `Output`. */
  File?: string;
  /**
   * The destination for lines if `File` is not set.
   *
   * @default {Deno.stdout}
   */
  Output?: LogOutput;
  /**
   * The line format. Use `text` (columns separated by bars), `json` or `csv`, the Apache and nginx formats `common` or
   * `combined`, a template such as `{IP} {Method} {Path} {Status} {BytesSent}`, or a function.
   *
   * @default {"text"}
   */
  Format?: FormatName | (string & Record<never, never>) | Formatter;
  /**
   * Whether to log the query string. It may contain sensitive data.
   *
   * @default {false}
   */
  Query?: boolean;
  /**
   * Whether to log request bodies that handlers read. JSON, URL-encoded forms and plain text of up to 64 KiB are
   * logged, with passwords, tokens and similar values replaced with `***`. For other bodies, only a description is
   * logged.
   *
   * @default {false}
   */
  RequestBody?: boolean;
  /**
   * Whether to log response bodies, in the same way as request bodies.
   *
   * @default {false}
   */
  ResponseBody?: boolean;
  /**
   * The maximum number of characters to log for a body. Longer bodies are truncated after secrets are masked.
   *
   * @default {2000}
   */
  MaxBody?: number;
  /** Additional names of secret fields in bodies, such as `email`. Case and separators are ignored. */
  Mask?: readonly string[];
  /** Returns additional fields for an entry. Fields added with `ctx.Logger().AddFields` are always logged. */
  Fields?: (ctx: Context) => { readonly [name: string]: unknown };
  /** A predicate that excludes requests from the log. */
  Skip?: (ctx: Context) => boolean;
}

const formatRule = where(text(), 'a format such as "json", or a template such as "{IP} {Path}"', isFormat);

const table = optionTable<Options>("middleware/accesslog.Options", "accesslog")({
  File: filled(),
  Output: either(undefined, func(), record()),
  Format: either("text", formatRule, func()),
  Query: flag(false),
  RequestBody: flag(false),
  ResponseBody: flag(false),
  MaxBody: count(2_000, { from: 0, to: Infinity }),
  Mask: texts([]),
  Fields: func(),
  Skip: func(),
  MaxFile: formerly("MaxSize", bytes(100 << 20, { to: Infinity })),
  MaxAge: milliseconds(0, { to: Infinity }),
  MaxFiles: count(5, { from: 0, to: Infinity }),
});

type Settings = Filled<Options, "File" | "Output" | "Fields" | "Skip">;

/** A request in flight. */
interface Begun {
  readonly ctx: Context;
  readonly exchange: Exchange<Context>;
  readonly timestamp: number;
  readonly started: number;
  /** The bodies to log. */
  request: CapturedBody | undefined;
  response: CapturedBody | undefined;
}

/** An access log, created by {@linkcode New}. */
export class AccessLog implements Disposable {
  readonly #options: Settings;
  readonly #format: Formatter;
  readonly #file: RotatingFile | undefined;
  readonly #sinks: Sink[];
  readonly #listeners = new Listeners();
  readonly #bodies: BodyWriter;
  #logger: Logger | undefined = undefined;
  #isFailing = false;

  /**
   * Created by {@linkcode New}.
   *
   * @param options The options.
   */
  constructor(options: Options) {
    const settings = this.#options = readOptions(table, options);
    const { File, Format, RequestBody, ResponseBody, MaxBody, Mask, Output = Deno.stdout } = settings;
    this.#format = formatterOf(Format, RequestBody || ResponseBody);
    this.#bodies = { max: MaxBody, isSecret: secretTest(Mask) };
    this.#file = File === undefined ? undefined : new RotatingFile(File, settings, header(settings));
    const writer: LogWriter | undefined = this.#file && { writeSync: (bytes) => this.#writeFile(bytes) };
    this.#sinks = [sinkOf(writer ?? Output)];
  }

  /**
   * Adds outputs, for example to write the lines of a file to the terminal as well.
   *
   * @param outputs The outputs. Each of them receives all further lines.
   * @returns This access log, for chaining.
   */
  AddOutput(...outputs: LogOutput[]): this {
    this.#sinks.push(...outputs.map(sinkOf));
    return this;
  }

  /**
   * Iterates over the entries of further requests, for example to show them on a page.
   *
   * @param options The signal that ends the iteration and the maximum number of entries that wait.
   * @returns The entries. The iteration ends when the access log is closed.
   *
   * @example Read the entries
   * ```ts
   * import * as fw from "@fw/web";
   * import * as accesslog from "@fw/web/middleware/accesslog";
   *
   * const log = accesslog.New({ Output: () => {} });
   * const app = fw.New();
   * app.UseRouter(log.Handler());
   * app.Get("/", (ctx) => ctx.WriteString("hello"));
   *
   * const entries = log.Listen();
   * await app.fetch(new Request("http://localhost/"));
   * log.Close();
   * const [entry] = await Array.fromAsync(entries);
   * [entry?.Status, entry?.Path]; // → [200, "/"]
   * ```
   */
  Listen(options: ListenOptions = {}): AsyncIterableIterator<Entry, undefined> {
    return this.#listeners.add(options);
  }

  /**
   * Creates the middleware. Register it with `UseRouter` to log requests without a route as well.
   *
   * @returns The middleware.
   */
  Handler(): Handler {
    const accesslog: Handler = (ctx) => {
      this.#logger ??= ctx.Application().Logger();
      const exchange = exchangeOf(ctx);
      if (exchange.target.outer?.isRenewal) return ctx.Next();
      const begun: Begun = {
        ctx,
        exchange,
        timestamp: Date.now(),
        started: performance.now(),
        request: undefined,
        response: undefined,
      };
      // The entry needs the length of the body. Keeping JSON as a string avoids encoding it twice.
      termsOf(exchange.draft).keepsText = true;
      beforeSending(exchange, () => this.#end(begun));
      if (this.#options.RequestBody || this.#options.ResponseBody) this.#capture(begun);
      return ctx.Next();
    };
    return accesslog;
  }

  #capture(begun: Begun): void {
    const { exchange } = begun;
    if (this.#options.ResponseBody) {
      // Other middleware compresses the body later.
      beforeResponse(exchange, () => void (begun.response = captureResponse(exchange.draft)));
    }
    if (this.#options.RequestBody) {
      beforeSending(exchange, async () => void (begun.request = await requestBody(exchange)));
    }
  }

  /** Writes all buffered lines immediately. */
  Flush(): void {
    for (const sink of this.#sinks) sink.flush();
  }

  /** Writes all buffered lines, closes the file and ends the iterations of `Listen`. */
  Close(): void {
    this.Flush();
    this.#listeners.close();
    this.#file?.close();
  }

  /** Closes the access log at the end of a `using` block. */
  [Symbol.dispose](): void {
    this.Close();
  }

  #end(begun: Begun): void {
    const { ctx, exchange: { draft } } = begun;
    const { Skip } = this.#options;
    if (Skip !== undefined && this.#ask("Skip", () => Skip(ctx), isBoolean, false)) return;
    if (!isStreamed(draft) || draft.upgrade !== undefined) return this.#write(begun, lengthOf(draft.body));
    const declared = readHeader(draft, "content-length");
    // Counting the bytes would slow down large files.
    if (declared !== "") {
      // Deno does not know the address anymore when the response has been sent.
      ctx.RemoteAddr();
      return ctx.OnClose(() => this.#write(begun, Number(declared)));
    }
    const response = draft.response;
    if (response !== undefined && response.body === null) return this.#write(begun, 0);
    let bytes = 0;
    transformBody(draft, (stream) =>
      observed(stream, {
        chunk: ({ length }) => bytes += length,
        ended: (_how, error) => {
          // Report the failure first, so that the entry contains it.
          if (error !== undefined) breakOff(begun.exchange, error);
          this.#write(begun, bytes);
        },
      }));
  }

  /** Writes to the file. If that fails, the first error is logged by the application's logger. */
  #writeFile(bytes: Uint8Array): number {
    try {
      const written = this.#file?.writeSync(bytes) ?? 0;
      this.#isFailing = false;
      return written;
    } catch (error) {
      if (!this.#isFailing) this.#logger?.Error("Cannot write the access log, its lines are lost:", error);
      this.#isFailing = true;
      throw error;
    }
  }

  #write({ ctx, exchange, timestamp, started, request, response }: Begun, bytesSent: number): void {
    const { method } = exchange;
    const entry = entryOf(ctx, {
      timestamp,
      latency: performance.now() - started,
      bytesReceived: method === "GET" || method === "HEAD" ? 0 : received(exchange),
      bytesSent: method === "HEAD" || nullBody.has(exchange.draft.status) ? 0 : bytesSent,
      withQuery: this.#options.Query,
      fields: this.#fieldsOf(ctx, exchange),
      request: request === undefined ? "" : bodyText(request, this.#bodies),
      response: response === undefined || method === "HEAD" ? "" : bodyText(response, this.#bodies),
    });
    const line = this.#ask("Format", () => this.#format(entry), isString, undefined);
    if (line !== undefined) { for (const sink of this.#sinks) sink.push(maskSecrets(line)); }
    if (!this.#listeners.isEmpty) this.#listeners.push(entry);
  }

  #fieldsOf(ctx: Context, exchange: Exchange<Context>): { readonly [name: string]: unknown } {
    const { Fields } = this.#options;
    return Fields === undefined && exchange.extras?.logger === undefined
      ? none
      : { ...addedFields(exchange), ...this.#ask("Fields", () => Fields?.(ctx) ?? none, isObject, none) };
  }

  /** Calls an option. If it fails, the error is logged, and the request is not affected. */
  #ask<T, F>(name: string, call: () => unknown, isValid: (value: unknown) => value is T, otherwise: F): T | F {
    return callNow<T | F>(call, isValid as (value: unknown) => value is T | F, (reason) => {
      this.#logger?.Error(`Cannot use the option ${name} of accesslog:`, reason);
      return otherwise;
    });
  }
}

/**
 * Returns the fields that handlers added to the request's logger. The ID and the route are excluded, because they have
 * separate columns.
 */
function addedFields(exchange: Exchange<Context>): { [name: string]: unknown } {
  const logger = exchange.extras?.logger;
  if (logger === undefined) return {};
  const { request_id: _id, route: _route, controller: _controller, ...added } = fieldsOf(logger) ?? {};
  return added;
}

function received(exchange: Exchange<Context>): number {
  const declared = Number(exchange.request.headers.get("content-length") ?? NaN);
  return Number.isFinite(declared) ? declared : exchange.body?.received ?? 0;
}

function lengthOf(body: unknown): number {
  if (body === undefined || body === null) return 0;
  return body instanceof Uint8Array ? body.length : Buffer.byteLength(String(body));
}

function header(options: Settings): string {
  return options.Format === "csv" ? `${csvHeader(options.RequestBody || options.ResponseBody)}\n` : "";
}
