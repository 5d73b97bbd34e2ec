/**
 * Middleware that adds an `ETag` header to responses and responds with 304 if the client already has the current
 * version.
 *
 * This saves bandwidth, but the handler still runs. To avoid running the handler as well, use
 * `@fw/web/middleware/cache`.
 *
 * @example Respond with 304 to the second request
 * ```ts
 * import * as fw from "@fw/web";
 * import * as etag from "@fw/web/middleware/etag";
 *
 * const app = fw.New();
 * app.Use(etag.New());
 * app.Get("/", (ctx) => ctx.JSON({ tea: "Assam" }));
 *
 * const first = await app.fetch(new Request("http://localhost/"));
 * const headers = { "if-none-match": first.headers.get("etag") ?? "" };
 * await first.body?.cancel();
 * const second = await app.fetch(new Request("http://localhost/", { headers }));
 * second.status; // → 304
 * ```
 *
 * @module
 */

import { createHash } from "node:crypto";
import { bytes, flag, formerly } from "../base/config/option_kinds.ts";
import { optionTable, readOptions } from "../base/config/option_table.ts";
import { type Context, exchangeOf } from "../core/context/context.ts";
import type { Handler } from "../core/context/handler.ts";
import { onSend } from "../core/exchange/ending/end_tasks.ts";
import type { Recorder } from "../core/context/recorder.ts";
import { isWritten, readHeader } from "../http/response/draft.ts";
import { readBody } from "../http/response/draft_body.ts";
import { sendNotModified } from "./not_modified.ts";

/** Options for {@linkcode New}. */
export interface Options {
  /**
   * Whether to use weak entity tags (`W/"…"`), for responses that may differ in insignificant ways.
   *
   * @default {false}
   */
  Weak?: boolean;
  /**
   * The maximum size of a returned `Response` body that is buffered to compute its entity tag, in bytes. Larger bodies
   * and streams that are still being produced are sent without an entity tag.
   *
   * @default {1048576}
   */
  MaxBody?: number;
}

const table = optionTable<Options>("middleware/etag.Options", "etag")({
  Weak: flag(false),
  MaxBody: formerly("MaxSize", bytes(1 << 20, { to: Infinity })),
});

/**
 * Creates middleware that adds an entity tag to 200 responses to GET and HEAD requests. An existing `ETag` header is
 * kept. Responses to HEAD requests have no tag if their body is not known, such as those of mounted applications.
 *
 * @param options The options.
 * @returns The middleware.
 */
export function New(options: Options = {}): Handler {
  const { Weak, MaxBody: limit } = readOptions(table, options);
  const prefix = Weak ? "W/" : "";
  const etag: Handler = (ctx) => {
    const method = ctx.Method();
    if (method === "GET" || method === "HEAD") {
      const recorder = ctx.Recorder();
      onSend(exchangeOf(ctx), () => tag(ctx, recorder, { prefix, limit }));
    }
    return ctx.Next();
  };
  return etag;
}

function tag(
  ctx: Context,
  recorder: Recorder,
  { prefix, limit }: { prefix: string; limit: number },
): void | Promise<void> {
  if (recorder.GetStatusCode() !== 200 || /\bno-store\b/i.test(recorder.GetHeader("cache-control"))) return;
  if (recorder.GetHeader("etag") !== "") return void sendNotModified(ctx, recorder);
  const body = recorder.Body();
  // Do not buffer a stream that is still being produced.
  if (body === null) {
    // The compressed stream is missing in a response to HEAD.
    if (ctx.Method() === "HEAD" && recorder.GetHeader("content-encoding") !== "") return;
    const { draft } = exchangeOf(ctx);
    return readBody(draft, limit, false).then((read) => {
      setTag(ctx, recorder, prefix, read);
      // In a response to HEAD, an empty stream of a mounted application is a body of unknown length.
      if (ctx.Method() === "HEAD" && read?.length === 0 && draft.body === read) draft.body = new Blob().stream();
    });
  }
  setTag(ctx, recorder, prefix, body);
}

/** Reports whether a response to HEAD does not contain the body that the response to GET would have. */
function isOmitted(ctx: Context, body: Uint8Array): boolean {
  if (body.length > 0 || ctx.Method() !== "HEAD") return false;
  const { draft } = exchangeOf(ctx);
  return isWritten(draft) || readHeader(draft, "content-length") !== "";
}

function setTag(ctx: Context, recorder: Recorder, prefix: string, body: Uint8Array | null): void {
  if (body === null || isOmitted(ctx, body)) return;
  // The digest does not protect a secret, and 128 bits are enough to distinguish the versions of a resource.
  const digest = createHash("sha256").update(body).digest("base64url").slice(0, 22);
  ctx.Header("etag", `${prefix}"${digest}"`);
  sendNotModified(ctx, recorder);
}
