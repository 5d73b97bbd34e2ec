/**
 * The request of a handshake, kept in little memory for as long as its connection.
 *
 * After an upgrade Deno refuses to read the header fields, and the objects of a request and its response take more
 * memory than the connection itself. So they are let go once the response was sent, and created again if a handler
 * looks at the request.
 *
 * @module
 */

import { type Context, exchangeOf } from "../context/context.ts";

/** The parts of a target that are let go. */
interface Released {
  request: Request | undefined;
  connection: { readonly remoteAddr: Deno.Addr | undefined } | undefined;
}

/** The header fields of a request as one text. */
export class KeptRequest {
  readonly #url: string;
  readonly #head: string;
  #isReleased = false;

  /** Reads the request, which is not upgraded yet. */
  constructor(ctx: Context) {
    const { request } = exchangeOf(ctx);
    this.#url = request.url;
    this.#head = Array.from(request.headers, ([name, value]) => `${name}:${value}`).join("\n");
  }

  /** Lets go of what only the response needed. */
  release(ctx: Context): void {
    const exchange = exchangeOf(ctx);
    const { draft, tasks, connection } = exchange;
    draft.upgrade = draft.response = undefined;
    if (tasks?.after.length === 0) exchange.tasks = undefined;
    const released = exchange.target as unknown as Released;
    released.connection = connection === undefined ? undefined : { remoteAddr: connection.remoteAddr };
    released.request = undefined;
    this.#isReleased = true;
  }

  /** Creates the request again, if it was let go. */
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
