/**
 * A time limit for calls. All calls in flight share a single timer. Starting and stopping a timer for each call would
 * take 20 µs, a sixth of a call to Redis (tests/bench/session_read.ts).
 *
 * @module
 */

/** The part of the limit that is reserved for a second check, in milliseconds. */
const secondLook = 50;

/** A call in flight. */
export interface TimedCall {
  readonly end: number;
  readonly late: () => void;
}

/** Watches calls that all have the same time limit. */
export class TimeLimit {
  readonly #milliseconds: number;
  /**
   * The calls in the order of their start. Since all time limits are equal, this is also the order in which they
   * expire.
   */
  readonly #calls = new Set<TimedCall>();
  #timer: ReturnType<typeof setTimeout> | undefined = undefined;

  constructor(milliseconds: number) {
    this.#milliseconds = milliseconds;
  }

  /** Starts a call. The callback is called unless the call ends in time. */
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

  /** Waits for a call. Rejects if the call does not end in time, with the error that the callback returns. */
  async run<T>(running: PromiseLike<T>, late: () => Error): Promise<T> {
    const { promise, resolve, reject } = Promise.withResolvers<T>();
    const call = this.begin(() => reject(late()));
    running.then(resolve, reject);
    try {
      return await promise;
    } finally {
      this.end(call);
    }
  }

  /**
   * Looks for late calls and checks them again shortly afterwards before failing them. If this process was busy, the
   * time limit may have passed although the response has already arrived. The response is then read between the two
   * checks.
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
