/**
 * Values that extensions provide for each call.
 *
 * @module
 */

import { isThenable } from "../../base/async/thenable.ts";
import { FrameworkError } from "../../base/errors/errors.ts";
import type { Provider } from "../exchange/attachments.ts";
import { afterUse } from "../exchange/ending/end_tasks.ts";
import { type Exchange, outerExchange } from "../exchange/exchange.ts";

/** Marks a value that is being created, so that a provider that depends on itself is detected. */
const creating: unique symbol = Symbol("creating");

/** The values that have been created for a call, by key. */
const created = new WeakMap<object, Map<object, unknown>>();

/**
 * Returns a value that an extension provides for a call, or `undefined` if none does. A call inside another one uses
 * the value of the outer call, unless its own application provides the value.
 */
export function providedValue<C>(exchange: Exchange<C>, key: object): unknown {
  const provider = exchange.route.party.attached?.providers.get(key);
  if (provider !== undefined) return createdValue(exchange, key, provider);
  const outer = outerExchange(exchange);
  return outer && providedValue(outer, key);
}

function createdValue<C>(exchange: Exchange<C>, key: object, provider: Provider): unknown {
  let values = created.get(exchange);
  if (values === undefined) created.set(exchange, values = new Map());
  const known = values.get(key);
  if (known === creating) {
    const message = `Cannot provide a value of the extension "${provider.extension}": it depends on itself`;
    throw new FrameworkError("FW_DEPENDENCY", message);
  }
  if (known !== undefined || values.has(key)) return known;
  values.set(key, creating);
  let value: unknown;
  try {
    value = provider.of(exchange.context);
  } catch (error) {
    values.delete(key);
    throw error;
  }
  values.set(key, value);
  disposeWith(exchange, value);
  return value;
}

/** Disposes of a value when nothing uses it anymore. */
function disposeWith<C>(exchange: Exchange<C>, value: unknown): void {
  if (isThenable(value)) {
    // A caller that does not await the value must not end the process.
    value.then(undefined, () => {});
    afterUse(exchange, () => value.then(dispose, () => {}));
  } else if (isDisposable(value)) {
    afterUse(exchange, () => dispose(value));
  }
}

function isDisposable(value: unknown): boolean {
  if (typeof value !== "object" || value === null) return false;
  return Symbol.asyncDispose in value || Symbol.dispose in value;
}

function dispose(value: unknown): unknown {
  if (!isDisposable(value)) return undefined;
  const { [Symbol.asyncDispose]: later, [Symbol.dispose]: now } = value as Partial<AsyncDisposable & Disposable>;
  return (later ?? now)?.call(value as AsyncDisposable & Disposable);
}
