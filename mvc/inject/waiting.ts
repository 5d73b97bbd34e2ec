/**
 * The rules of waiting: what may ask for what takes time.
 *
 * @module
 */

import { FrameworkError } from "../../src/base/errors.ts";
import type { Asker, Binding, Slot } from "./binding.ts";
import { suspended } from "./inject.ts";
import { RawInput } from "./input_token.ts";

/**
 * Reports whether what runs asks in its default values for a dependency, as far as that is known.
 *
 * @param asker What runs.
 * @param owner The dependency.
 */
export function isExpected({ needs }: Asker, owner: Binding): boolean {
  return needs.ahead.some((need) => need.binding === owner) || needs.behind.some((need) => need.binding === owner);
}

/**
 * Reports whether what runs asks in its default values for a part of the request, as far as that is known.
 *
 * @param asker What runs.
 * @param binding The part of the request.
 */
export function isExpectedInput({ needs }: Asker, binding: Binding): boolean {
  const { token } = binding;
  return token instanceof RawInput &&
    [...needs.ahead, ...needs.behind].some((need) => need.token instanceof RawInput && need.token.kind === token.kind);
}

/** The error about a body that asks for what takes time: it would have to run twice. */
export function inBody(asker: Asker, owner: Binding): FrameworkError {
  return new FrameworkError(
    "FW_DEPENDENCY",
    `Cannot inject "${owner.label()}" in the body of "${asker.label()}": it takes time, and a body runs only once; ` +
      `ask for it in a default argument, written as mvc.Inject(...), in a field or in a constructor`,
  );
}

/**
 * Makes sure that what had to wait did not go on regardless: it may have caught what `Inject` threw. A constructor is
 * repeated in that case, but a body has run with less than it asked for.
 *
 * @param asker What ran.
 * @param slot What it had to wait for.
 * @param result What it returned; the promise of an asynchronous function may say that it was suspended.
 */
export async function assertSuspended(asker: Asker, slot: Slot, result: unknown): Promise<void> {
  try {
    await result;
  } catch (thrown) {
    if (thrown === suspended || asker.isRepeatable) return;
    throw thrown;
  }
  if (!asker.isRepeatable) throw caught(asker, slot);
}

/** The error about a body that ran although what it asked for was not there. */
function caught(asker: Asker, slot: Slot): FrameworkError {
  return new FrameworkError(
    "FW_DEPENDENCY",
    `Cannot wait for "${slot.owner.label()}" in "${asker.label()}": what mvc.Inject throws was caught there; ` +
      "ask for it in a default argument, written as mvc.Inject(...), in a field or in a constructor",
  );
}
