/**
 * Reads the events of a stream and encodes them. It is loaded with the first stream of events.
 *
 * @module
 */

import { iteratorOf } from "../../base/async/callback.ts";
import { whenAborted } from "../../base/async/when_aborted.ts";
import { toJSON } from "../../base/text/json.ts";
import { EventID, ServerEvent } from "./server_event.ts";
import { ignore, type Part } from "./stream.ts";

/** A comment line. Browsers ignore it, but it shows them that the connection is open. */
const COMMENT = ":\n\n";
const lineBreak = /\r\n|\r|\n/;
/** The result of waiting for an event until the heartbeat is due. */
const silence = Symbol("silence");
const ended = Symbol("ended");

/**
 * The source for `ctx.Events`: an iterable of events or plain values, or a function that returns one. Plain values
 * become the data of events. The function receives the ID of the last event that the client has seen, which is empty
 * for a new client, and a signal that aborts if the client disconnects or the application stops.
 */
export type EventsSource =
  | Iterable<unknown>
  | AsyncIterable<unknown>
  | ((lastID: string, signal: AbortSignal) => Iterable<unknown> | AsyncIterable<unknown>);

/** The settings for the events of one request. */
export interface EventsReading {
  readonly lastID: string | null;
  /** Aborted when no more events should be sent. */
  readonly end: AbortSignal;
  /** Called if the source fails after reading has stopped. */
  failed(error: unknown): void;
  /** Delays the disposal of the request's values until a promise is settled. */
  hold(promise: Promise<unknown>): void;
  /** The maximum time without an event, in milliseconds. 0 means no limit. */
  readonly heartbeat: number;
  readonly retry: number | undefined;
  readonly marksStrings?: boolean;
  readonly breaksOff?: boolean;
}

/**
 * Reads a source. If the client disconnects before the first event is read, the source is still closed. The first part
 * is not an event.
 */
export function eventParts(source: EventsSource, terms: EventsReading): AsyncIterable<Part> {
  const texts = eventTexts(source, terms);
  let read = 0;
  const iterator: AsyncIterator<Part> = {
    next() {
      read++;
      return texts.next();
    },
    async return() {
      if (read < 2) await close(source);
      return await texts.return(undefined);
    },
  };
  return { [Symbol.asyncIterator]: () => iterator };
}

/** Closes a source that has not been read. */
async function close(source: EventsSource): Promise<void> {
  if (source instanceof ReadableStream) await source.cancel();
  else if ("return" in source && typeof source.return === "function") await source.return();
}

/**
 * Reads a source and yields its events as they are sent.
 *
 * @param source The source of the events. Its `return()` method is called when it is no longer read.
 * @param terms The settings for the events.
 */
async function* eventTexts(source: EventsSource, terms: EventsReading): AsyncGenerator<Part> {
  const { end, heartbeat } = terms;
  // Browsers consider the connection open when the first bytes arrive.
  yield terms.retry === undefined ? COMMENT : `retry: ${terms.retry}\n\n`;
  const values = typeof source === "function" ? source(readLastID(terms.lastID), end) : source;
  const events = iteratorOf(values);
  const wait = new EventWait(end, heartbeat);
  let next: Promise<IteratorResult<unknown>> | undefined;
  try {
    while (!end.aborted) {
      next = Promise.try(() => events.next());
      let first = await wait.for(next);
      for (; first === silence; first = await wait.for(next)) yield COMMENT;
      if (first === ended) break;
      if (first.done === true) return;
      if (first.value instanceof EventID) {
        yield `id: ${first.value.id}\n\n`;
        continue;
      }
      const event = first.value instanceof ServerEvent ? first.value : new ServerEvent(first.value);
      yield bytesOf(event, terms.marksStrings === true);
    }
    if (terms.breaksOff === true) throw end.reason;
  } finally {
    wait.end();
    // Do not await the call, because a source that ignores its signal must not delay the shutdown.
    const closing = Promise.try(() => events.return?.())
      .catch((error) => error === end.reason ? undefined : terms.failed(error));
    terms.hold(Promise.allSettled([closing, next]));
  }
}

/** Decodes the ID, which browsers send in UTF-8 although headers are read as Latin-1. */
function readLastID(header: string | null): string {
  if (header === null || !/[\x80-\xff]/.test(header)) return header ?? "";
  return new TextDecoder().decode(Uint8Array.from(header, (letter) => letter.charCodeAt(0)));
}

/** Waits for events. A stream has one timer and one listener, because a pair per event costs more than the event. */
class EventWait {
  readonly #end: AbortSignal;
  readonly #heartbeat: number;
  readonly #forget: () => void;
  #resolve: (outcome: typeof silence | typeof ended) => void = ignore;
  #timer: ReturnType<typeof setTimeout> | undefined = undefined;
  #since = 0;

  constructor(end: AbortSignal, heartbeat: number) {
    this.#end = end;
    this.#heartbeat = heartbeat;
    this.#forget = whenAborted(end, () => this.#resolve(ended));
    if (heartbeat > 0) this.#beatAfter(heartbeat);
  }

  /** Waits for an event, the heartbeat or the end of the stream. The event may fail after it is no longer awaited. */
  for<T>(next: Promise<T>): Promise<T | typeof silence | typeof ended> {
    const { promise, resolve, reject } = Promise.withResolvers<T | typeof silence | typeof ended>();
    this.#resolve = resolve;
    if (this.#heartbeat > 0) this.#since = performance.now();
    if (this.#end.aborted) resolve(ended);
    next.then(resolve, reject);
    return promise;
  }

  end(): void {
    clearTimeout(this.#timer);
    this.#forget();
  }

  #beatAfter(ms: number): void {
    this.#timer = setTimeout(() => {
      const left = this.#since + this.#heartbeat - performance.now();
      if (left < 1) this.#resolve(silence);
      this.#beatAfter(left < 1 ? this.#heartbeat : left);
    }, ms);
  }
}

const encoder = new TextEncoder();
/** The encoded events, so that an event that is sent to many clients is encoded once. */
const encoded = new WeakMap<ServerEvent, Uint8Array<ArrayBuffer>>();
const encodedMarked = new WeakMap<ServerEvent, Uint8Array<ArrayBuffer>>();

function bytesOf(event: ServerEvent, marksStrings: boolean): Uint8Array<ArrayBuffer> {
  const known = marksStrings ? encodedMarked : encoded;
  const found = known.get(event);
  if (found !== undefined) return found;
  const bytes = encoder.encode((marksStrings && isJSON(event.Data) ? "text:\n" : "") + textOf(event));
  known.set(event, bytes);
  return bytes;
}

function textOf({ ID, Name, Retry, Data }: ServerEvent): string {
  const data = typeof Data === "string" ? Data : toJSON(Data);
  const lines = data.split(lineBreak).map((line) => `data: ${line}\n`).join("");
  return `${ID && `id: ${ID}\n`}${Name && `event: ${Name}\n`}${
    Retry === undefined ? "" : `retry: ${Retry}\n`
  }${lines}\n`;
}

/** Reports whether data is a string that contains JSON. */
function isJSON(data: unknown): boolean {
  if (typeof data !== "string") return false;
  try {
    JSON.parse(data);
    return true;
  } catch {
    return false;
  }
}
