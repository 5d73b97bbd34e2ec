/**
 * A health check with a time limit.
 *
 * @module
 */

import { FrameworkError } from "../../base/errors/errors.ts";
import { messageOf } from "../../base/errors/to_error.ts";
import { TimeLimit } from "../../state/store/time_limit.ts";

/**
 * Checks a dependency of the application, such as a database. A check fails if it throws, rejects or returns `false`.
 * The signal is aborted if the time limit is exceeded.
 */
export type CheckFunc = (signal: AbortSignal) => unknown;

/** An object that can check itself, such as the manager of `@fw/web/sessions`. */
export interface Checkable {
  /** Runs the check, like a {@linkcode CheckFunc}. The second argument is the time limit, in milliseconds. */
  Check(signal?: AbortSignal, timeout?: number): unknown;
  /** Releases the resources of the check at shutdown. Not needed if the check uses the application's resources. */
  CloseCheck?(): void;
}

/** The result of a check. */
export interface Finding {
  readonly isOK: boolean;
  /** The duration of the check, in milliseconds. */
  readonly latency: number;
  /** The reason for a failure, for the log. */
  readonly reason: string;
}

/** A named check. */
export class NamedCheck {
  readonly name: string;
  readonly #run: CheckFunc;
  readonly #limit: number;
  #isRunning = false;
  #wasOK = true;

  constructor(name: string, check: CheckFunc | Checkable, limit: number) {
    if (typeof check !== "function" && typeof check?.Check !== "function") {
      const state = 'it is neither a function nor an object with a "Check" method';
      throw new FrameworkError("FW_CONFIG", `Cannot use the health check "${name}": ${state}`);
    }
    this.name = name;
    this.#run = typeof check === "function" ? check : (signal) => check.Check(signal, limit);
    this.#limit = limit;
  }

  /** Runs the check. If the previous run has not finished yet, waits for it instead of starting another one. */
  async run(): Promise<Finding> {
    const begin = performance.now();
    const reason = this.#isRunning ? "the previous run has not finished" : await this.#reasonAgainst();
    return { isOK: reason === "", latency: performance.now() - begin, reason };
  }

  /** Reports whether a result differs from the previous one. */
  isNews(finding: Finding): boolean {
    const isNews = finding.isOK !== this.#wasOK;
    this.#wasOK = finding.isOK;
    return isNews;
  }

  async #reasonAgainst(): Promise<string> {
    const late = new AbortController();
    const { promise, resolve } = Promise.withResolvers<string>();
    const limit = new TimeLimit(this.#limit);
    const call = limit.begin(() => {
      resolve(`no result within ${this.#limit} ms`);
      late.abort();
    });
    this.#settle(late.signal).then(resolve);
    try {
      return await promise;
    } finally {
      limit.end(call);
    }
  }

  async #settle(signal: AbortSignal): Promise<string> {
    this.#isRunning = true;
    try {
      return await this.#run(signal) === false ? "the check returned false" : "";
    } catch (error) {
      const message = messageOf(error);
      return message === "" ? "the check failed" : message;
    } finally {
      this.#isRunning = false;
    }
  }
}
