/**
 * Values that jobs take over from the call that adds them, or from the job that does.
 *
 * They are stored as a list of entries: the name of the value, the prefix of the party that provides it, whether it is
 * a promise, and the encoded value. The last entry has no name if it contains the labels of the call for log lines.
 *
 * @module
 */

import { isThenable } from "../../base/async/thenable.ts";
import { decodeStored, encodeStored } from "../../base/codec/stored.ts";
import { FrameworkError } from "../../base/errors/errors.ts";
import { messageOf } from "../../base/errors/to_error.ts";
import type { LogFields } from "../../base/log/fields.ts";
import type { Carried } from "../exchange/attachments.ts";
import { asyncScopes, existingScopes } from "../exchange/ending/async_scope.ts";
import { type Exchange, exchangesOf, valuesOf } from "../exchange/exchange.ts";
import { labelFields } from "../exchange/labels.ts";
import type { Key } from "../exchange/values.ts";
import { currentCall } from "./call_scope.ts";
import { conversionOf } from "./provided.ts";

/** The time limit for an asynchronous value, in milliseconds. */
const VALUE_MS = 5_000;

/** The entry of a value, as it is stored. */
type Entry = readonly [name: string | 0, at: string, isPromise: 0 | 1, data: unknown];

/** The labels of calls whose request has been released. */
const keptLabels = new WeakMap<object, LogFields>();

/**
 * Encodes the values of the running call or job for a job that it adds.
 *
 * @returns The values, or an empty string if there are none. A promise if a value is asynchronous.
 * @throws {FrameworkError} If a value cannot be created or encoded.
 */
export function carriedText(): string | Promise<string> {
  const call = currentCall();
  if (call === undefined) return existingScopes()?.jobValues.getStore() ?? "";
  const entries = [...carriedOf(call)].map(([key, carried]) => entryOf(call, key, carried));
  return entries.some(isThenable)
    ? Promise.all(entries).then((all) => joined(call, all))
    : joined(call, entries as string[]);
}

/**
 * Creates the values of a call that jobs would take over, and its labels, because its request is about to be released.
 * A value that cannot be created fails where it is read.
 */
export function createCarried(call: Exchange<unknown>): void {
  const carried = carriedOf(call);
  if (carried.size > 0) keptLabels.set(call, labelFields(call));
  for (const key of carried.keys()) {
    try {
      valuesOf(call).Get(key as Key<unknown>);
    } catch {
      // The next reader receives the error.
    }
  }
}

/** Runs a job with the values that it was added with, so that the jobs that it adds have them as well. */
export async function runWithCarried<T>(text: string, run: () => Promise<T>): Promise<T> {
  if (text === "" && existingScopes() === undefined) return await run();
  const { calls, jobValues } = await asyncScopes();
  // Tests may run jobs within a call, to which the jobs do not belong.
  return await calls.run(undefined as never, () => jobValues.run(text, run));
}

/**
 * Returns a function that reads the values of a job.
 *
 * @param text The values, as {@linkcode carriedText} has encoded them.
 * @param app The application of the queue, whose conversions take precedence.
 * @param onRead Receives each value that is created.
 */
export function carriedReader(
  text: string,
  app: object | undefined,
  onRead: (value: unknown) => void,
): ((key: object) => unknown) | undefined {
  if (text === "") return undefined;
  const created = new Map<object, unknown>();
  return (key) => {
    if (created.has(key)) return created.get(key);
    const { Name } = key as Key<unknown>;
    // Each read decodes the text, because a value may change the data that it is created from.
    const entry = (decodeStored(text) as readonly Entry[]).find(([name]) => name === Name);
    if (entry === undefined) return undefined;
    const value = decoded(entry, conversionOf(key, app, entry[1]));
    created.set(key, value);
    onRead(value);
    return value;
  };
}

/** Returns the values to carry. Those of the innermost call apply. */
function carriedOf(call: Exchange<unknown>): ReadonlyMap<object, Carried> {
  const found = new Map<object, Carried>();
  const seen = new Set<object>();
  for (const { route } of exchangesOf(call)) {
    for (const [key, { carry }] of route.party.attached?.providers ?? []) {
      if (carry !== undefined && !seen.has(key)) found.set(key, carry);
      seen.add(key);
    }
  }
  return found;
}

/** Encodes a value of a call. A value that is `undefined` is not carried. */
function entryOf(call: Exchange<unknown>, key: object, carried: Carried): string | Promise<string> {
  let value: unknown;
  try {
    value = valuesOf(call).Get(key as Key<unknown>);
  } catch (error) {
    throw failure(carried, error);
  }
  return isThenable(value) ? laterEntry(value, carried) : encoded(value, carried, 0);
}

async function laterEntry(value: PromiseLike<unknown>, carried: Carried): Promise<string> {
  const late = Promise.withResolvers<never>();
  const error = new Error(`It is not available after ${VALUE_MS / 1_000} s`);
  const timer = setTimeout(() => late.reject(error), VALUE_MS);
  try {
    return encoded(await Promise.race([value, late.promise]), carried, 1);
  } catch (error) {
    throw error instanceof FrameworkError ? error : failure(carried, error);
  } finally {
    clearTimeout(timer);
  }
}

function encoded(value: unknown, carried: Carried, isPromise: 0 | 1): string {
  if (value === undefined) return "";
  let data: unknown;
  try {
    data = assertNow(carried.encode(value), "Encode");
  } catch (error) {
    throw failure(carried, error);
  }
  const { name, at } = carried;
  const text = encodeStored(data, { act: "add a job", root: name, code: "FW_JOB" });
  return `[${encodeStored(name, noEntrance)},${encodeStored(at, noEntrance)},${isPromise},${text}]`;
}

/** Strings are always accepted. */
const noEntrance = { act: "add a job", root: "Name", code: "FW_JOB" } as const;

function joined(call: Exchange<unknown>, entries: readonly string[]): string {
  const all = entries.filter((entry) => entry !== "");
  if (all.length === 0) return "";
  const labels = keptLabels.get(call) ?? labelFields(call);
  if (Object.keys(labels).length > 0) all.push(`[0,"",0,${encodeStored(labels, noEntrance)}]`);
  return `[${all.join(",")}]`;
}

/** Returns the labels of the call that has added a job, for log lines. There are none if they cannot be read. */
export function carriedLabels(text: string): LogFields {
  if (text === "") return {};
  try {
    const entry = (decodeStored(text) as readonly Entry[]).find(([name]) => name === 0);
    return entry?.[3] as LogFields ?? {};
  } catch {
    return {};
  }
}

function decoded([name, , isPromise, data]: Entry, carried: Carried | undefined): unknown {
  try {
    if (carried === undefined) throw new Error("No extension in this process provides it");
    const value = assertNow(carried.decode(data), "Decode");
    return isPromise === 1 ? Promise.resolve(value) : value;
  } catch (error) {
    throw new FrameworkError("FW_JOB", `Cannot read the value "${name}" of a job: ${messageOf(error)}`, {
      cause: error,
    });
  }
}

/** Throws if a conversion is asynchronous, because the value would not have its type. */
function assertNow(value: unknown, method: "Encode" | "Decode"): unknown {
  if (!isThenable(value)) return value;
  value.then(undefined, () => {});
  throw new TypeError(`The function ${method} returned a promise`);
}

function failure({ name, extension }: Carried, error: unknown): FrameworkError {
  const message = `Cannot add a job: the value "${name}" of "${extension}" cannot be carried: ${messageOf(error)}`;
  return new FrameworkError("FW_JOB", message, { cause: error });
}
