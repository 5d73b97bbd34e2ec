/**
 * Calls methods and functions with the dependencies that they are known to have.
 *
 * @module
 */

import type { Slot } from "./binding.ts";
import { suspended } from "./inject.ts";
import { type Call, invoke } from "./injected_call.ts";
import type { RequestValues } from "./request_values.ts";
import { collect, collectLater } from "./resolve_in_order.ts";
import { assertSuspended } from "./waiting.ts";

/** What a call is made with. */
export interface Made {
  /** What a method is called on. */
  readonly instance: object;
  /** The arguments as far as they are not dependencies; those are added. */
  readonly args: unknown[];
}

/**
 * Calls a method or function with its dependencies.
 *
 * @param values The dependencies of the request.
 * @param call The method or function.
 * @param made What it is called with.
 * @returns What it returns, or a promise of that.
 */
export function invokeWith(values: RequestValues, call: Call, made: Made): unknown {
  const slot = collect(values, call, made.args);
  if (slot !== undefined) return invokeLater(values, call, made, slot);
  let result: unknown;
  try {
    result = values.run(call, invoke, made.instance, made.args);
  } catch (thrown) {
    if (thrown !== suspended || values.waitsFor === undefined) throw thrown;
    return invokeLater(values, call, made, values.waitsFor);
  }
  const { waitsFor } = values;
  return waitsFor === undefined ? result : invokeSuspended(values, call, made, { result, waitsFor });
}

/**
 * Goes on with a call that was suspended and returned all the same: an asynchronous function, whose promise says that
 * it was suspended in its default values.
 *
 * @param values The dependencies of the request.
 * @param call The method or function.
 * @param made What it is called with.
 * @param returned What it returned, and what it has to wait for.
 */
export async function invokeSuspended(
  values: RequestValues,
  call: Call,
  made: Made,
  { result, waitsFor }: { readonly result: unknown; readonly waitsFor: Slot },
): Promise<unknown> {
  await assertSuspended(call, waitsFor, result);
  return await invokeLater(values, call, made, waitsFor);
}

function invokeLater(values: RequestValues, call: Call, made: Made, first: Slot): Promise<unknown> {
  return collectLater(values, { asker: call, args: made.args }, first, {
    proceed: () => invokeWith(values, call, made),
    fail: rethrow,
  });
}

function rethrow(thrown: unknown): never {
  throw thrown;
}
