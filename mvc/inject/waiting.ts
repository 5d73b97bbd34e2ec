/**
 * The rules of waiting: what may ask for what takes time, and that nothing waits for itself.
 *
 * @module
 */

import { FrameworkError } from "../../src/base/errors.ts";
import type { Asker, Binding, Slot } from "./binding.ts";
import { suspended } from "./inject.ts";
import { RawInput } from "./input.ts";

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
    `Cannot wait for "${slot.owner.label()}" in "${asker.label()}": what mvc.Inject throws was caught there; ask for it ` +
      "in a default argument, written as mvc.Inject(...), in a field or in a constructor",
  );
}

/** The error about dependencies that need one another. Where it is thrown only the last is known: the others add themselves. */
export class Circle extends FrameworkError {
  readonly #way: Binding[];

  constructor(...way: readonly Binding[]) {
    super("FW_DEPENDENCY", "");
    this.#way = [...way];
    this.#describe();
  }

  /** Adds one that is being created while the error passes, unless the circle is closed. */
  pass(owner: Binding): void {
    if (this.#way.length > 1 && this.#way[0] === this.#way.at(-1)) return;
    this.#way.unshift(owner);
    this.#describe();
  }

  #describe(): void {
    const labels = this.#way.map((each) => each.label());
    this.message = `Cannot create "${labels.at(-1)}": it asks for itself in a circle (${labels.join(" → ")})`;
  }
}

/**
 * Refuses to wait for a value that waits, by way of others or not, for one that runs: that is the one that asks, or one
 * for which it asks, and they would wait for ever.
 *
 * @param slot The value that is asked for.
 */
export function assertNoCircle(slot: Slot): void {
  const way: Binding[] = [];
  for (let each: Slot | undefined = slot; each !== undefined; each = each.waitsFor) {
    way.push(each.owner);
    if (each.isRunning) throw new Circle(each.owner, ...way);
  }
}
