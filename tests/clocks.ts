/**
 * Clocks for tests: fake time that advances on request, and wall clocks that can be set.
 *
 * @module
 */

import { FakeTime } from "@std/testing/time";

/** Fake time that also applies to `performance.now()`. Time passes, but the clock is not set. */
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
 * Sets the wall clock forward or back, like a time server or an administrator. `performance.now()` and timers are not
 * affected.
 *
 * @param milliseconds The difference.
 * @returns An object that restores the clock when it is disposed of.
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
