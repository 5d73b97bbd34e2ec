/**
 * The call that the running code belongs to, for code that does not receive the context: functions in templates, the
 * log lines of services, and jobs that a call adds.
 *
 * @module
 */

import { isThenable } from "../../base/async/thenable.ts";
import { FrameworkError } from "../../base/errors/errors.ts";
import { asyncScopes, existingScopes } from "../exchange/ending/async_scope.ts";
import { type Exchange, exchangesOf } from "../exchange/exchange.ts";

/** Loads the module that finds calls. */
export async function loadCallScope(): Promise<void> {
  await asyncScopes();
}

/** Returns the call that the running code belongs to, or `undefined` if it is not known. */
export function currentCall(): Exchange<unknown> | undefined {
  return existingScopes()?.calls.getStore() as Exchange<unknown> | undefined;
}

/** Runs a function as a part of a call. */
export function runInCall<C, T>(exchange: Exchange<C>, run: () => T): T {
  const loaded = existingScopes();
  return loaded === undefined ? run() : loaded.calls.run(exchange, run);
}

/**
 * Calls a view function of an extension for the call whose template is being rendered.
 *
 * @throws {FrameworkError} If no template of a party with that function is being rendered.
 */
export function callViewFunc(name: string, args: readonly unknown[]): unknown {
  const call = currentCall();
  for (const { route, context } of call === undefined ? [] : exchangesOf(call)) {
    const fn = route.party.attached?.viewFuncs.get(name);
    if (fn !== undefined) return assertNow(name, fn(context, ...args));
  }
  const state = call === undefined ? "no request is being served" : "it is not installed on the party of the route";
  throw new FrameworkError("FW_VIEW", `Cannot call "${name}" in a template: ${state}`);
}

/** Throws if a view function is asynchronous, because templates cannot wait for it. */
function assertNow(name: string, value: unknown): unknown {
  if (!isThenable(value)) return value;
  value.then(undefined, () => {});
  throw new FrameworkError(
    "FW_VIEW",
    `Cannot call "${name}" in a template: it returns a promise; load the data in the handler`,
  );
}
