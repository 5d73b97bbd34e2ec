/**
 * What happens when a store fails: the client is told to come back, and the log is told once.
 *
 * Reading and writing fail apart: a full disk, or a Redis at its memory limit, still reads. An outage is over when all
 * that failed in it succeeds again; a call of the other kind says nothing.
 *
 * @module
 */
import { type ErrorCode, FrameworkError, HTTPError } from "../base/errors.ts";
import type { Logger } from "../log/logger.ts";
import type { Awaitable } from "./awaitable.ts";
import { TimeLimit } from "./time_limit.ts";

/** What has a log: a request. */
export interface Logging {
  Logger(): Logger;
}

/** How long a call may take before it counts as failed, in milliseconds. */
const longestCall = 5000;
/** How long the log is silent after a line, in milliseconds: a store that comes and goes must not fill it. */
const silence = 1000;

/** One kind of call: reading or writing. */
interface Kind {
  /** How often calls of this kind began to fail. */
  outages: number;
  isDown: boolean;
}

/** Watches the calls to one store. */
export class StoreGuard {
  readonly #name: string;
  readonly #code: ErrorCode;
  readonly #consequence: string;
  readonly #reading: Kind = { outages: 0, isDown: false };
  readonly #writing: Kind = { outages: 0, isDown: false };
  readonly #longest: number;
  readonly #limit: TimeLimit;
  #isLogged = false;
  #silentUntil = 0;

  /**
   * The name is for the log, such as `session store`, and so is what becomes of requests meanwhile; the code is that of
   * the error that a request gets; the longest call is in milliseconds.
   */
  constructor(name: string, code: ErrorCode, consequence = "requests get 503", longest: number = longestCall) {
    this.#name = name;
    this.#code = code;
    this.#consequence = consequence;
    this.#longest = longest;
    this.#limit = new TimeLimit(longest);
  }

  /** Calls the store to read. When that fails, the request fails with 503: an empty session would log users out. */
  read<T>(log: Logging | undefined, call: () => Awaitable<T>): Awaitable<T> {
    return this.#run(this.#reading, log, call);
  }

  /** Calls the store to write, with the same consequence. */
  write<T>(log: Logging | undefined, call: () => Awaitable<T>): Awaitable<T> {
    return this.#run(this.#writing, log, call);
  }

  #run<T>(kind: Kind, log: Logging | undefined, call: () => Awaitable<T>): Awaitable<T> {
    // A call from before the outage that comes through late does not end it.
    const { outages } = kind;
    try {
      const result = call();
      if (result instanceof Promise) return this.#later(kind, log, result);
      if (kind.isDown) this.#recover(kind, log, outages);
      return result;
    } catch (error) {
      return this.#fail(kind, log, error);
    }
  }

  async #later<T>(kind: Kind, log: Logging | undefined, result: Promise<T>): Promise<T> {
    const { outages } = kind;
    const { promise, resolve, reject } = Promise.withResolvers<T>();
    const timed = this.#limit.begin(() => reject(new Error(`No reply within ${this.#longest} ms`)));
    result.then(resolve, reject);
    try {
      const value = await promise;
      if (kind.isDown) this.#recover(kind, log, outages);
      return value;
    } catch (error) {
      return this.#fail(kind, log, error);
    } finally {
      this.#limit.end(timed);
    }
  }

  #fail(kind: Kind, log: Logging | undefined, error: unknown): never {
    // The application's own mistake, such as too large a session: not an outage.
    if (error instanceof FrameworkError || error instanceof HTTPError) throw error;
    if (!kind.isDown) {
      kind.isDown = true;
      kind.outages++;
    }
    if (!this.#isLogged && log !== undefined && performance.now() >= this.#silentUntil) {
      this.#isLogged = true;
      const act = kind === this.#reading ? "reach" : "write to";
      log.Logger().Error(
        `Cannot ${act} the ${this.#name}, ${this.#consequence} until it is back:`,
        error,
      );
    }
    throw new HTTPError(503, "", { cause: error, Code: this.#code });
  }

  #recover(kind: Kind, log: Logging | undefined, outages: number): void {
    if (outages !== kind.outages) return;
    kind.isDown = false;
    if (this.#reading.isDown || this.#writing.isDown || !this.#isLogged) return;
    this.#isLogged = false;
    this.#silentUntil = performance.now() + silence;
    log?.Logger().Info(`The ${this.#name} is back`);
  }
}
