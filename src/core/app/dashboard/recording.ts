/**
 * Records the events of a request: its handlers, log lines, queries of `node:sqlite` and calls of `fetch`.
 *
 * @module
 */

import { AsyncLocalStorage } from "node:async_hooks";
import { DatabaseSync, StatementSync } from "node:sqlite";
import { isThenable } from "../../../base/async/thenable.ts";
import type { Logger } from "../../../base/log/logger.ts";
import { type History, type RequestEntry, short, shownHeaders } from "./history.ts";

/** A query that is slower than this, or repeated more often, is a problem. */
const SLOW_MS = 100;
const MOST_REPEATED = 5;

/** A request that is being recorded. */
export interface Recorded {
  readonly history: History;
  readonly entry: RequestEntry;
  readonly began: number;
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
  try {
    const response = await current.run({ history, entry, began }, async () => await serve());
    entry.Status = response.status;
    entry.Response = shownHeaders(response.headers);
    return response;
  } finally {
    entry.Took = performance.now() - began;
    reportRepeated(history, entry);
  }
}

/** Runs a function as an event of the current request. */
export function timed<T>(kind: string, text: string, run: () => T): T {
  const found = current.getStore();
  if (found === undefined) return run();
  const from = performance.now();
  const event = { Kind: kind, Text: short(text), At: from - found.began, Took: undefined as number | undefined };
  found.history.add(found.entry, event);
  const end = () => {
    event.Took = performance.now() - from;
    if (kind === "query" && event.Took > SLOW_MS) {
      found.history.report("warn", `A query took ${Math.round(event.Took)} ms: ${text}`, "", found.entry);
    }
  };
  let result: T | undefined;
  try {
    return result = run();
  } finally {
    if (isThenable(result)) void result.then(end, end);
    else end();
  }
}

function reportRepeated(history: History, entry: RequestEntry): void {
  const queries = Map.groupBy(entry.Events.filter(({ Kind }) => Kind === "query"), ({ Text }) => Text);
  for (const [text, { length }] of queries) {
    if (length <= MOST_REPEATED) continue;
    history.report("warn", `${entry.Route || entry.Path} repeats a query: ${text}`, "", entry);
  }
}

/** Records the log lines of an application. Warnings and errors are problems. */
export function recordLogs(logger: Logger, history: History): void {
  logger.AddOutput((_line, { Level, Message, Fields, Error: error }) => {
    const found = current.getStore();
    const own = found?.history === history ? found : undefined;
    if (own !== undefined) {
      const at = performance.now() - own.began;
      own.history.add(own.entry, { Kind: "log", Text: short(`${Level}: ${Message}`), At: at, Took: undefined });
    }
    // The middleware that logs requests writes a line for each failure, which was logged with its reason.
    if (Level === "debug" || Level === "info" || "latency_ms" in Fields) return;
    history.report(Level, Message, placeOf(error), own?.entry);
  });
}

/** Returns the first place of an error's stack that belongs to the application. */
function placeOf(error: Error | undefined): string {
  const places = Array.from((error?.stack ?? "").matchAll(/^ {4}at .*?(file:\/\/[^\s)]+:\d+):\d+\)?$/gm));
  const root = new URL("../../../../", import.meta.url).href;
  const own = places.find(([, place = ""]) => !place.startsWith(root)) ?? places[0];
  return own?.[1]?.replace(/^file:\/\//, "") ?? "";
}

let isObserving = false;

/** Times the calls of `fetch` and of `node:sqlite`, once per process. */
export function observePlatform(): void {
  if (isObserving) return;
  isObserving = true;
  const { fetch } = globalThis;
  globalThis.fetch = function (input, init) {
    return timed("fetch", addressOf(input, init), () => fetch(input, init));
  };
  replace(DatabaseSync.prototype, "exec", (_database, [text]) => String(text));
  for (const name of ["run", "get", "all", "iterate"] as const) {
    replace(StatementSync.prototype, name, (statement) => statement.sourceSQL);
  }
}

/** Returns the method and URL of a call, without its query, which may contain credentials. */
function addressOf(input: Request | URL | string, init: RequestInit | undefined): string {
  const method = init?.method ?? (input instanceof Request ? input.method : "GET");
  const url = input instanceof Request ? input.url : String(input);
  return `${method} ${url.replace(/[?#].*$/s, "").replace(/\/\/[^/@]*@/, "//")}`;
}

/** Replaces a method by one that is timed. */
function replace<T extends object>(prototype: T, name: string, describe: (self: T, args: unknown[]) => string): void {
  const method: unknown = Reflect.get(prototype, name);
  if (typeof method !== "function") return;
  Reflect.set(prototype, name, function (this: T, ...args: unknown[]): unknown {
    return current.getStore() === undefined
      ? Reflect.apply(method, this, args)
      : timed("query", describe(this, args), () => Reflect.apply(method, this, args));
  });
}
