/**
 * Middleware that compresses responses: zstd, brotli, gzip or deflate, as the client likes best.
 *
 * Bodies of a type that shrinks and of at least 1 KiB are compressed; streams are compressed as they flow. Ranges,
 * types that are compressed already, server-sent events and responses that say `no-transform` are left alone. A strong
 * entity tag becomes a weak one, since the bytes differ.
 *
 * Deno can compress by itself, with the option `automaticCompression` of `Deno.serve`. Both were measured
 * (`deno task bench static`): what browsers ask for costs the processor less here, since zstd is cheaper than the
 * brotli that Deno chooses for them; gzip costs more here and is a third shorter. Deno's way has neither zstd nor a
 * choice of types and sizes, and does not see what other middleware does to the response, so that fw leaves it off.
 *
 * @example Compressing whatever is worth it
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

import { FrameworkError } from "../../base/errors.ts";
import type { Context } from "../../context/context.ts";
import type { Handler } from "../../context/handler.ts";
import type { Recorder } from "../../context/recorder.ts";
import { chooseEncoding } from "../../http/accept_encoding.ts";
import { type Coding, encoders } from "./codings.ts";

export type { Coding } from "./codings.ts";

/** What is compressed, and how. */
export interface Options {
  /** The codings to offer, the best first; zstd, br, gzip and deflate unless given. */
  Codings?: readonly Coding[];
  /** The least number of bytes that are worth it; 1024 unless given. A stream has no number and is always worth it. */
  MinSize?: number;
  /** Reports whether a media type shrinks; text, JSON, XML, scripts, fonts and images of text unless given. */
  Types?: (mediaType: string) => boolean;
}

const defaults: Required<Options> = {
  Codings: ["zstd", "br", "gzip", "deflate"],
  MinSize: 1024,
  Types: shrinks,
};

/** What responses of these statuses carry is not a body of its own, or a part of one. */
const untouched: ReadonlySet<number> = new Set([204, 205, 206, 304]);

/**
 * Creates the middleware. Give it to `UseRouter`, so that error pages are compressed too.
 *
 * @param options What is compressed, and how.
 * @returns The handler.
 */
export function New(options: Options = {}): Handler {
  const settings = { ...defaults, ...options };
  for (const coding of settings.Codings) {
    if (!Object.hasOwn(encoders, coding)) {
      throw new FrameworkError("FW_CONFIG", `Cannot compress with "${coding}": it is not zstd, br, gzip or deflate`);
    }
  }
  return (ctx) => {
    ctx.Recorder().OnSend((recorder) => compress(ctx, recorder, settings));
    return ctx.Next();
  };
}

function compress(ctx: Context, recorder: Recorder, settings: Required<Options>): void {
  if (!isFit(recorder, settings)) return;
  const body = recorder.Body();
  if (body !== null && body.length < settings.MinSize) return;
  if (body === null && isShort(recorder, settings)) return;
  // Also a response that is not compressed depends on the header: a cache must not give it to another client.
  addVary(ctx, recorder);
  const coding = chooseEncoding(ctx.GetHeader("accept-encoding") || null, settings.Codings);
  if (coding === undefined || coding === "") return;
  const encoder = encoders[coding as Coding];
  ctx.Header("content-encoding", coding);
  weaken(ctx, recorder);
  ctx.Header("accept-ranges", "");
  if (ctx.Method() === "HEAD") return ctx.Header("content-length", "");
  if (body === null) return recorder.Transform(encoder.stream);
  recorder.SetBody(encoder.whole(body));
}

function isFit(recorder: Recorder, settings: Required<Options>): boolean {
  if (untouched.has(recorder.GetStatusCode()) || recorder.GetHeader("content-encoding") !== "") return false;
  if (/\bno-transform\b/i.test(recorder.GetHeader("cache-control"))) return false;
  const type = recorder.GetHeader("content-type").split(";", 1)[0]?.trim().toLowerCase() ?? "";
  // An event must leave when it is written, which no coding here can promise.
  return type !== "text/event-stream" && settings.Types(type);
}

/** A stream may still say how long it is, as a file does. */
function isShort(recorder: Recorder, { MinSize }: Required<Options>): boolean {
  const length = recorder.GetHeader("content-length");
  return length !== "" && Number(length) < MinSize;
}

function addVary(ctx: Context, recorder: Recorder): void {
  const vary = recorder.GetHeader("vary");
  if (vary !== "*" && !/\baccept-encoding\b/i.test(vary)) ctx.AddHeader("vary", "accept-encoding");
}

function weaken(ctx: Context, recorder: Recorder): void {
  const tag = recorder.GetHeader("etag");
  if (tag.startsWith('"')) ctx.Header("etag", `W/${tag}`);
}

/** Text in all its forms; images, sound and archives are compressed by their own formats. */
function shrinks(type: string): boolean {
  return type.startsWith("text/") || /[+/](json|xml|javascript|wasm|yaml|csv|x-ndjson|graphql)$/.test(type) ||
    shrinking.has(type);
}

const shrinking: ReadonlySet<string> = new Set([
  "application/json",
  "application/problem+json",
  "application/manifest+json",
  "application/x-www-form-urlencoded",
  "application/vnd.ms-fontobject",
  "font/ttf",
  "font/otf",
  "image/bmp",
  "image/x-icon",
  "image/vnd.microsoft.icon",
]);
