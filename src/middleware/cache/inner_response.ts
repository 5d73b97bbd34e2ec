/**
 * Separates the response of the handlers behind a middleware from the additions of outer middleware.
 *
 * A header that was set before the handlers ran belongs to outer middleware. So does a header that appears after the
 * handlers have returned and before their end tasks run. Only the remaining headers may be sent to other clients,
 * because a request ID, a rate limit or a cookie belongs to the client that it was set for.
 *
 * @module
 */

import { clientBoundCount, isClientHeader } from "../../core/context/client_bound.ts";
import { type Context, exchangeOf } from "../../core/context/context.ts";
import { beforeSending } from "../../core/exchange/ending/end_tasks.ts";
import { Draft, type DraftBody, isWritten, readHeader } from "../../http/response/draft.ts";
import { draftHeaders } from "../../http/response/draft_body.ts";

/** The response produced by the handlers behind a middleware. */
export interface Produced {
  readonly status: number;
  /** The headers set by the handlers. */
  readonly headers: Headers;
  /** The headers of outer middleware that the handlers removed. */
  readonly removed: readonly string[];
  /** All response headers, including those of outer middleware. */
  readonly all: Headers;
  /**
   * The request headers that the response depends on, including those read by outer middleware, such as the language.
   */
  readonly vary: string;
  /** Whether there is a body. If an error has no body, the error page is chosen for each client. */
  readonly hasBody: boolean;
}

/** The state of the response after the handlers have returned. */
interface Left {
  readonly status: number;
  readonly type: string;
  readonly pairs: readonly [string, string][];
  readonly body: DraftBody | undefined;
  /** A copy of a byte body, which outer middleware could change in place. */
  readonly bytes: Uint8Array<ArrayBuffer> | undefined;
  readonly response: Response | undefined;
  readonly vary: string;
}

/** Observes one response. */
export class InnerResponse {
  readonly #ctx: Context;
  readonly #draft: Draft;
  readonly #before: ReadonlySet<readonly [string, string]>;
  readonly #boundBefore: number;
  readonly #isWrittenBefore: boolean;
  #left: Left | undefined = undefined;
  /** The final response, before the end tasks of the handlers run. */
  #atEnd: Draft | undefined = undefined;

  /** Starts observing, before the handlers behind the middleware run. */
  constructor(ctx: Context) {
    this.#ctx = ctx;
    this.#draft = exchangeOf(ctx).draft;
    this.#before = new Set(this.#draft.headers);
    this.#boundBefore = clientBoundCount(ctx);
    this.#isWrittenBefore = isWritten(this.#draft);
  }

  /** Records the state of the response right after the handlers have returned. */
  noteEnd(): void {
    const { status, type, body, response, headers } = this.#draft;
    // Copy only the name-value pairs. Headers objects are expensive and only created if the response may be stored.
    this.#left = {
      status,
      type,
      pairs: headers?.slice() ?? [],
      body,
      bytes: body instanceof Uint8Array ? body.slice() : undefined,
      response,
      vary: readHeader(this.#draft, "vary"),
    };
    // This task is registered last, so that it runs before the end tasks of the handlers.
    beforeSending(exchangeOf(this.#ctx), () => this.#noteSending());
  }

  #noteSending(): void {
    this.#atEnd = this.#isBodyUntouched() ? copyOf(this.#draft, this.#draft.headers ?? []) : undefined;
  }

  /**
   * Returns the response produced by the handlers, after their end tasks have run.
   *
   * @returns The response, or `undefined` if it cannot be separated from outer middleware or is specific to this
   *   client.
   */
  produced(): Produced | undefined {
    const [left, atEnd] = [this.#left, this.#atEnd];
    const isBound = clientBoundCount(this.#ctx) > this.#boundBefore;
    if (left === undefined || atEnd === undefined || isBound || this.#isWrittenBefore) return undefined;
    if (this.#draft.status !== left.status) return undefined;
    const [all, before] = [draftHeaders(this.#draft), draftHeaders(atEnd)];
    const headers = draftHeaders(copyOf(left, left.pairs.filter((pair) => !this.#before.has(pair))));
    for (const name of new Set([...before.keys(), ...all.keys()])) {
      const value = all.get(name);
      if (value === before.get(name)) continue;
      if (value === null) headers.delete(name);
      else headers.set(name, value);
    }
    for (const name of [...headers.keys()]) if (isClientHeader(name)) headers.delete(name);
    const hasBody = left.body !== undefined || left.response !== undefined;
    if (!hasBody) headers.delete("content-type");
    // The error page depends on the client's `Accept` header and is not part of this response.
    const vary = hasBody ? all.get("vary") ?? "" : left.vary;
    return { status: left.status, headers, removed: this.#removed(left), all, vary, hasBody };
  }

  #removed({ pairs }: Left): readonly string[] {
    const names = new Set(pairs.map(([name]) => name));
    return [...new Set(Array.from(this.#before, ([name]) => name))].filter((name) => !names.has(name));
  }

  /**
   * Reports whether outer middleware left the body unchanged. In the meantime, an error page may have been written.
   */
  #isBodyUntouched(): boolean {
    const { body, response } = this.#draft;
    const left = this.#left;
    if (left === undefined) return false;
    if (left.body === undefined && left.response === undefined) return left.status >= 400 || !isWritten(this.#draft);
    if (left.bytes !== undefined) return body instanceof Uint8Array && isEqual(left.bytes, body);
    return body === left.body && response === left.response;
  }
}

/** Creates a draft of the same response with the given headers. */
function copyOf(
  { type, body, response }: Pick<Draft, "type" | "body" | "response">,
  pairs: readonly [string, string][],
): Draft {
  return Object.assign(new Draft(), { type, body, response, headers: [...pairs] });
}

function isEqual(one: Uint8Array, other: Uint8Array): boolean {
  return one.length === other.length && one.every((byte, at) => byte === other[at]);
}
