/**
 * Observes the calls of a process in development: `fetch`, `node:sqlite`, the bodies of requests, and the calls that
 * features and drivers publish.
 *
 * @module
 */

import { tracingChannel } from "node:diagnostics_channel";
import { DatabaseSync, StatementSync } from "node:sqlite";
import { isThenable } from "../../../base/async/thenable.ts";
import { Body } from "../../../http/body/body.ts";
import { Form } from "../../../http/body/form/form.ts";
import { showCalls } from "../../exchange/span.ts";
import { addBody, MOST_BODY, type RequestEntry, short } from "./history.ts";
import { begin, type Recorded, recorded, timed } from "./recording.ts";

let isObserving = false;

/** Times the calls of `fetch` and of `node:sqlite`, and those of the channel `fw`, once per process. */
export function observePlatform(): void {
  if (isObserving) return;
  isObserving = true;
  replace(globalThis, "fetch", (run, _self, found, args) => timed(found, "fetch", short(addressOf(args)), run));
  replace(
    DatabaseSync.prototype,
    "exec",
    (run, _database, found, [text]) => timed(found, "query", short(String(text)), run),
  );
  for (const name of ["run", "get", "all", "iterate"] as const) {
    replace(
      StatementSync.prototype,
      name,
      (run, { sourceSQL }, found) => timed(found, "query", short(sourceSQL), run),
    );
  }
  for (const name of ["bytes", "form", "json", "jsonOnly", "losslessJSON", "text"] as const) {
    replace(Body.prototype, name, (run, body, found) => noteBody(name, run, body, found));
  }
  showCalls(begin);
  observeChannel();
}

/** A call that a driver publishes. */
interface PublishedCall {
  readonly Kind?: unknown;
  readonly Text?: unknown;
}

/** Times the calls of the channel. */
function observeChannel(): void {
  const ends = new WeakMap<object, () => void>();
  const end = (call: object) => ends.get(call)?.();
  tracingChannel<PublishedCall & object>("fw").subscribe({
    start(call) {
      const found = begin(String(call.Kind ?? "call"), String(call.Text ?? ""));
      if (found !== undefined) ends.set(call, found);
    },
    end,
    asyncStart() {},
    asyncEnd: end,
    error() {},
  });
}

const { bytes, text } = Body.prototype;
/** The body whose read begins. It may consist of other reads, of which only its text is noted. */
let reading: Body | undefined;

/** Notes what is read from a body. A body that is read twice, as text and as JSON, is shown as it was read last. */
function noteBody(name: string, read: () => unknown, body: Body, found: Recorded): unknown {
  const outer = reading;
  if ((found.body ??= body) !== body || outer === body && name !== "text") return read();
  reading = body;
  try {
    const outcome = read();
    if (!isThenable(outcome)) return outcome;
    void outcome.then((value) => {
      const isText = name === "text" && typeof value === "string";
      if (outer !== body && name !== "bytes") found.value = value instanceof Form ? value.values : value;
      keepBody(body, found.entry, isText ? value : undefined);
    }, () => keepBody(body, found.entry));
    return outcome;
  } finally {
    reading = outer;
  }
}

/** Records the text of a body. Text in which each byte is a character need not be encoded and decoded again. */
function keepBody(body: Body, entry: RequestEntry, read?: string): void {
  const declared = Number(entry.Headers["content-length"]);
  if (entry.Body !== undefined || !body.isEntered || body.isUnpacked || declared > MOST_BODY) return;
  const isExact = (text: string) => text.length === declared && !text.includes("\ufffd");
  if (read !== undefined && isExact(read)) return addBody(entry, read);
  const later = async () => {
    const again = declared >= 0 ? await text.call(body) : "";
    addBody(entry, isExact(again) ? again : await bytes.call(body));
  };
  later().catch(() => {});
}

/** Returns the method and URL of a call, without its query, which may contain credentials. */
function addressOf([input, init]: unknown[]): string {
  const { method = "GET", url = String(input) }: Partial<Request> = input instanceof Request ? input : {};
  const sent = (init as RequestInit | undefined)?.method ?? method;
  return `${sent} ${url.replace(/[?#].*$/s, "").replace(/\/\/[^/@]*@/, "//")}`;
}

const observed = new WeakSet<object>();

/** Times the calls of a method of an object, such as a template engine, unless their description is empty. */
export function observe(object: object, name: string, kind: string, textOf: (argument: unknown) => string): void {
  if (observed.has(object)) return;
  observed.add(object);
  replace(object, name, (run, _self, found, args) => {
    const text = textOf(args[0]);
    return text === "" ? run() : timed(found, kind, short(text), (end) => {
      const next = args[1];
      // A method that takes a function to continue with has ended when it calls the function.
      if (name === "prepare" && typeof next === "function") args[1] = (value: unknown) => (end(), next(value));
      return run();
    });
  });
}

/** Replaces a method by one that is observed while a request is recorded. */
function replace<T extends object>(
  prototype: T,
  name: string,
  observe: (run: () => unknown, self: T, found: Recorded, args: unknown[]) => unknown,
): void {
  const method: unknown = Reflect.get(prototype, name);
  if (typeof method !== "function") return;
  Reflect.set(prototype, name, function (this: T, ...args: unknown[]): unknown {
    const run = () => Reflect.apply(method, this, args);
    const found = recorded();
    return found === undefined ? run() : observe(run, this, found, args);
  });
}
