/**
 * Requests to a client that are waiting for replies.
 *
 * @module
 */

import { FrameworkError, HTTPError } from "../../base/errors/errors.ts";
import type { Failure } from "./wire/codec.ts";
import { Op } from "./wire/packet.ts";

/** A request that is waiting for a reply. */
interface Asked {
  readonly event: string;
  readonly resolve: (data: unknown) => void;
  readonly reject: (error: Error) => void;
  readonly timer: ReturnType<typeof setTimeout>;
}

/** The requests to one client. */
export class Asks {
  readonly #waiting = new Map<number, Asked>();
  #lastID = 0;

  /** Returns an ID for a new request. */
  newID(): number {
    return ++this.#lastID;
  }

  /** Waits for the reply to a request. The promise rejects with the client's error, on a timeout, or after `end`. */
  wait(id: number, event: string, timeout: number): Promise<unknown> {
    const { promise, resolve, reject } = Promise.withResolvers<unknown>();
    const timer = setTimeout(() => {
      this.#waiting.delete(id);
      reject(askError(event, `no reply within ${timeout} ms`));
    }, timeout);
    this.#waiting.set(id, { event, resolve, reject, timer });
    return promise;
  }

  /** Settles a request with a packet of type `Reply` or `Failure`. Reports whether there is such a request. */
  settle(op: number, id: number, data: unknown): boolean {
    const asked = this.#waiting.get(id);
    if (asked === undefined) return false;
    this.#waiting.delete(id);
    clearTimeout(asked.timer);
    if (op !== Op.Reply) asked.reject(askError(asked.event, refusalOf(data)));
    else if (data instanceof HTTPError) asked.reject(askError(asked.event, data.message));
    else asked.resolve(data);
    return true;
  }

  /** Rejects all requests, because the connection has ended. */
  end(): void {
    for (const { event, reject, timer } of this.#waiting.values()) {
      clearTimeout(timer);
      reject(endedError(event));
    }
    this.#waiting.clear();
  }
}

/** Returns the error of a request on a connection that has ended. */
export function endedError(event: string): FrameworkError {
  return askError(event, "the connection has ended");
}

function askError(event: string, why: string): FrameworkError {
  return new FrameworkError("FW_LIVE", `Cannot get a reply to "${event}": ${why}`);
}

/** Returns the message of a client's error. Clients may send anything. */
function refusalOf(data: unknown): string {
  const { Message } = Object(data) as Partial<Failure>;
  return typeof Message === "string" ? Message : "the client refused";
}
