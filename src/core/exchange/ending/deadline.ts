/**
 * Limits the time that handlers work on a request. The time in which they wait for a message does not count.
 *
 * @module
 */

import { type Exchange, exchangesOf } from "../exchange.ts";
import { extrasOf, type Waits } from "../extras.ts";

/**
 * Waits for a message that may arrive at any time, such as the next event of a long poll or the reply of a user. In the
 * meantime, the time limits of the handlers do not apply to the call and the calls around it, so the caller needs a
 * limit of its own.
 *
 * @param exchange The call.
 * @param message The message.
 * @returns The message.
 */
export async function awaitMessage<C, T>(exchange: Exchange<C>, message: Promise<T>): Promise<T> {
  const calls = [...exchangesOf(exchange)].map(waitsOf);
  for (const waits of calls) if (waits.open++ === 0) waits.since = performance.now();
  try {
    return await message;
  } finally {
    for (const waits of calls) resume(waits);
  }
}

/** Returns the waits of a call. A route that the call executes shares them. */
export function waitsOf<C>(exchange: Exchange<C>): Waits {
  return extrasOf(exchange).waits ??= { open: 0, since: 0, total: 0, resumed: [] };
}

function resume(waits: Waits): void {
  if (--waits.open > 0) return;
  waits.total += performance.now() - waits.since;
  for (const resumed of waits.resumed.splice(0)) resumed();
}

/** A time limit for the handlers of a call. */
export class Deadline<C> {
  readonly #exchange: Exchange<C>;
  readonly #late: () => void;
  #timer: ReturnType<typeof setTimeout>;
  /** The part of the waiting time that has already extended the limit. */
  #credited: number;
  #isOver = false;

  /**
   * Starts the time limit.
   *
   * @param exchange The call.
   * @param ms The time limit, in milliseconds.
   * @param late Called when the handlers have worked for longer.
   */
  constructor(exchange: Exchange<C>, ms: number, late: () => void) {
    this.#exchange = exchange;
    this.#late = late;
    this.#credited = exchange.extras?.waits?.total ?? 0;
    this.#timer = setTimeout(() => this.#check(), ms);
  }

  /** Ends the time limit. */
  clear(): void {
    this.#isOver = true;
    clearTimeout(this.#timer);
  }

  #check(): void {
    if (this.#isOver) return;
    const waits = this.#exchange.extras?.waits;
    if (waits !== undefined && waits.open > 0) return void waits.resumed.push(() => this.#check());
    const waited = (waits?.total ?? 0) - this.#credited;
    if (waited <= 0) return this.#late();
    this.#credited += waited;
    this.#timer = setTimeout(() => this.#check(), waited);
  }
}
