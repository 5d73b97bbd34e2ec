/**
 * Middleware that compresses responses with zstd, brotli, gzip or deflate, according to the client's preference.
 *
 * Bodies of compressible types are compressed if they have at least 1 KiB. Streams are compressed while they are sent,
 * and clients can read each chunk as soon as it has been written. Partial content, types that are already compressed,
 * server-sent events and responses with `no-transform` are not changed. A strong entity tag becomes weak, since the
 * bytes differ.
 *
 * Deno can also compress responses itself, with the `automaticCompression` option of `Deno.serve`. In our benchmarks
 * (`deno task bench static`), this middleware needs less CPU time for browsers, because zstd is cheaper than the brotli
 * that Deno selects for them. Its gzip needs more CPU time, but the result is a third smaller. Deno's compression
 * supports neither zstd nor a choice of types and sizes, and it ignores changes that other middleware makes to the
 * response, so fw leaves it disabled.
 *
 * @example Compress responses
 * ```ts
 * import * as fw from "@fw/web";
 * import * as compress from "@fw/web/middleware/compress";
 *
 * const app = fw.New();
 * app.UseRouter(compress.New());
 * app.Get("/", (ctx) => ctx.WriteString("tea ".repeat(1000)));
 *
 * const headers = { "accept-encoding": "gzip" };
 * const response = await app.fetch(new Request("http://localhost/", { headers }));
 * response.headers.get("content-encoding"); // → "gzip"
 * response.headers.get("vary"); // → "accept-encoding"
 * await response.body?.cancel();
 * ```
 *
 * @module
 */

import { callNow, isBoolean } from "../../base/async/callback.ts";
import { bytes, formerly, func, texts } from "../../base/config/option_kinds.ts";
import { nonEmpty } from "../../base/config/option_shapes.ts";
import { type Filled, optionTable, readOptions } from "../../base/config/option_table.ts";
import { FrameworkError } from "../../base/errors/errors.ts";
import { type Context, exchangeOf } from "../../core/context/context.ts";
import { Extend } from "../../core/context/extend.ts";
import type { Handler } from "../../core/context/handler.ts";
import type { Recorder } from "../../core/context/recorder.ts";
import { onSend } from "../../core/exchange/ending/end_tasks.ts";
import { chooseEncoding } from "../../http/headers/accept_encoding.ts";
import { isTextual } from "../../http/headers/content_type.ts";
import { varyBy } from "../../http/response/draft.ts";
import { readBody, transformBody } from "../../http/response/draft_body.ts";
import { type Coding, encoders } from "./codings.ts";

export type { Coding } from "./codings.ts";

/** Options for {@linkcode New}. */
export interface Options {
  /**
   * The supported content codings, in order of preference.
   *
   * @default {["zstd", "br", "gzip", "deflate"]}
   */
  Codings?: readonly Coding[];
  /**
   * The minimum body size, in bytes. Streams of unknown length are always compressed.
   *
   * @default {1024}
   */
  MinBody?: number;
  /**
   * Reports whether a media type is compressible. Defaults to text, JSON, XML, scripts, and uncompressed fonts and
   * images.
   */
  Types?: (mediaType: string) => boolean;
}

/** Status codes of responses that never have a body, or have a part of one. */
const untouched: ReadonlySet<number> = new Set([204, 205, 206]);

const table = optionTable<Options>("middleware/compress.Options", "compress")({
  Codings: nonEmpty(texts(["zstd", "br", "gzip", "deflate"])),
  MinBody: formerly("MinSize", bytes(1024, { to: Infinity })),
  Types: func(shrinks),
});

/**
 * Creates middleware that compresses responses. Register it with `UseRouter`, so that error pages are compressed too.
 *
 * @param options The options.
 * @returns The middleware.
 * @throws {FrameworkError} If a content coding is not supported.
 */
export function New(options: Options = {}): Handler {
  const settings = readOptions(table, options);
  for (const coding of settings.Codings) {
    if (!Object.hasOwn(encoders, coding)) {
      throw new FrameworkError("FW_CONFIG", `Cannot compress with "${coding}": use zstd, br, gzip or deflate`);
    }
  }
  return Extend(compressed, { Name: "compress", Many: true, Install() {} });

  function compressed(ctx: Context): ReturnType<Handler> {
    const recorder = ctx.Recorder();
    onSend(exchangeOf(ctx), () => compress(ctx, recorder, settings));
    return ctx.Next();
  }
}

function compress(ctx: Context, recorder: Recorder, settings: Filled<Options>): void | Promise<void> {
  if (!isFit(ctx, recorder, settings)) return;
  const { draft } = exchangeOf(ctx);
  const { response } = draft;
  // A response whose body has been read cannot be sent, and fails with HEAD as it does with GET.
  if (response?.bodyUsed) return;
  // The body of a returned response is a stream, even if it is a short string of a mounted application.
  const isUnmeasured = settings.MinBody > 0 && (response?.body ?? null) !== null &&
    lengthOf(ctx, recorder) === Infinity;
  if (!isUnmeasured) return encode(ctx, recorder, settings);
  return readBody(draft, settings.MinBody, false).then((read) => {
    // In a response to HEAD, an empty stream of a mounted application is a body of unknown length.
    if (read?.length === 0 && ctx.Method() === "HEAD") draft.body = new Blob().stream();
    encode(ctx, recorder, settings);
  });
}

function encode(ctx: Context, recorder: Recorder, settings: Filled<Options>): void {
  const { draft } = exchangeOf(ctx);
  if (lengthOf(ctx, recorder) < settings.MinBody) return;
  // An uncompressed response also depends on the header, so a cache must not serve it to every client.
  varyBy(draft, "accept-encoding");
  const coding = chooseEncoding(ctx.GetHeader("accept-encoding") || null, settings.Codings);
  if (coding === undefined || coding === "") return;
  const encoder = encoders[coding as Coding];
  ctx.Header("content-encoding", coding);
  weaken(ctx, recorder);
  ctx.Header("accept-ranges", "");
  if (recorder.GetStatusCode() === 304) return;
  const body = recorder.Body();
  // The body is also compressed for HEAD, because its length is sent.
  if (body !== null && body.length > 0) return recorder.SetBody(encoder.whole(body));
  // The compressed length of a file or a stream is not known, and neither is sent for HEAD.
  if (ctx.Method() === "HEAD") return recorder.SetBody(ReadableStream.from<Uint8Array<ArrayBuffer>>([]));
  transformBody(draft, recorder.GetHeader("content-length") === "" ? encoder.live : encoder.stream);
}

function isFit(ctx: Context, recorder: Recorder, settings: Filled<Options>): boolean {
  if (untouched.has(recorder.GetStatusCode()) || recorder.GetHeader("content-encoding") !== "") return false;
  if (/\bno-transform\b/i.test(recorder.GetHeader("cache-control"))) return false;
  const type = recorder.GetHeader("content-type").split(";", 1)[0]?.trim().toLowerCase() ?? "";
  // Events are short, and a flush after each of them makes them longer than they are without compression.
  return type !== "text/event-stream" && callNow(() => settings.Types(type), isBoolean, (reason) => {
    ctx.Logger().Error("Cannot use the option Types of compress:", reason);
    return false;
  });
}

/**
 * Returns the length of the body. It is infinite for a stream of unknown length. A response to HEAD and a 304 get the
 * headers that the body would get, although they do not contain it.
 */
function lengthOf(ctx: Context, recorder: Recorder): number {
  const body = recorder.Body();
  if (body !== null && body.length > 0) return body.length;
  const declared = recorder.GetHeader("content-length");
  if (declared !== "") return Number(declared);
  const isOmitted = recorder.GetStatusCode() === 304 ||
    (ctx.Method() === "HEAD" && exchangeOf(ctx).draft.response !== undefined);
  return body === null || isOmitted ? Infinity : 0;
}

function weaken(ctx: Context, recorder: Recorder): void {
  const tag = recorder.GetHeader("etag");
  if (tag.startsWith('"')) ctx.Header("etag", `W/${tag}`);
}

/** Reports whether a type is compressible. Most image, audio and archive formats are already compressed. */
function shrinks(type: string): boolean {
  return isTextual(type) || shrinking.has(type);
}

const shrinking: ReadonlySet<string> = new Set([
  "application/vnd.ms-fontobject",
  "application/wasm",
  "font/ttf",
  "font/otf",
  "image/bmp",
  "image/x-icon",
  "image/vnd.microsoft.icon",
]);
