/**
 * Server-sent events, as read by `EventSource` in browsers.
 *
 * @module
 */

import { LazyModule } from "../../base/async/lazy_module.ts";
import { timeLimit } from "../../base/config/option_kinds.ts";
import { optionTable, readOptions } from "../../base/config/option_table.ts";
import { type Draft, setBody, setHeader, setType } from "./draft.ts";
import type { EventsReading, EventsSource } from "./event_texts.ts";
import { retryOption } from "./server_event.ts";
import { byteStream, type Part, type StreamTerms } from "./stream.ts";

const texts = new LazyModule(() => import("./event_texts.ts"));

/** Options for `ctx.Events`. */
export interface EventsOptions {
  /**
   * The interval after which a comment is sent if there is no event, in milliseconds. Comments prevent proxies from
   * closing the connection. 0 disables them.
   *
   * @default {15000}
   */
  readonly Heartbeat?: number;
  /** The time that the browser waits before reconnecting, in milliseconds. Defaults to the browser's own setting. */
  readonly Retry?: number;
}

const table = optionTable<EventsOptions>("EventsOptions", "Events")({
  Heartbeat: timeLimit(15_000, { isPositive: false }),
  Retry: retryOption,
});

/** The request properties that an event stream needs. */
export interface EventsTerms extends StreamTerms {
  /** The `Last-Event-ID` header, or `null` if it is missing. */
  readonly lastID: string | null;
  /** Aborted when the application begins to shut down, so that the browser reconnects to another process. */
  readonly leaving: AbortSignal;
  /**
   * Whether to mark strings that contain JSON with an additional field. Browsers ignore the field, and typed clients
   * use it to read the data as a string.
   */
  readonly marksStrings?: boolean;
  /** Whether the response fails, rather than ends, if the application leaves before the source has ended. */
  readonly breaksOff?: boolean;
}

/** Responds with events. */
export function sendEvents(
  draft: Draft,
  source: EventsSource,
  options: EventsOptions,
  termsOf: () => EventsTerms,
): void {
  const { Heartbeat, Retry } = readOptions(table, options);
  // Invalid options must not leave a stream that waits for the end of its session.
  const terms = termsOf();
  setType(draft, "text/event-stream");
  setHeader(draft, "cache-control", "no-cache");
  // nginx buffers responses unless this header is set.
  setHeader(draft, "x-accel-buffering", "no");
  const read = (gone: AbortSignal) =>
    partsOf(source, {
      ...terms,
      end: AbortSignal.any([gone, terms.leaving]),
      heartbeat: Heartbeat,
      retry: Retry,
    });
  setBody(draft, byteStream(read, terms));
}

/** Returns the events as they are sent. The first stream waits for the code that reads them. */
function partsOf(source: EventsSource, reading: EventsReading): AsyncIterable<Part> {
  const { loaded } = texts;
  if (loaded !== undefined) return loaded.eventParts(source, reading);
  let parts: AsyncIterator<Part> | undefined;
  const open = async () => parts ??= (await texts.get()).eventParts(source, reading)[Symbol.asyncIterator]();
  const iterator: AsyncIterator<Part> = {
    next: async () => await (await open()).next(),
    return: async () => await (await open()).return?.() ?? { done: true, value: undefined },
  };
  return { [Symbol.asyncIterator]: () => iterator };
}
