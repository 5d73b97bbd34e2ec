/**
 * The way back to the client while a message is handled.
 *
 * @module
 */

import { type ClientResponse, notificationOf, type Params, ProtocolError } from "./messages.ts";
import type { Client } from "./revisions.ts";

/** The requests of the server that clients have not responded to yet, by session and ID. */
export class OpenRequests {
  readonly #open = new Map<string, PromiseWithResolvers<unknown>>();

  /** Waits for the response to a request. */
  async wait(session: string, id: string, signal: AbortSignal): Promise<unknown> {
    const key = `${session} ${id}`;
    const response = Promise.withResolvers<unknown>();
    this.#open.set(key, response);
    try {
      return await abortable(response.promise, signal);
    } finally {
      this.#open.delete(key);
    }
  }

  /** Passes on a response of a client. Unexpected responses are ignored. */
  settle(session: string, { id, result, error }: ClientResponse): void {
    const open = this.#open.get(`${session} ${id}`);
    if (error === undefined) open?.resolve(result);
    else {
      const { code, message } = Object(error);
      open?.reject(new ProtocolError(Number(code), `Cannot use the client's response: ${message}`));
    }
  }
}

/** The way to the client whose message is handled. */
export interface Link {
  readonly client: Client;
  readonly progressToken: unknown;
  readonly signal: AbortSignal;
  /** Sends a message before the response, or `undefined` if the client does not accept a stream. */
  readonly send: ((message: unknown) => void) | undefined;
  /** Whether the revision returns requests of the server as an interim result. */
  readonly isModern: boolean;
  /** The session and the open requests, or `undefined` if the server cannot send requests. */
  readonly requests: { readonly session: string; readonly open: OpenRequests } | undefined;
}

/** Reports whether the server can send requests. */
export function canRequest({ requests, send }: Link): boolean {
  return requests !== undefined && send !== undefined;
}

/** Sends a notification. */
export function notify({ send }: Link, method: string, params: Params): void {
  send?.(notificationOf(method, params));
}

/** Sends a request and waits for the response. */
export function request({ requests, send, signal }: Link, method: string, params: Params): Promise<unknown> {
  if (requests === undefined || send === undefined) throw new TypeError("Cannot send a request: there is no stream");
  const id = crypto.randomUUID();
  const response = requests.open.wait(requests.session, id, signal);
  send({ jsonrpc: "2.0", id, method, params });
  return response;
}

/**
 * Waits for a promise until a signal is aborted.
 *
 * @param promise The promise. If the signal is aborted first, its result is ignored.
 * @param signal The signal.
 * @throws The reason of the signal if it is aborted first.
 */
export async function abortable<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  const { promise: aborted, reject } = Promise.withResolvers<never>();
  const abort = () => reject(signal.reason);
  if (signal.aborted) abort();
  signal.addEventListener("abort", abort, { once: true });
  try {
    return await Promise.race([promise, aborted]);
  } finally {
    signal.removeEventListener("abort", abort);
  }
}
