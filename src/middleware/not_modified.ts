/**
 * Responses with status 304 for clients that already have the current version.
 *
 * @module
 */

import { type Context, exchangeOf } from "../context/context.ts";
import type { Recorder } from "../context/recorder.ts";
import { namesTag } from "../http/entity_tags.ts";

/**
 * Replaces the response to a GET or HEAD request with a 304 if the client already has its entity tag. The other headers
 * are sent too, so that the client can update its copy (RFC 9110, 15.4.5).
 *
 * @returns Whether the response was replaced.
 */
export function sendNotModified(ctx: Context, recorder: Recorder): boolean {
  if (!namesTag(ctx.GetHeader("if-none-match"), recorder.GetHeader("etag"))) return false;
  omitBody(ctx, recorder);
  return true;
}

/**
 * Removes the body. The headers that describe it are kept until the response is sent, because outer middleware needs
 * the type and the length to know which headers the body would have had.
 */
function omitBody(ctx: Context, recorder: Recorder): void {
  const length = recorder.Body()?.length;
  recorder.SetBody("");
  exchangeOf(ctx).draft.body = undefined;
  if (length !== undefined) ctx.Header("content-length", String(length));
  ctx.StatusCode(304);
}
