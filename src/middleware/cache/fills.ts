/**
 * Tracks responses in progress that other requests are waiting for.
 *
 * @module
 */

import { joinBytes } from "../../http/response/draft_body.ts";
import { RecentMap } from "../../base/data/recent_map.ts";
import { boundedKey, detached } from "../../state/store/store.ts";
import { TimeLimit } from "../../state/store/time_limit.ts";
import { observed } from "../observed_stream.ts";
import type { CachedResponse } from "./cached_response.ts";

/** The time for which requests do not wait for each other after a response could not be stored, in milliseconds. */
const passFor = 5000;
const mostPassed = 10_000;

/** The result of a fill. This is the response if it was stored. */
type Outcome = CachedResponse | undefined;

/** A response that is being created. */
interface Page {
  /** The request of the call that creates the response, or `undefined` for a renewal. */
  readonly call: Request | undefined;
  readonly outcome: Promise<Outcome>;
  /**
   * Called once if other requests are waiting. Watching the client's connection costs 22 µs, so it is only done in that
   * case.
   */
  watch: (() => void) | undefined;
}

/**
 * The responses in progress of one cache. Long keys are replaced by digests, because clients can choose their length.
 */
export class Fills {
  readonly #pages = new Map<string, Page>();
  readonly #passed = new RecentMap<true>({ most: mostPassed, lifetime: passFor });
  readonly #limit: TimeLimit;

  /** Creates the list with the maximum waiting time, in milliseconds. */
  constructor(longestWait: number) {
    this.#limit = new TimeLimit(longestWait);
  }

  /** Reports whether a response is in progress. */
  has(key: string): boolean {
    return this.#pages.has(boundedKey(key));
  }

  /** Reports whether a call is creating the response itself, so that waiting for it would never end. */
  isOwn(key: string, call: Request): boolean {
    return this.#pages.get(boundedKey(key))?.call === call;
  }

  /** Returns the result of the fill in progress, or `undefined` if there is none. */
  outcome(key: string): Promise<Outcome> | undefined {
    const page = this.#pages.get(boundedKey(key));
    page?.watch?.();
    if (page !== undefined) page.watch = undefined;
    return page?.outcome;
  }

  /**
   * Starts a fill. Other requests for the key wait until the fill ends or the maximum waiting time has passed, so a
   * hanging request cannot block them forever.
   *
   * @param key The key.
   * @param call The request of the call, unless the response is renewed.
   * @param watch Called if other requests are waiting. It should end the fill if its client disconnects.
   * @returns The function that ends the fill.
   */
  begin(key: string, call?: Request, watch?: () => void): (outcome?: CachedResponse) => void {
    const own = detached(boundedKey(key));
    const { promise, resolve } = Promise.withResolvers<Outcome>();
    const timed = this.#limit.begin(() => end());
    const end = (outcome?: CachedResponse) => {
      this.#limit.end(timed);
      if (this.#pages.get(own) === page) this.#pages.delete(own);
      resolve(outcome);
    };
    const page = { call, outcome: promise, watch };
    this.#pages.set(own, page);
    return end;
  }

  /** Records that the response for a key cannot be stored. */
  pass(key: string): void {
    this.#passed.set(detached(boundedKey(key)), true);
  }

  /** Reports whether storing the response for a key has failed recently. */
  isPassed(key: string): boolean {
    return this.#passed.get(boundedKey(key)) !== undefined;
  }
}

/** A byte stream. */
type ByteStream = ReadableStream<Uint8Array<ArrayBuffer>>;

/**
 * Collects the bytes of a stream while they are sent to the client, without delaying them.
 *
 * @param stream The stream.
 * @param limit The maximum number of bytes to collect.
 * @param done Called once with all bytes, or with `undefined` if the limit is exceeded or the stream fails.
 * @returns A stream with the same bytes.
 */
export function collect(
  stream: ByteStream,
  limit: number,
  done: (bytes: Uint8Array<ArrayBuffer> | undefined) => void,
): ByteStream {
  let chunks: Uint8Array<ArrayBuffer>[] | undefined = [];
  let length = 0;
  const end = (isWhole: boolean) => {
    if (chunks !== undefined) done(isWhole ? joinBytes(chunks) : undefined);
    chunks = undefined;
  };
  return observed(stream, {
    chunk(value) {
      length += value.length;
      if (length > limit) end(false);
      chunks?.push(value.slice());
    },
    ended: (how) => end(how === "read"),
  });
}
