/**
 * Writes the response to a message: as JSON, or as a stream if other messages precede it.
 *
 * @module
 */

import { toJSON } from "../../base/text/json.ts";
import type { Context } from "../../core/context/context.ts";
import { MessageStream } from "./wire/message_stream.ts";
import { Challenge, codes, errorOf, type MessageID, ProtocolError } from "./wire/messages.ts";

/** The response to a message, and the HTTP status and challenge that it has if it is not part of a stream. */
export interface Outcome {
  readonly message: unknown;
  readonly status?: number | undefined;
  readonly challenge?: string | undefined;
}

/** The HTTP statuses of errors, by code. Only revision 2026-07-28 defines them. */
const statuses: Readonly<Record<number, number>> = {
  [codes.method]: 404,
  [codes.headers]: 400,
  [codes.capability]: 400,
  [codes.version]: 400,
};

/**
 * Serves a message. The response is JSON unless `send` is called before the result is known.
 *
 * @param ctx The request.
 * @param abort Called when the client closes the stream.
 * @param serve Serves the message. It receives a function that sends other messages first, or `undefined` if the client
 * does not accept a stream. It must not throw.
 */
export async function reply(
  ctx: Context,
  abort: () => void,
  serve: (send: ((message: unknown) => void) | undefined) => Promise<Outcome>,
): Promise<Response | void> {
  const stream = new MessageStream(abort);
  const opened = Promise.withResolvers<Response>();
  let response: Response | undefined;
  function send(message: unknown): void {
    opened.resolve(response ??= stream.open());
    stream.send(message);
  }
  const serving = serve(ctx.GetHeader("accept").includes("text/event-stream") ? send : undefined);
  await Promise.race([serving, opened.promise]);
  if (response === undefined) return write(ctx, await serving);
  void serving.then(({ message }) => {
    stream.send(message);
    stream.end();
  });
  return response;
}

/** Writes a response as JSON. */
export function write(ctx: Context, { message, status, challenge }: Outcome): void {
  if (status !== undefined) ctx.StatusCode(status);
  if (challenge !== undefined) ctx.Header("www-authenticate", challenge);
  ctx.Header("cache-control", "no-store");
  ctx.ContentType("application/json");
  ctx.WriteString(toJSON(message));
}

/** Converts an error to a response. Unexpected errors are only logged. */
export function failed(ctx: Context, id: MessageID | undefined, error: unknown, isModern: boolean): Outcome {
  if (error instanceof Challenge) {
    // The protocol reports insufficient credentials with an HTTP status, which makes the client log in.
    const message = errorOf(id, new ProtocolError(codes.invalid, error.message));
    return { message, status: error.status, challenge: error.challenge };
  }
  if (error instanceof ProtocolError) {
    return { message: errorOf(id, error), status: isModern ? statuses[error.code] : undefined };
  }
  ctx.Logger().Error("Cannot serve a Model Context Protocol message", { error });
  return { message: errorOf(id, new ProtocolError(codes.internal, "Internal error")) };
}
