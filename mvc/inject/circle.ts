/**
 * Circles of dependencies: those that need one another.
 *
 * @module
 */

import { FrameworkError } from "../../src/base/errors.ts";
import type { Binding, Slot } from "./binding.ts";

/**
 * The error about dependencies that need one another. Where it is thrown only the last is known: the others add
 * themselves.
 */
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
