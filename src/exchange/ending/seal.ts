/**
 * Turns the draft of a request into its response. Nothing can be written afterwards.
 *
 * @module
 */

import { isStreamed, isWritten } from "../../response/draft.ts";
import { noteResponse } from "../../response/taken_chunks.ts";
import { quickResponse, toHead, toResponse } from "../../response/to_response.ts";
import type { Exchange } from "../exchange.ts";
import { fail } from "../failure.ts";
import { belowRoot } from "../public_url.ts";
import { writeDefault } from "./error_page.ts";
import { watchBody } from "./sent_body.ts";

/** Turns the draft into the response. */
export function seal<C>(exchange: Exchange<C>): Response {
  const { draft } = exchange;
  const isHead = exchange.method === "HEAD";
  const response = (isHead ? undefined : quickResponse(draft)) ?? place(exchange, isHead ? toHead : toResponse);
  draft.gate = exchange;
  return response;
}

/** Turns any other draft than one for which there is a quick response into the response. */
function place<C>(exchange: Exchange<C>, create: typeof toResponse): Response {
  const { draft } = exchange;
  if (draft.body === undefined && exchange.runtime.development !== undefined) warnOfEmpty(exchange);
  let response: Response;
  try {
    response = create(draft);
  } catch (error) {
    // For example, the body of a returned Response may already have been read, which is detected only when a new one is
    // created from it.
    fail(exchange, error);
    writeDefault(exchange);
    response = create(draft);
  }
  const isPlain = draft.headers === undefined && draft.response === undefined;
  const placed = isPlain ? response : withPrefix(exchange, response);
  if (!isStreamed(draft)) return placed;
  const watched = watchBody(exchange, placed);
  if (draft.body instanceof ReadableStream) noteResponse(draft.body, watched);
  return watched;
}

/** Adds the prefix of a mounted application to a path in the `Location` header. */
function withPrefix<C>({ target }: Exchange<C>, response: Response): Response {
  if (target.outer === undefined || response.status === 101) return response;
  const location = response.headers.get("location");
  const placed = location === null ? null : belowRoot(target.prefix, location);
  if (placed === null || placed === location) return response;
  // The headers of a returned Response may be immutable.
  const changed = new Response(response.body, response);
  changed.headers.set("location", placed);
  return changed;
}

/** Warns developers if a chain ends without a response, for example because of a missing `ctx.Next()`. */
function warnOfEmpty<C>({ draft, method, route: { info }, chain, runtime }: Exchange<C>): void {
  const isEmpty = draft.status === 200 && !draft.isStatusSet && !isWritten(draft) && draft.upgrade === undefined;
  if (!isEmpty || info === undefined || method === "HEAD" || method === "OPTIONS") return;
  runtime.development?.warnOfEmpty({ route: info, chain: chain.handlers, at: chain.index });
}
