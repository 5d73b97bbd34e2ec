/**
 * A limit on how long calls may take, with one timer for all that are under way: to start and stop a timer for each
 * costs 20 µs, a sixth of a call to Redis (tests/bench/session_read.ts).
 *
 * @module
 */

/** How much of the limit is held back until the rest is over, in milliseconds. */
const secondLook = 50;

/** A call under way. */
export interface TimedCall {
  readonly end: number;
  readonly late: () => void;
}

/** Watches calls that may all take equally long. */
export class TimeLimit {
  readonly #milliseconds: number;
  /** In the order of their beginning, and so of their end. */
  readonly #calls = new Set<TimedCall>();
  #timer: ReturnType<typeof setTimeout> | undefined = undefined;

  constructor(milliseconds: number) {
    this.#milliseconds = milliseconds;
  }

  /** Has a function called unless the call is ended in time. */
  begin(late: () => void): TimedCall {
    const call = { end: performance.now() + this.#milliseconds - secondLook, late };
    this.#calls.add(call);
    this.#timer ??= setTimeout(() => this.#look(), this.#milliseconds - secondLook);
    return call;
  }

  end(call: TimedCall): void {
    this.#calls.delete(call);
    if (this.#calls.size > 0) return;
    clearTimeout(this.#timer);
    this.#timer = undefined;
  }

  /**
   * Looks for late calls, and again a moment later before they are given up: when this process itself was busy for
   * long, the time is over before the reply that has arrived is read; it is read in between.
   */
  #look(): void {
    const late = this.#lateCalls();
    const [first] = this.#calls;
    if (late.length > 0) this.#timer = setTimeout(() => this.#giveUp(late), secondLook);
    else if (first !== undefined) {
      this.#timer = setTimeout(() => this.#look(), Math.max(first.end - performance.now(), 1));
    }
  }

  #giveUp(late: readonly TimedCall[]): void {
    this.#timer = undefined;
    for (const call of late) if (this.#calls.delete(call)) call.late();
    if (this.#calls.size > 0 && this.#timer === undefined) this.#look();
  }

  #lateCalls(): TimedCall[] {
    const now = performance.now();
    const late: TimedCall[] = [];
    for (const call of this.#calls) {
      if (call.end > now) break;
      late.push(call);
    }
    return late;
  }
}
