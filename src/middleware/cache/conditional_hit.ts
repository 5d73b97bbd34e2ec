/**
 * Conditions and ranges of requests that are served from the cache (RFC 9110, sections 13 and 14).
 *
 * @module
 */

import { Buffer } from "node:buffer";
import { type Context, exchangeOf } from "../../core/context/context.ts";
import { parseDate } from "../../http/headers/date.ts";
import type { ByteRange } from "../../http/headers/range.ts";
import { resetBody, setHeader } from "../../http/response/draft.ts";
import { evaluateConditions, isConditional, type Verdict } from "../../http/response/file/conditions.ts";
import { contentRange, partPieces } from "../../http/response/file/file_pieces.ts";
import { omitBody } from "../not_modified.ts";
import type { CachedResponse } from "./cached_response.ts";

/** Conditions that compare entity tags. */
const tagConditions = ["if-match", "if-none-match", "if-range"] as const;

/**
 * Replaces a stored response that was written as a whole with the one that the request's conditions require: a 304, a
 * 412, or a part of the body.
 *
 * @param ctx The request context.
 * @param response The stored response. Its status is 200.
 */
export function applyConditions(ctx: Context, { Body, Headers: stored }: CachedResponse): void {
  const recorder = ctx.Recorder();
  const verdict = verdictFor(ctx, new Headers(stored as [string, string][]), Body.length);
  const { draft } = exchangeOf(ctx);
  switch (verdict.status) {
    case 200:
      return;
    case 304:
      return omitBody(ctx, recorder);
    case 206:
      return writeParts(ctx, Body, verdict.ranges);
    default:
      resetBody(draft);
      ctx.StatusCode(verdict.status);
      // The lifetime is that of the page.
      setHeader(draft, "cache-control", "no-store");
      if (verdict.status === 416) setHeader(draft, "content-range", `bytes */${Body.length}`);
  }
}

function verdictFor(ctx: Context, stored: Headers, size: number): Verdict {
  const { headers } = ctx.Request();
  if (!isConditional(headers)) return { status: 200 };
  const tag = stored.get("etag") ?? "";
  const date = parseDate(stored.get("last-modified") ?? "");
  const asked = new Headers(headers);
  if (tag === "" && tagConditions.some((name) => headers.has(name))) {
    // Middleware around the cache may add the tag, and evaluates these conditions then. They come before ranges.
    for (const name of [...tagConditions, "range"]) asked.delete(name);
  }
  const validators = { tag, changed: date === undefined ? null : new Date(date), size };
  return evaluateConditions({ method: ctx.Method(), headers: asked }, validators);
}

function writeParts(ctx: Context, body: Uint8Array<ArrayBuffer>, ranges: readonly ByteRange[]): void {
  const recorder = ctx.Recorder();
  const { list, type } = partPieces(ranges, body.length, recorder.GetHeader("content-type"));
  const pieces = list.map((piece) => piece instanceof Uint8Array ? piece : body.subarray(piece[0], piece[1] + 1));
  recorder.SetBody(new Uint8Array(Buffer.concat(pieces)));
  ctx.StatusCode(206);
  const [only] = ranges;
  if (type !== undefined) ctx.ContentType(type);
  else if (only !== undefined) ctx.Header("content-range", contentRange(only, body.length));
}
