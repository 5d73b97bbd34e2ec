/**
 * Turns the draft of a request into its response, and watches a streamed body while it is sent.
 *
 * @module
 */

import { isRespelled } from "../../../http/headers/methods.ts";
import { isStreamed, isWritten } from "../../../http/response/draft.ts";
import { isStream } from "../../../http/response/platform_response.ts";
import { byteStream, hasStream, isUnwatched } from "../../../http/response/stream.ts";
import { noteResponse } from "../../../http/response/taken_chunks.ts";
import { dropDescription, nullBody, quickResponse, toHead, toResponse } from "../../../http/response/to_response.ts";
import { streamTerms } from "../stream_terms.ts";
import type { Exchange } from "../exchange.ts";

/**
 * Turns the draft into the response. Nothing can be written afterwards.
 *
 * @throws {TypeError} If the draft cannot be sent. For example, the body of a returned `Response` may already have been
 * read, which is detected only when a new one is created from it.
 */
export function seal<C>(exchange: Exchange<C>): Response {
  const { draft, target } = exchange;
  const response = (target.method === "HEAD" ? undefined : quickResponse(draft)) ?? place(exchange);
  draft.gate = exchange;
  return response;
}

/** Turns any other draft than one for which there is a quick response into the response. */
function place<C>(exchange: Exchange<C>): Response {
  const { draft, runtime, target } = exchange;
  if (draft.body === undefined && runtime.development !== undefined) warnOfEmpty(exchange);
  const isHead = target.method === "HEAD";
  const response = isHead ? toHead(draft) : toResponse(draft);
  // Middleware around a mount needs the type and the length to know which headers the body would have had.
  if (response.status === 304 && target.outer === undefined) dropDescription(response.headers);
  if (isHead) return unmeasured(exchange, response);
  if (!isStreamed(draft)) return response;
  const watched = watchBody(exchange, response);
  if (draft.body instanceof ReadableStream) noteResponse(draft.body, watched);
  return watched;
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
