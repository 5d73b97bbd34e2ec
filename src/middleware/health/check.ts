/**
 * One check of something that the application needs, with a time limit.
 *
 * @module
 */

import { messageOf } from "../../base/to_error.ts";

/**
 * Finds out whether something that the application needs is there: it fails by throwing, by a rejected promise or by
 * returning `false`. The signal is aborted when the time is up.
 */
export type CheckFunc = (signal: AbortSignal) => unknown;

/** Something that can be checked by itself, such as the manager of `@fw/web/sessions`. */
export interface Checkable {
  /** Finds out whether it works, as a {@linkcode CheckFunc} does. */
  Check(signal?: AbortSignal): unknown;
  /** Lets go of what the check holds, at shutdown; a check that shares something with the application has none. */
  CloseCheck?(): void;
}

/** What a check found. */
export interface Finding {
  readonly isOK: boolean;
  /** How long it took, in milliseconds. */
  readonly latency: number;
  /** What is wrong, for the log. */
  readonly reason: string;
}

/** A check by its name. */
export class NamedCheck {
  readonly name: string;
  readonly #run: CheckFunc;
  readonly #limit: number;
  #isRunning = false;
  #wasOK = true;

  constructor(name: string, check: CheckFunc | Checkable, limit: number) {
    this.name = name;
    this.#run = typeof check === "function" ? check : (signal) => check.Check(signal);
    this.#limit = limit;
  }

  /** Runs the check. One that did not end last time is not started again: they would pile up. */
  async run(): Promise<Finding> {
    const begin = performance.now();
    const reason = this.#isRunning ? "the last one has not ended yet" : await this.#reasonAgainst();
    return { isOK: reason === "", latency: performance.now() - begin, reason };
  }

  /** Reports whether a finding is another than the last one. */
  isNews(finding: Finding): boolean {
    const isNews = finding.isOK !== this.#wasOK;
    this.#wasOK = finding.isOK;
    return isNews;
  }

  async #reasonAgainst(): Promise<string> {
    const late = new AbortController();
    const { promise, resolve } = Promise.withResolvers<string>();
    const timer = setTimeout(() => {
      resolve(`it took longer than ${this.#limit} ms`);
      late.abort();
    }, this.#limit);
    this.#settle(late.signal).then(resolve);
    try {
      return await promise;
    } finally {
      clearTimeout(timer);
    }
  }

  async #settle(signal: AbortSignal): Promise<string> {
    this.#isRunning = true;
    try {
      return await this.#run(signal) === false ? "it returned false" : "";
    } catch (error) {
      const message = messageOf(error);
      return message === "" ? "it failed" : message;
    } finally {
      this.#isRunning = false;
    }
  }
}
