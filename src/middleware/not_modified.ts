/**
 * Responses with status 304 for clients that already have the current version.
 *
 * @module
 */

import type { Context } from "../context/context.ts";
import type { Recorder } from "../context/recorder.ts";
import { namesTag } from "../http/entity_tags.ts";

/**
 * The headers that are sent with a 304 response so that the client can update its copy (RFC 9110, 15.4.5).
 */
const kept = ["etag", "last-modified"] as const;

/**
 * Replaces the response to a GET or HEAD request with a 304 if the client already has its entity tag.
 *
 * @returns Whether the response was replaced.
 */
export function sendNotModified(ctx: Context, recorder: Recorder): boolean {
  const tags = ctx.GetHeader("if-none-match");
  const tag = recorder.GetHeader("etag");
  if (!namesTag(tags, tag)) return false;
  const headers = kept.map((name) => [name, recorder.GetHeader(name)] as const);
  recorder.ResetBody();
  for (const [name, value] of headers) if (value !== "") ctx.Header(name, value);
  ctx.StatusCode(304);
  return true;
}
