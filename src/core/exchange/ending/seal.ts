/**
 * Turns the draft of a request into its response, and watches a streamed body while it is sent.
 *
 * @module
 */

import { isRespelled } from "../../../http/headers/methods.ts";
import { type Draft, isStreamed, isWritten } from "../../../http/response/draft.ts";
import { isStream } from "../../../http/response/platform_response.ts";
import { byteStream, hasStream, isUnwatched } from "../../../http/response/stream.ts";
import { noteResponse } from "../../../http/response/taken_chunks.ts";
import { nullBody, quickResponse, toHead, toResponse } from "../../../http/response/to_response.ts";
import { streamTerms } from "../stream_terms.ts";
import type { Exchange } from "../exchange.ts";
import { fail } from "../failure.ts";
import { outerCallOf } from "../peer/outer_call.ts";
import { mountedPath } from "../public_url.ts";
import { writeDefault } from "./error_page.ts";

/** Turns the draft into the response. Nothing can be written afterwards. */
export function seal<C>(exchange: Exchange<C>): Response {
  const { draft, target } = exchange;
  const response = target.method === "HEAD"
    ? unmeasured(exchange, place(exchange, toHead))
    : quickResponse(draft) ?? place(exchange, toResponse);
  draft.gate = exchange;
  return response;
}

/**
 * Sends a HEAD response without a length if the length of the body is unknown. For a response without a body, Deno
 * would announce a length of zero.
 */
function unmeasured<C>({ draft, connection, request }: Exchange<C>, response: Response): Response {
  // For others, a request for `head` has an unknown method, so they would wait for the body.
  if (isRespelled(request)) response.headers.delete("content-length");
  const isUnknown = isStreamed(draft) && connection?.completed && !response.headers.has("content-length") &&
    !nullBody.has(response.status);
  return isUnknown ? new Response(ReadableStream.from([]), response) : response;
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
  const placed = mayRedirect(draft) ? withPrefix(exchange, response) : response;
  if (!isStreamed(draft)) return placed;
  const watched = watchBody(exchange, placed);
  if (draft.body instanceof ReadableStream) noteResponse(draft.body, watched);
  return watched;
}

function mayRedirect({ headers, response }: Draft): boolean {
  return response !== undefined || (headers !== undefined && headers.some((pair) => pair[0] === "location"));
}

/** Adds the prefix of a mounted application to a path in the `Location` header. */
function withPrefix<C>({ target }: Exchange<C>, response: Response): Response {
  if (outerCallOf(target.connection) === undefined || response.status === 101) return response;
  const location = response.headers.get("location");
  const placed = location === null ? null : mountedPath(target, location);
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

/**
 * Returns a response that reports a failure of its body with the route and the ID of the request, and notices a client
 * that disconnects. Bodies that need neither are sent directly.
 */
function watchBody<C>(exchange: Exchange<C>, response: Response): Response {
  const { draft, watch } = exchange;
  if (response.status === 101) return response;
  if (isStream(draft.body)) {
    if (watch === undefined && isUnwatched(draft.body)) return response;
  } else if (draft.response === undefined || !hasStream(response)) {
    return response;
  }
  return response.body === null || response.body.locked
    ? response
    : new Response(byteStream(response.body, { ...streamTerms(exchange), left: () => watch?.leave() }), response);
}
