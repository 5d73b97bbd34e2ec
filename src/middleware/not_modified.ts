/**
 * The 304 of a response whose entity tag the client knows.
 *
 * @module
 */

import type { Context } from "../context/context.ts";
import type { Recorder } from "../context/recorder.ts";
import { namesTag } from "../http/entity_tags.ts";

/**
 * What a 304 repeats of the headers that describe the body, so that the client can freshen its copy (RFC 9110, 15.4.5).
 */
const kept = ["etag", "last-modified"] as const;

/**
 * Sends a 304 in place of a response to GET or HEAD whose tag the client has.
 *
 * @returns True if it does.
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
