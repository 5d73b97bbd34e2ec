/**
 * The part of a response that the handlers behind a middleware produced, told from what middleware around it adds.
 *
 * A header that was there before belongs to outer middleware, and so does one that appears after the handlers have
 * returned and before the tasks run that they registered for the end. Only the rest can be given to other clients: an
 * id, a limit or a cookie belongs to the client that it was set for.
 *
 * @module
 */

import { clientBoundCount, isClientHeader } from "../../context/client_bound.ts";
import { type Context, exchangeOf } from "../../context/context.ts";
import { beforeSending } from "../../context/ending/end_tasks.ts";
import { Draft, type DraftBody, isWritten, readHeader } from "../../response/draft.ts";
import { draftHeaders } from "../../response/draft_body.ts";

/** What the handlers behind a middleware produced. */
export interface Produced {
  readonly status: number;
  /** Their headers. */
  readonly headers: Headers;
  /** Headers of outer middleware that they took out. */
  readonly removed: readonly string[];
  /** All headers of the response, those of outer middleware included. */
  readonly all: Headers;
  /** The request headers that it depends on: also those that outer middleware read, such as the language. */
  readonly vary: string;
  /** False for an error without a body, whose page is chosen for each client. */
  readonly hasBody: boolean;
}

/** The response as the handlers left it. */
interface Left {
  readonly status: number;
  readonly type: string;
  readonly pairs: readonly [string, string][];
  readonly body: DraftBody | undefined;
  /** A copy of a body of bytes, which outer middleware could change in place. */
  readonly bytes: Uint8Array<ArrayBuffer> | undefined;
  readonly response: Response | undefined;
  readonly vary: string;
}

/** Watches one response. */
export class InnerResponse {
  readonly #ctx: Context;
  readonly #draft: Draft;
  readonly #before: ReadonlySet<readonly [string, string]>;
  readonly #boundBefore: number;
  readonly #isWrittenBefore: boolean;
  #left: Left | undefined = undefined;
  /** The response at the end, before the tasks of the handlers run. */
  #atEnd: Draft | undefined = undefined;

  /** Begins where the middleware stands, before the handlers behind it run. */
  constructor(ctx: Context) {
    this.#ctx = ctx;
    this.#draft = exchangeOf(ctx).draft;
    this.#before = new Set(this.#draft.headers);
    this.#boundBefore = clientBoundCount(ctx);
    this.#isWrittenBefore = isWritten(this.#draft);
  }

  /** Notes what the handlers have left, right after they have returned. */
  noteEnd(): void {
    const { status, type, body, response, headers } = this.#draft;
    // Copies, of which headers are made only if the response may be stored: most of the cost is there.
    this.#left = {
      status,
      type,
      pairs: headers?.slice() ?? [],
      body,
      bytes: body instanceof Uint8Array ? body.slice() : undefined,
      response,
      vary: readHeader(this.#draft, "vary"),
    };
    // Registered last, so it runs before the tasks that the handlers registered.
    beforeSending(exchangeOf(this.#ctx), () => this.#noteSending());
  }

  #noteSending(): void {
    this.#atEnd = this.#isBodyUntouched() ? copyOf(this.#draft, this.#draft.headers ?? []) : undefined;
  }

  /**
   * Tells what the handlers produced, once their tasks for the end have run.
   *
   * @returns Nothing if it cannot be told from what is another's, or is for this client alone.
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
    // The page of an error depends on what that client accepts, and is not a part of what is produced here.
    const vary = hasBody ? all.get("vary") ?? "" : left.vary;
    return { status: left.status, headers, removed: this.#removed(left), all, vary, hasBody };
  }

  #removed({ pairs }: Left): readonly string[] {
    const names = new Set(pairs.map(([name]) => name));
    return [...new Set(Array.from(this.#before, ([name]) => name))].filter((name) => !names.has(name));
  }

  /** Reports whether outer middleware left the body alone; an error may get its page meanwhile. */
  #isBodyUntouched(): boolean {
    const { body, response } = this.#draft;
    const left = this.#left;
    if (left === undefined) return false;
    if (left.body === undefined && left.response === undefined) return left.status >= 400 || !isWritten(this.#draft);
    if (left.bytes !== undefined) return body instanceof Uint8Array && isEqual(left.bytes, body);
    return body === left.body && response === left.response;
  }
}

/** A draft of the same response with some headers, to read them from. */
function copyOf(
  { type, body, response }: Pick<Draft, "type" | "body" | "response">,
  pairs: readonly [string, string][],
): Draft {
  return Object.assign(new Draft(), { type, body, response, headers: [...pairs] });
}

function isEqual(one: Uint8Array, other: Uint8Array): boolean {
  return one.length === other.length && one.every((byte, at) => byte === other[at]);
}
