/**
 * Clocks for tests: time that passes when it is told to, and wall clocks that are set.
 *
 * @module
 */

import { FakeTime } from "@std/testing/time";

/** Fake time in which `performance.now()` passes too: a duration that passes, not a clock that is set. */
export class PassingTime extends FakeTime {
  readonly #realNow = performance.now;

  constructor() {
    super();
    const begin = performance.now();
    performance.now = () => begin + this.now - this.start;
  }

  override restore(): void {
    performance.now = this.#realNow;
    super.restore();
  }
}

/**
 * Sets the wall clock forward or back, as a time server or an administrator does. `performance.now()` and timers go on.
 *
 * @param milliseconds By how much.
 * @returns What sets it right again.
 */
export function setClock(milliseconds: number): Disposable {
  const RealDate = Date;
  const now = () => RealDate.now() + milliseconds;
  globalThis.Date = new Proxy(RealDate, {
    construct: (target, values) => values.length === 0 ? new target(now()) : Reflect.construct(target, values),
    get: (target, name) => name === "now" ? now : Reflect.get(target, name),
  });
  return {
    [Symbol.dispose]() {
      globalThis.Date = RealDate;
    },
  };
}
