/**
 * Pages in the making that other requests wait for.
 *
 * @module
 */

import { boundedKey, detached } from "../../store/key.ts";
import { TimeLimit } from "../../store/time_limit.ts";
import type { CachedResponse } from "./cached_response.ts";

/** How long a key whose response could not be stored is passed by, so that its requests do not wait for one another. */
const passFor = 5000;
const mostPassed = 10_000;

/** What becomes of a page: the response if it is stored. */
type Outcome = CachedResponse | undefined;

/** A page in the making. */
interface Page {
  readonly outcome: Promise<Outcome>;
  /** To be called once if others wait; to watch a client costs 22 µs. */
  watch: (() => void) | undefined;
}

/** The pages of one cache that are being created. Keys are digests if they are long: clients choose their length. */
export class Fills {
  readonly #pages = new Map<string, Page>();
  readonly #passed = new Map<string, number>();
  readonly #limit: TimeLimit;

  /** The longest time that others wait for a page, in milliseconds. */
  constructor(longestWait: number) {
    this.#limit = new TimeLimit(longestWait);
  }

  /** Reports whether a page is being created. */
  has(key: string): boolean {
    return this.#pages.has(boundedKey(key));
  }

  /** The outcome of the page of a key, which is known soon; nothing if none is being created. */
  outcome(key: string): Promise<Outcome> | undefined {
    const page = this.#pages.get(boundedKey(key));
    page?.watch?.();
    if (page !== undefined) page.watch = undefined;
    return page?.outcome;
  }

  /**
   * Holds a key until its page is finished, but no longer than requests wait: one that hangs must not keep all others
   * from having the page created.
   *
   * @param key The key.
   * @param watch Called if others wait: has the page ended when the client leaves that it is created for.
   * @returns The function that ends it.
   */
  begin(key: string, watch?: () => void): (outcome?: CachedResponse) => void {
    const own = detached(boundedKey(key));
    const { promise, resolve } = Promise.withResolvers<Outcome>();
    const timed = this.#limit.begin(() => end());
    const end = (outcome?: CachedResponse) => {
      this.#limit.end(timed);
      if (this.#pages.get(own) === page) this.#pages.delete(own);
      resolve(outcome);
    };
    const page = { outcome: promise, watch };
    this.#pages.set(own, page);
    return end;
  }

  /** Notes that the response of a key cannot be stored. */
  pass(key: string): void {
    if (this.#passed.size >= mostPassed) this.#passed.clear();
    this.#passed.set(detached(boundedKey(key)), performance.now() + passFor);
  }

  /** Reports whether the response of a key could not be stored a moment ago. */
  isPassed(key: string): boolean {
    const own = boundedKey(key);
    const until = this.#passed.get(own);
    if (until === undefined) return false;
    if (until > performance.now()) return true;
    this.#passed.delete(own);
    return false;
  }
}
