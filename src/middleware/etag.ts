/**
 * Middleware that gives every response an entity tag, and sends 304 without a body to a client that has it already.
 *
 * It saves bytes, not work: the handler still runs. A server-side cache, `@fw/web/middleware/cache`, saves the work
 * too.
 *
 * @example The second visit costs no bytes
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
import { type Context, exchangeOf } from "../context/context.ts";
import type { Handler } from "../context/handler.ts";
import type { Recorder } from "../context/recorder.ts";
import { readReadyBody } from "../response/draft_body.ts";
import { sendNotModified } from "./not_modified.ts";

/** Which responses get a tag, and of which kind. */
export interface Options {
  /** True for weak tags, `W/"…"`: for responses that may differ in ways that do not matter. */
  Weak?: boolean;
  /**
   * The most bytes of a returned `Response` that are held in memory for its tag. A longer body gets no tag, and neither
   * does a stream whose bytes are yet to come: it is not held back.
   *
   * @default {1048576}
   */
  MaxSize?: number;
}

/**
 * Creates the middleware. It tags responses to GET and HEAD with status 200; one that has a tag keeps it.
 *
 * @param options Which responses get a tag.
 * @returns The handler.
 */
export function New(options: Options = {}): Handler {
  const prefix = options.Weak === true ? "W/" : "";
  const limit = options.MaxSize ?? 1 << 20;
  return (ctx) => {
    const method = ctx.Method();
    if (method === "GET" || method === "HEAD") {
      ctx.Recorder().OnSend((recorder) => tag(ctx, recorder, { prefix, limit }));
    }
    return ctx.Next();
  };
}

function tag(
  ctx: Context,
  recorder: Recorder,
  { prefix, limit }: { prefix: string; limit: number },
): void | Promise<void> {
  if (recorder.GetStatusCode() !== 200 || /\bno-store\b/i.test(recorder.GetHeader("cache-control"))) return;
  if (recorder.GetHeader("etag") !== "") return void sendNotModified(ctx, recorder);
  const body = recorder.Body();
  // A stream that is still being produced must reach the client as it comes.
  if (body === null) {
    return readReadyBody(exchangeOf(ctx).draft, limit).then((read) => setTag(ctx, recorder, prefix, read));
  }
  setTag(ctx, recorder, prefix, body);
}

function setTag(ctx: Context, recorder: Recorder, prefix: string, body: Uint8Array | null): void {
  if (body === null) return;
  // Not for secrets: 128 bits keep two bodies of one resource apart.
  const digest = createHash("sha256").update(body).digest("base64url").slice(0, 22);
  ctx.Header("etag", `${prefix}"${digest}"`);
  sendNotModified(ctx, recorder);
}
