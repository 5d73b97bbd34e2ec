/**
 * Watches the body of a streamed response while it is sent.
 *
 * @module
 */

import { breakOff } from "../broken_body.ts";
import type { Exchange } from "../exchange.ts";
import { hold } from "../../response/draft.ts";
import { isUnwatched } from "../../response/stream.ts";
import { hasStream } from "../../response/stream_response.ts";
import { isStream } from "../../response/platform_response.ts";

/**
 * Returns a response that reports a failure of its body with the route and the ID of the request, and notices a client
 * that disconnects. Bodies that need neither are sent directly.
 */
export function watchBody<C>(exchange: Exchange<C>, response: Response): Response {
  const { draft, watch } = exchange;
  if (response.status === 101) return response;
  if (isStream(draft.body)) {
    if (watch === undefined && isUnwatched(draft.body)) return response;
  } else if (draft.response === undefined || !hasStream(response)) {
    return response;
  }
  return response.body === null || response.body.locked
    ? response
    : new Response(watched(exchange, response.body), response);
}

function watched<C>(
  exchange: Exchange<C>,
  body: ReadableStream<Uint8Array<ArrayBuffer>>,
): ReadableStream<Uint8Array<ArrayBuffer>> {
  // An observer may read the headers after the response has been sent. Deno only keeps them if they have been read
  // before.
  if (exchange.runtime.onError !== undefined) void exchange.request.headers;
  const reader = body.getReader();
  let isLeft = false;
  return new ReadableStream({
    async pull(controller) {
      try {
        const { done, value } = await reader.read();
        // The client may have disconnected in the meantime, which closes the controller.
        if (isLeft) return;
        if (done) controller.close();
        else controller.enqueue(value);
      } catch (error) {
        breakOff(exchange, error);
        throw error;
      }
    },
    cancel(reason) {
      isLeft = true;
      exchange.watch?.leave();
      const closing = reader.cancel(reason);
      hold(exchange.draft, closing);
      return closing;
    },
  }, { highWaterMark: 0 });
}
