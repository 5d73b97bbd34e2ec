/**
 * Values that extensions provide for each call.
 *
 * @module
 */

import { isThenable } from "../../base/async/thenable.ts";
import { FrameworkError } from "../../base/errors/errors.ts";
import type { Carried, Provider } from "../exchange/attachments.ts";
import { afterUse } from "../exchange/ending/end_tasks.ts";
import { type Exchange, outerExchange, valuesOf } from "../exchange/exchange.ts";
import { createdIn } from "../exchange/values.ts";

/** Marks a value that is being created, so that a provider that depends on itself is detected. */
const creating: unique symbol = Symbol("creating");

/** Marks a value that is `undefined`. */
const missing: unique symbol = Symbol("missing");

/**
 * Returns a value that an extension provides for a call, or `undefined` if none does. A call inside another one uses
 * the value of the outer call, unless its own application provides the value.
 */
export function providedValue<C>(exchange: Exchange<C>, key: object): unknown {
  const provider = exchange.route.party.attached?.providers.get(key);
  if (provider !== undefined) return createdValue(exchange, provider);
  const outer = outerExchange(exchange);
  return outer && providedValue(outer, key);
}

/** The conversions of a value for jobs: those of each application, by the prefix of the party, and the latest one. */
interface Conversions {
  readonly byApp: WeakMap<object, Map<string, Carried>>;
  latest: Carried;
}

const conversions = new WeakMap<object, Conversions>();

/** Records how an application converts a value for jobs. */
export function noteConversion(key: object, app: object, carried: Carried): void {
  const known = conversions.get(key) ?? { byApp: new WeakMap<object, Map<string, Carried>>(), latest: carried };
  conversions.set(key, known);
  known.latest = carried;
  known.byApp.set(app, (known.byApp.get(app) ?? new Map<string, Carried>()).set(carried.at, carried));
}

/**
 * Returns the conversion of a value for jobs.
 *
 * @param key The key of the value.
 * @param app The application of the queue, if there is one. Others may add jobs to the queue, too.
 * @param at The prefix of the party that has provided the value.
 */
export function conversionOf(key: object, app: object | undefined, at: string): Carried | undefined {
  const known = conversions.get(key);
  const own = app && known?.byApp.get(app);
  return own?.get(at) ?? own?.values().next().value ?? known?.latest;
}

function createdValue<C>(exchange: Exchange<C>, provider: Provider): unknown {
  // An array is read and written in a fifth of the time of a map: tests/bench/seam.ts.
  const values = createdIn(valuesOf(exchange));
  const { slot } = provider;
  const known = values[slot];
  if (known !== undefined) return known === missing ? undefined : checked(known, provider);
  values[slot] = creating;
  let value: unknown;
  try {
    value = provider.of(exchange.context);
  } catch (error) {
    values[slot] = undefined;
    throw error;
  }
  values[slot] = value === undefined ? missing : value;
  if (typeof value === "object") disposeWith(exchange, value);
  return value;
}

/** Throws if a value is still being created. */
function checked(value: unknown, { extension }: Provider): unknown {
  if (value !== creating) return value;
  const message = `Cannot provide a value of the extension "${extension}": it depends on itself`;
  throw new FrameworkError("FW_DEPENDENCY", message);
}

/** Disposes of a value when nothing uses it anymore. */
function disposeWith<C>(exchange: Exchange<C>, value: unknown): void {
  if (!isThenable(value) && !isDisposable(value)) return;
  afterUse(exchange, disposerOf(value, (error) => exchange.reportEndFailure(error)));
}

function isDisposable(value: unknown): boolean {
  if (typeof value !== "object" || value === null) return false;
  return Symbol.asyncDispose in value || Symbol.dispose in value;
}

/**
 * Returns a function that disposes of a value or of the result of a promise. It does not wait for a promise that is
 * pending, because the promise may never settle.
 *
 * @param value The value.
 * @param report Reports the failure of a disposal that is not awaited.
 */
export function disposerOf(value: unknown, report: (error: unknown) => void): () => void | PromiseLike<void> {
  if (!isThenable(value)) return () => dispose(value);
  let settled: unknown = value;
  // A caller that does not await the value must not end the process.
  value.then((result) => settled = result, () => settled = undefined);
  return () => settled === value ? void value.then(dispose, () => {}).then(undefined, report) : dispose(settled);
}

function dispose(value: unknown): void | PromiseLike<void> {
  if (!isDisposable(value)) return;
  const { [Symbol.asyncDispose]: later, [Symbol.dispose]: now } = value as Partial<AsyncDisposable & Disposable>;
  return (later ?? now)?.call(value as AsyncDisposable & Disposable);
}
