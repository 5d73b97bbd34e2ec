/**
 * Server-sent events: what `EventSource` in a browser reads.
 *
 * @module
 */

import { FrameworkError } from "../base/errors.ts";
import { toJSON } from "../base/json.ts";
import { type Draft, setBody, setHeader, setType } from "./draft.ts";
import { byteStream, ignore, type StreamTerms } from "./stream.ts";

const HEARTBEAT_MS = 15_000;
/** A comment: browsers ignore it, and know by it that they are connected. */
const COMMENT = ":\n\n";
const lineBreak = /\r\n|\r|\n/;

/** What came first, where it was not an event. */
const silence = Symbol("silence");
const ended = Symbol("ended");

/** What an event has beside its data. */
export interface EventOptions {
  /** What the browser sends back as `Last-Event-ID` when it connects again. */
  readonly ID?: string;
  /** The name that `addEventListener` waits for; without it the event is a `message`. */
  readonly Name?: string;
  /** How long the browser waits before it connects again, in milliseconds. */
  readonly Retry?: number;
}

/** One event; {@linkcode NewEvent} creates it. */
export class ServerEvent<Data = unknown> {
  /** A text is sent as it is, line by line; anything else as JSON. */
  readonly Data: Data;
  /** What the browser sends back when it connects again; empty for none. */
  readonly ID: string;
  /** The name; empty for a `message`. */
  readonly Name: string;
  /** How long the browser waits before it connects again, in milliseconds; `undefined` leaves it as it is. */
  readonly Retry: number | undefined;

  /** Checks what would break the lines of the stream. */
  constructor(data: Data, options: EventOptions = {}) {
    this.Data = data;
    this.ID = checkLine("id", options.ID ?? "");
    this.Name = checkLine("name", options.Name ?? "");
    this.Retry = options.Retry === undefined ? undefined : checkRetry(options.Retry);
  }
}

/**
 * Creates an event for {@linkcode Context.Events}.
 *
 * @example
 * ```ts
 * import * as fw from "@fw/web";
 *
 * const app = fw.New();
 * app.Get("/prices", (ctx) => ctx.Events([fw.NewEvent({ cents: 150 }, { ID: "7", Name: "price" })]));
 *
 * const response = await app.fetch(new Request("http://localhost/prices"));
 * await response.text(); // → ':\n\nid: 7\nevent: price\ndata: {"cents":150}\n\n'
 * ```
 *
 * @param data A text, or what is sent as JSON.
 * @param options The id, the name, and how long a browser waits before it connects again.
 * @returns The event.
 */
export function NewEvent<Data>(data: Data, options?: EventOptions): ServerEvent<Data> {
  return new ServerEvent(data, options);
}

/**
 * What `ctx.Events` takes: events, or plain values as the data of events, one after another; or a function that returns
 * them. It gets the id of the last event that the client has seen, empty for a new one, and a signal that is aborted
 * when the client leaves or the application stops.
 */
export type EventsSource =
  | Iterable<unknown>
  | AsyncIterable<unknown>
  | ((lastID: string, signal: AbortSignal) => Iterable<unknown> | AsyncIterable<unknown>);

/** How events are sent. */
export interface EventsOptions {
  /**
   * After so many milliseconds without an event a comment is sent, so that proxies do not take the connection for dead;
   * 15,000 if left out, 0 for none.
   */
  readonly Heartbeat?: number;
  /** How long the browser waits before it connects again, in milliseconds; its own choice if left out. */
  readonly Retry?: number;
}

/** What a stream of events needs of its request. */
export interface EventsTerms extends StreamTerms {
  /** The header `Last-Event-ID`; `null` for none. */
  readonly lastID: string | null;
  /** Aborted when the application begins to stop: the browser connects again, to one that stays. */
  readonly leaving: AbortSignal;
  /** Marks strings that are JSON by a field that browsers ignore, so that typed clients read them as strings. */
  readonly marksStrings?: boolean;
}

/** Responds with events. */
export function sendEvents(draft: Draft, source: EventsSource, options: EventsOptions, terms: EventsTerms): void {
  const { Heartbeat = HEARTBEAT_MS, Retry } = options;
  if (!(Heartbeat >= 0)) {
    throw new FrameworkError("FW_CONFIG", `Cannot send events with a heartbeat of "${Heartbeat}": it is below zero`);
  }
  const retry = Retry === undefined ? undefined : checkRetry(Retry);
  const rhythm = { heartbeat: Heartbeat, retry };
  setType(draft, "text/event-stream");
  setHeader(draft, "cache-control", "no-cache");
  // nginx gathers what it passes on, unless it is told.
  setHeader(draft, "x-accel-buffering", "no");
  const read = (gone: AbortSignal) =>
    eventTexts(source, {
      lastID: terms.lastID,
      end: AbortSignal.any([gone, terms.leaving]),
      failed: (error) => terms.failed(error),
      ...rhythm,
      ...terms.marksStrings === true ? { marksStrings: true } : {},
    });
  setBody(draft, byteStream(read, terms));
}

/** How the events of one request are sent. */
interface Terms {
  readonly lastID: string | null;
  /** Aborted when no more events shall be sent. */
  readonly end: AbortSignal;
  /** Told of a source that fails when it is read no further. */
  failed(error: unknown): void;
  /** How long silence may last, in milliseconds; 0 for ever. */
  readonly heartbeat: number;
  readonly retry: number | undefined;
  readonly marksStrings?: boolean;
}

/**
 * Reads a source and yields the text of its events.
 *
 * @param source Where they come from; told by its `return()` when it is read no further.
 * @param terms How they are sent.
 */
async function* eventTexts(source: EventsSource, terms: Terms): AsyncGenerator<string> {
  const { end, heartbeat } = terms;
  // A browser says that it is connected when the first bytes arrive.
  yield terms.retry === undefined ? COMMENT : `retry: ${terms.retry}\n\n`;
  const values = typeof source === "function" ? source(readLastID(terms.lastID), end) : source;
  const events = Symbol.asyncIterator in values ? values[Symbol.asyncIterator]() : values[Symbol.iterator]();
  try {
    while (!end.aborted) {
      const next = Promise.try(() => events.next());
      // It may fail when it is no longer waited for.
      next.catch(ignore);
      let first = await firstOf(next, end, heartbeat);
      for (; first === silence; first = await firstOf(next, end, heartbeat)) yield COMMENT;
      if (first === ended || first.done === true) return;
      const event = first.value instanceof ServerEvent ? first.value : new ServerEvent(first.value);
      yield (terms.marksStrings === true && isJSON(event.Data) ? "text:\n" : "") + textOf(event);
    }
  } finally {
    // Not waited for: a source that does not listen to its signal must not hold back a shutdown.
    Promise.try(() => events.return?.()).catch((error) => error === end.reason ? undefined : terms.failed(error));
  }
}

/** Browsers send the id in UTF-8, and headers are read as Latin-1. */
function readLastID(header: string | null): string {
  if (header === null || !/[\x80-\xff]/.test(header)) return header ?? "";
  return new TextDecoder().decode(Uint8Array.from(header, (letter) => letter.charCodeAt(0)));
}

function firstOf<T>(next: Promise<T>, end: AbortSignal, heartbeat: number): Promise<T | typeof silence | typeof ended> {
  const { promise, resolve, reject } = Promise.withResolvers<T | typeof silence | typeof ended>();
  const stop = () => resolve(ended);
  const timer = heartbeat > 0 ? setTimeout(resolve, heartbeat, silence) : undefined;
  end.addEventListener("abort", stop, { once: true });
  if (end.aborted) stop();
  next.then(resolve, reject);
  return promise.finally(() => {
    clearTimeout(timer);
    end.removeEventListener("abort", stop);
  });
}

function textOf({ ID, Name, Retry, Data }: ServerEvent): string {
  const data = typeof Data === "string" ? Data : toJSON(Data);
  const lines = data.split(lineBreak).map((line) => `data: ${line}\n`).join("");
  return `${ID && `id: ${ID}\n`}${Name && `event: ${Name}\n`}${
    Retry === undefined ? "" : `retry: ${Retry}\n`
  }${lines}\n`;
}

/** Reports whether data is a string that holds JSON. */
function isJSON(data: unknown): boolean {
  if (typeof data !== "string") return false;
  try {
    JSON.parse(data);
    return true;
  } catch {
    return false;
  }
}

function checkLine(noun: string, text: string): string {
  if (!/[\0\r\n]/.test(text)) return text;
  throw new FrameworkError("FW_HEADER", `Cannot send an event: its ${noun} "${text}" holds a line break or a zero`);
}

function checkRetry(value: number): number {
  if (Number.isInteger(value) && value >= 0) return value;
  throw new FrameworkError(
    "FW_CONFIG",
    `Cannot send events: the time to wait "${value}" is not a whole number from 0 up`,
  );
}
