/**
 * Responses with status 304 for clients that already have the current version.
 *
 * @module
 */

import { type Context, exchangeOf } from "../core/context/context.ts";
import type { Recorder } from "../core/context/recorder.ts";
import { parseDate } from "../http/headers/date.ts";
import { namesTag } from "../http/headers/entity_tags.ts";

/**
 * Replaces the response to a GET or HEAD request with a 304 if the client already has its entity tag or, if the client
 * sends no tag, the version of its last modification. The other headers are sent too, so that the client can update its
 * copy (RFC 9110, 15.4.5).
 */
export function sendNotModified(ctx: Context, recorder: Recorder): void {
  const tags = ctx.GetHeader("if-none-match");
  if (tags === "" ? isUnchanged(ctx, recorder) : namesTag(tags, recorder.GetHeader("etag"))) omitBody(ctx, recorder);
}

function isUnchanged(ctx: Context, recorder: Recorder): boolean {
  const changed = recorder.GetHeader("last-modified");
  if (changed === "") return false;
  const [date, since] = [parseDate(changed), parseDate(ctx.GetHeader("if-modified-since"))];
  return date !== undefined && since !== undefined && date <= since;
}

/**
 * Removes the body. The headers that describe it are kept until the response is sent, because outer middleware needs
 * the type and the length to know which headers the body would have had.
 */
export function omitBody(ctx: Context, recorder: Recorder): void {
  const length = recorder.Body()?.length;
  recorder.SetBody("");
  exchangeOf(ctx).draft.body = undefined;
  if (length !== undefined) ctx.Header("content-length", String(length));
  ctx.StatusCode(304);
}
