/**
 * Handles store failures. The request fails with 503, and the failure is logged once.
 *
 * Reads and writes can fail independently. If a disk is full or Redis has reached its memory limit, reads still work.
 * An outage of reads ends when a read succeeds, and an outage of writes ends when a write succeeds.
 *
 * @module
 */
import { type ErrorCode, FrameworkError, HTTPError } from "../../base/errors/errors.ts";
import type { Logger } from "../../base/log/logger.ts";
import type { Awaitable } from "./store.ts";
import { TimeLimit } from "./time_limit.ts";

/** An object with a logger, such as a request context. */
export interface Logging {
  Logger(): Logger;
}

/** The time limit for a call, in milliseconds. */
const longestCall = 5000;
/** The minimum time between two log lines, in milliseconds, so that an unstable store does not flood the log. */
const silence = 1000;

/** The state of reads or writes. */
interface Kind {
  /** The number of outages so far. */
  outages: number;
  isDown: boolean;
}

/** Reports whether a result has the right type. */
type Test = (value: unknown) => boolean;

/** Guards the calls to a store. */
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
   * Creates a guard.
   *
   * @param name The store's name in the log, such as `session store`.
   * @param code The code of the error that requests get.
   * @param consequence The consequence of a failure, for the log.
   * @param longest The time limit for a call, in milliseconds.
   */
  constructor(name: string, code: ErrorCode, consequence = "requests get 503", longest: number = longestCall) {
    this.#name = name;
    this.#code = code;
    this.#consequence = consequence;
    this.#longest = longest;
    this.#limit = new TimeLimit(longest);
  }

  /**
   * Calls the store to read. If the call fails, the request fails with 503, because an empty session would log users
   * out.
   *
   * @param log The request, for the log.
   * @param call Calls the store.
   * @param isValid Reports whether the result has the right type. If it has not, the call has failed.
   */
  read<T>(log: Logging | undefined, call: () => Awaitable<T>, isValid?: Test): Awaitable<T>;
  /** Calls a function that takes a key, so that the caller need not create a function for each key. */
  read<T>(log: Logging | undefined, call: (key: string) => Awaitable<T>, isValid: Test, key: string): Awaitable<T>;
  read<T>(log: Logging | undefined, call: (key: string) => Awaitable<T>, isValid?: Test, key = ""): Awaitable<T> {
    return this.#run(this.#reading, log, call, isValid, key);
  }

  /** Calls the store to write. If the call fails, the request fails with 503. */
  write<T>(log: Logging | undefined, call: () => Awaitable<T>, isValid?: Test): Awaitable<T> {
    return this.#run(this.#writing, log, call, isValid);
  }

  #run<T>(
    kind: Kind,
    log: Logging | undefined,
    call: (key: string) => Awaitable<T>,
    isValid: Test = isAny,
    key = "",
  ): Awaitable<T> {
    // If a call from before the outage succeeds late, the outage has not ended.
    const { outages } = kind;
    try {
      const result = call(key);
      if (result instanceof Promise) return this.#later(kind, log, result, isValid);
      if (!isValid(result)) throw wrongType();
      if (kind.isDown) this.#recover(kind, log, outages);
      return result;
    } catch (error) {
      return this.#fail(kind, log, error);
    }
  }

  async #later<T>(kind: Kind, log: Logging | undefined, result: Promise<T>, isValid: Test): Promise<T> {
    const { outages } = kind;
    const { promise, resolve, reject } = Promise.withResolvers<T>();
    const timed = this.#limit.begin(() => reject(new Error(`No response within ${this.#longest} ms`)));
    result.then(resolve, reject);
    try {
      const value = await promise;
      if (!isValid(value)) throw wrongType();
      if (kind.isDown) this.#recover(kind, log, outages);
      return value;
    } catch (error) {
      return this.#fail(kind, log, error);
    } finally {
      this.#limit.end(timed);
    }
  }

  #fail(kind: Kind, log: Logging | undefined, error: unknown): never {
    // A mistake in the application, such as a session that is too large, is not an outage.
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

function isAny(): boolean {
  return true;
}

function wrongType(): TypeError {
  return new TypeError("The store has returned a value of the wrong type");
}
