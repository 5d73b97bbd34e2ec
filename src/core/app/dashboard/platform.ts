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
import { addBody } from "./history.ts";
import { begin, type Recorded, recorded, timed } from "./recording.ts";

let isObserving = false;

/** Times the calls of `fetch` and of `node:sqlite`, and those of the channel `fw`, once per process. */
export function observePlatform(): void {
  if (isObserving) return;
  isObserving = true;
  const { fetch } = globalThis;
  globalThis.fetch = function (input, init) {
    return timed("fetch", addressOf(input, init), () => fetch(input, init));
  };
  replace(DatabaseSync.prototype, "exec", (run, _database, [text]) => timed("query", String(text), run));
  for (const name of ["run", "get", "all", "iterate"] as const) {
    replace(StatementSync.prototype, name, (run, { sourceSQL }) => timed("query", sourceSQL, run));
  }
  for (const name of ["bytes", "form", "json", "jsonOnly", "losslessJSON", "text"] as const) {
    replace(Body.prototype, name, (run, body) => noteBody(body, run()));
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

const bodies = new WeakMap<object, unknown>();

/** Returns the value that was read from a body, or `undefined`. */
export function bodyRead(body: object): unknown {
  return bodies.get(body);
}

function noteBody(body: Body, read: unknown): unknown {
  const found = recorded();
  if (found !== undefined && isThenable(read)) {
    const keep = () => void keepBody(body, found).catch(() => {});
    // Bodies that are read twice, for example as text and as JSON, are shown as they were read last.
    void read.then((value) => {
      if (!(value instanceof Uint8Array)) bodies.set(body, value instanceof Form ? value.values : value);
      keep();
    }, keep);
  }
  return read;
}

/** Records the text of the first body that is read. Another one belongs to a call in the same process. */
async function keepBody(body: Body, found: Recorded): Promise<void> {
  if (found.body !== undefined || body.isUnpacked) return;
  found.body = body;
  if (await body.remains() === "bytes") addBody(found.entry, await body.bytes());
  else found.body = undefined;
}

/** Returns the method and URL of a call, without its query, which may contain credentials. */
function addressOf(input: Request | URL | string, init: RequestInit | undefined): string {
  const method = init?.method ?? (input instanceof Request ? input.method : "GET");
  const url = input instanceof Request ? input.url : String(input);
  return `${method} ${url.replace(/[?#].*$/s, "").replace(/\/\/[^/@]*@/, "//")}`;
}

/** Replaces a method by one that is observed while a request is recorded. */
function replace<T extends object>(
  prototype: T,
  name: string,
  observe: (run: () => unknown, self: T, args: unknown[]) => unknown,
): void {
  const method: unknown = Reflect.get(prototype, name);
  if (typeof method !== "function") return;
  Reflect.set(prototype, name, function (this: T, ...args: unknown[]): unknown {
    const run = () => Reflect.apply(method, this, args);
    return recorded() === undefined ? run() : observe(run, this, args);
  });
}
