/**
 * What happens when the store fails: the client is told to come back, and the log is told once.
 *
 * @module
 */
import { type ErrorCode, FrameworkError, HTTPError } from "../base/errors.ts";
import type { Logger } from "../log/logger.ts";
import type { Awaitable } from "./awaitable.ts";

/** Who keeps the log of a request. */
export interface Logging {
  Application(): { Logger(): Logger };
}

/** Watches the calls to one store. */
export class StoreGuard {
  readonly #name: string;
  readonly #code: ErrorCode;
  /** How many outages there have been, the present one included. */
  #count = 0;
  #isNow = false;

  /** The name is for the log, such as `session store`; the code is that of the error that a request gets. */
  constructor(name: string, code: ErrorCode) {
    this.#name = name;
    this.#code = code;
  }

  /** Calls the store. When that fails, the request fails with 503: going on with an empty session would log users out. */
  run<T>(log: Logging | undefined, call: () => Awaitable<T>): Awaitable<T> {
    // A call from before the outage that comes through late does not end it.
    const count = this.#count;
    try {
      const result = call();
      if (!(result instanceof Promise)) {
        if (this.#isNow) this.#end(log, count);
        return result;
      }
      return result.then(
        (value) => {
          if (this.#isNow) this.#end(log, count);
          return value;
        },
        (error) => this.#fail(log, error),
      );
    } catch (error) {
      return this.#fail(log, error);
    }
  }

  #fail(log: Logging | undefined, error: unknown): never {
    // The application's own mistake, such as too large a session: no outage.
    if (error instanceof FrameworkError || error instanceof HTTPError) throw error;
    if (!this.#isNow) {
      this.#isNow = true;
      this.#count++;
      log?.Application().Logger().Error(`Cannot reach the ${this.#name}, requests get 503 until it is back:`, error);
    }
    throw new HTTPError(503, "", { cause: error, Code: this.#code });
  }

  #end(log: Logging | undefined, count: number): void {
    if (count !== this.#count) return;
    this.#isNow = false;
    log?.Application().Logger().Info(`The ${this.#name} is back`);
  }
}
