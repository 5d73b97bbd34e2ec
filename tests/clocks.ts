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
  class ShiftedDate extends RealDate {
    constructor(...values: [] | [number | string | Date]) {
      if (values.length === 0) super(ShiftedDate.now());
      else super(values[0]);
    }

    static override now(): number {
      return RealDate.now() + milliseconds;
    }
  }
  globalThis.Date = ShiftedDate as DateConstructor;
  return {
    [Symbol.dispose]() {
      globalThis.Date = RealDate;
    },
  };
}
