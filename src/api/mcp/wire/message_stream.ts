/**
 * A response that sends messages as server-sent events.
 *
 * @module
 */

import { toJSON } from "../../../base/text/json.ts";

/** The interval between comments, which prevent proxies from closing a silent connection, in milliseconds. */
const heartbeat = 15_000;
const comment = ":\n\n";
/** The maximum number of messages that wait for a slow client. */
const longestQueue = 1000;

/** A stream of messages to one client. */
export class MessageStream {
  readonly #encoder = new TextEncoder();
  readonly #canceled: () => void;
  #controller: ReadableStreamDefaultController<Uint8Array<ArrayBuffer>> | undefined = undefined;
  #timer: ReturnType<typeof setInterval> | undefined = undefined;

  /**
   * Creates a stream.
   *
   * @param canceled Called when the client has closed the stream.
   */
  constructor(canceled: () => void) {
    this.#canceled = canceled;
  }

  /** Creates the response. Messages that are sent before are lost. */
  open(): Response {
    const body = new ReadableStream<Uint8Array<ArrayBuffer>>({
      start: (controller) => {
        this.#controller = controller;
        // A client that has already disconnected is only noticed when something is sent.
        this.#write(comment);
        this.#timer = setInterval(() => this.#write(comment), heartbeat);
      },
      cancel: () => {
        this.#stop();
        this.#canceled();
      },
    });
    return new Response(body, {
      headers: {
        "content-type": "text/event-stream",
        "cache-control": "no-cache, no-transform",
        // nginx buffers responses unless this header is set.
        "x-accel-buffering": "no",
      },
    });
  }

  /** Sends a message. Ignored if the stream is closed. */
  send(message: unknown): void {
    this.#write(`event: message\ndata: ${toJSON(message)}\n\n`);
  }

  /** Closes the stream. */
  end(): void {
    const controller = this.#controller;
    this.#stop();
    controller?.close();
  }

  #write(text: string): void {
    const controller = this.#controller;
    if (controller === undefined) return;
    controller.enqueue(this.#encoder.encode(text));
    if ((controller.desiredSize ?? 0) >= -longestQueue) return;
    this.#stop();
    controller.error(new Error("Cannot send messages: the client is too slow"));
    this.#canceled();
  }

  #stop(): void {
    clearInterval(this.#timer);
    this.#controller = undefined;
  }
}
