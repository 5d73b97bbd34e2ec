/**
 * Records the events of a request: its handlers, log lines, queries and calls.
 *
 * @module
 */

import { AsyncLocalStorage } from "node:async_hooks";
import { Buffer } from "node:buffer";
import { isThenable } from "../../../base/async/thenable.ts";
import type { Logger } from "../../../base/log/logger.ts";
import type { Draft, DraftBody } from "../../../http/response/draft.ts";
import { placesIn } from "../record/call_site.ts";
import { pathPlace } from "./editor_link.ts";
import { type History, type RequestEntry, type RequestEvent, short, shownHeaders } from "./history.ts";
import { printRequest } from "./terminal.ts";

/** A query that is slower than this, or repeated more often, is a problem. */
const SLOW_MS = 100;
const MOST_REPEATED = 5;
/** A request whose end tasks take less than this does not show them. */
const SHORT_MS = 0.1;
const MOST_PLACES = 50;

/** A request that is being recorded. */
export interface Recorded {
  readonly history: History;
  readonly entry: RequestEntry;
  readonly began: number;
  /** The calls of `fetch` that have not ended, and where they began. */
  open?: Map<object, Error>;
  /** The body that was read first, and what was read from it. Another one belongs to a call in the same process. */
  body?: object;
  value?: unknown;
  /** The response before it was sent, if a handler has run. */
  draft?: Pick<Draft, "body">;
}

const current = new AsyncLocalStorage<Recorded>();

/** Returns the request that the calling code belongs to. */
export function recorded(): Recorded | undefined {
  return current.getStore();
}

/** Serves a request and records it. */
export async function record(
  history: History,
  request: Request,
  serve: () => Response | Promise<Response>,
): Promise<Response> {
  const entry = history.begin(request);
  const began = performance.now();
  const found: Recorded = { history, entry, began };
  try {
    const response = await current.run(found, serve);
    entry.Status = response.status;
    entry.Response = shownHeaders(response.headers);
    entry.Size = sizeOf(entry.Response["content-length"], found.draft?.body);
    return response;
  } finally {
    entry.Took = performance.now() - began;
    addEnd(found, entry.Took);
    reportCalls(found);
    printRequest(entry);
  }
}

/** Returns the size of a body. That of a stream is only known if it is declared. */
function sizeOf(declared: string | undefined, body: DraftBody | undefined): number | undefined {
  if (declared !== undefined) return Number(declared);
  return typeof body === "string" ? Buffer.byteLength(body) : body instanceof Uint8Array ? body.length : undefined;
}

/** Adds the time after the handlers, in which the tasks at the end of a request run, unless it is short. */
function addEnd({ history, entry }: Recorded, took: number): void {
  let At = 0;
  for (const { Kind, At: from, Took = 0 } of entry.Events) {
    if (Kind === "handler" || Kind === "middleware") At = Math.max(At, from + Took);
  }
  if (At === 0 || took - At < SHORT_MS) return;
  history.add(entry, { Kind: "end", Text: "end tasks and response", At, Took: took - At });
}

/** Runs a function as an event of a request. The text is short. */
export function timed<T>(found: Recorded, kind: string, text: string, run: (end: () => void) => T): T {
  const end = add(found, kind, text);
  let result: T | undefined;
  try {
    return result = run(end);
  } finally {
    if (isThenable(result)) void result.then(end, end);
    else end();
  }
}

/** Adds an event to the current request. Returns the function that ends it, or `undefined` if there is no request. */
export function begin(kind: string, text: string): (() => void) | undefined {
  const found = current.getStore();
  return found === undefined ? undefined : add(found, kind, short(text));
}

function add(found: Recorded, kind: string, text: string): () => void {
  const from = performance.now();
  const event: RequestEvent = { Kind: kind, Text: text, At: from - found.began, Took: undefined };
  found.history.add(found.entry, event);
  if (kind === "fetch" && found.entry.Took === undefined) (found.open ??= new Map()).set(event, new Error(text));
  return () => {
    event.Took ??= performance.now() - from;
    found.open?.delete(event);
    if (kind === "query" && event.Took > SLOW_MS) {
      const place = placeOf(new Error());
      found.history.report("warn", `A query took ${Math.round(event.Took)} ms: ${text}`, place, found.entry);
    }
  };
}

/** Reports repeated queries, and calls that nothing has waited for. */
function reportCalls({ history, entry, open }: Recorded): void {
  for (const call of open?.values() ?? []) {
    const text = `${entry.Route || entry.Path} has responded before a call ended, an await may be missing: `;
    history.report("warn", text + call.message, placeOf(call), entry);
  }
  open?.clear();
  if (entry.Events.length <= MOST_REPEATED) return;
  const times = new Map<string, number>();
  for (const { Kind, Text } of entry.Events) if (Kind === "query") times.set(Text, (times.get(Text) ?? 0) + 1);
  for (const [text, count] of times) {
    if (count > MOST_REPEATED) {
      history.report("warn", `${entry.Route || entry.Path} repeats a query: ${text}`, "", entry);
    }
  }
}

const observed = new WeakMap<Logger, Set<History>>();

/** Records the log lines of an application. Warnings and errors are problems. */
export function recordLogs(logger: Logger, history: History): void {
  const histories = observed.get(logger) ?? new Set();
  histories.add(history);
  // An application may be mounted in another one that has these pages.
  if (observed.has(logger)) return;
  observed.set(logger, histories);
  logger.AddOutput((_line, { Level, Message, Fields, Error: error }) => {
    // The lines of a mounted application belong to the request of the outer one.
    const own = current.getStore();
    if (own !== undefined) {
      const at = performance.now() - own.began;
      own.history.add(own.entry, { Kind: "log", Text: short(`${Level}: ${Message}`), At: at, Took: undefined });
    }
    // The middleware that logs requests writes a line for each failure, which was logged with its reason.
    if (Level === "debug" || Level === "info" || "latency_ms" in Fields) return;
    // A stack takes up to 3 ms. Of a request with many lines, only the first ones have a place.
    const hasPlace = error !== undefined || own === undefined || own.entry.Events.length < MOST_PLACES;
    const place = hasPlace ? placeOf(error ?? callSite()) : "";
    for (const each of own === undefined ? histories : [own.history]) each.report(Level, Message, place, own?.entry);
  });
}

/** Returns an error whose stack has the calls that lead to a log line. */
function callSite(): Error {
  const { stackTraceLimit } = Error;
  Error.stackTraceLimit = 50;
  const site = new Error();
  Error.stackTraceLimit = stackTraceLimit;
  return site;
}

/** Returns the first place of an error's stack that belongs to the application, or an empty string. */
function placeOf({ stack = "" }: Error): string {
  const own = placesIn(stack).find(({ url }) => url.startsWith("file:"));
  return own === undefined ? "" : pathPlace(`${own.url}:${own.line}`);
}
