/**
 * Keeps the handshake request available for the lifetime of its connection with little memory.
 *
 * After an upgrade, Deno refuses to read the header fields, and the request and response objects take more memory than
 * the connection itself. They are therefore released after the response has been sent and created again if a handler
 * accesses the request.
 *
 * @module
 */

import { createCarried } from "../../core/context/carried.ts";
import { type Context, exchangeOf } from "../../core/context/context.ts";
import { releaseEnding } from "../../core/exchange/ending/end_tasks.ts";
import { type Exchange, exchangesOf } from "../../core/exchange/exchange.ts";
import type { ConnectionInfo } from "../../core/exchange/peer/peer_address.ts";

/** The released properties of a context. */
interface Released {
  request: Request | undefined;
  connection: ConnectionInfo | undefined;
}

/** A request whose header fields are stored as one string. */
export class KeptRequest {
  readonly #url: string;
  readonly #head: string;
  #isReleased = false;

  /** Copies the request. Call it before the upgrade. */
  constructor(ctx: Context) {
    const exchange = exchangeOf(ctx);
    const { request } = exchange;
    this.#url = request.url;
    // An iterator would create several objects for each field.
    const lines: string[] = [];
    request.headers.forEach((value, name) => lines.push(`${name}:${value}`));
    this.#head = lines.join("\n");
    createCarried(exchange as Exchange<unknown>);
  }

  /** Releases the objects that only the response needed. */
  release(ctx: Context): void {
    const exchange = exchangeOf(ctx);
    // The applications around a mounted application have the same response.
    for (const { draft } of exchangesOf(exchange)) draft.upgrade = draft.response = undefined;
    releaseEnding(exchange);
    const released = exchange.target as unknown as Released;
    if (released.connection !== undefined) released.connection = { remoteAddr: released.connection.remoteAddr };
    released.request = undefined;
    this.#isReleased = true;
  }

  /** Creates the request again if it was released. */
  restore(ctx: Context): void {
    if (!this.#isReleased) return;
    this.#isReleased = false;
    const headers = this.#head.split("\n").map((line): [string, string] => {
      const border = line.indexOf(":");
      return [line.slice(0, border), line.slice(border + 1)];
    });
    (exchangeOf(ctx).target as unknown as Released).request = new Request(this.#url, { headers });
  }
}
