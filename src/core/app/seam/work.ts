/**
 * Background work of extensions. Work that fails starts again, and work that does not end is given up.
 *
 * @module
 */

import { isThenable } from "../../../base/async/thenable.ts";
import type { Logger } from "../../../base/log/logger.ts";
import { waitAtMost } from "../../../http/server/wait.ts";
import type { RunOptions } from "../../context/extension.ts";
import type { Work } from "../record/registry.ts";

const FIRST_DELAY_MS = 1_000;
const LONGEST_DELAY_MS = 60_000;

/** Work that starts again after a failure, until a shutdown begins. */
export class SupervisedWork implements Work {
  readonly #name: string;
  readonly #work: (signal: AbortSignal) => unknown;
  readonly #options: RunOptions;
  readonly #logger: Logger;
  readonly #limit: () => number;
  #stop: AbortController | undefined = undefined;
  #running: Promise<void> | undefined = undefined;
  #failure: unknown = undefined;
  #wake: (() => void) | undefined = undefined;
  #drained: Promise<void> | undefined = undefined;
  /** Throws the error of work that has failed. Each work has its own function, which health endpoints recognize. */
  readonly check: () => void;

  /**
   * Records work without starting it.
   *
   * @param name The name of the extension, for the log.
   * @param work The work.
   * @param options The callbacks for a shutdown.
   * @param logger The logger.
   * @param limit Returns the time limit for the disposal, in milliseconds.
   */
  constructor(
    name: string,
    work: (signal: AbortSignal) => unknown,
    options: RunOptions,
    logger: Logger,
    limit: () => number,
  ) {
    this.#name = name;
    this.#work = work;
    this.#options = options;
    this.#logger = logger;
    this.#limit = limit;
    this.check = () => {
      if (this.#failure !== undefined) throw this.#failure;
    };
  }

  /** Returns the error of work that has failed and has not started again. */
  get failure(): unknown {
    return this.#failure;
  }

  start(): void {
    if (this.#stop !== undefined && !this.#stop.signal.aborted) return;
    this.#stop = new AbortController();
    this.#drained = this.#failure = undefined;
    this.#running = this.#supervise(this.#stop.signal);
  }

  interrupt(): void {
    this.#stop?.abort();
    this.#wake?.();
  }

  drain(until: number): Promise<void> {
    if (this.#running === undefined) return Promise.resolve();
    return this.#drained ??= this.#drain(until);
  }

  async dispose(): Promise<void> {
    this.interrupt();
    this.#running = undefined;
    const disposed = attempt(this.#options.Dispose);
    if (!await waitAtMost(this.#reported(disposed, "dispose of"), this.#limit())) this.#giveUp("disposed of");
  }

  async #drain(until: number): Promise<void> {
    const { Drain } = this.#options;
    const drained = Drain === undefined ? this.#running : attempt(() => Drain(until));
    if (await waitAtMost(this.#reported(drained, "drain"), until - performance.now())) return;
    this.#giveUp("drained");
  }

  #giveUp(act: string): void {
    this.#logger.Warn(`The work of the extension "${this.#name}" was not ${act} in time`);
  }

  /** Waits for a promise and logs its failure. */
  async #reported(promise: unknown, act: string): Promise<void> {
    try {
      await promise;
    } catch (error) {
      this.#logger.Error(`Cannot ${act} the work of the extension "${this.#name}":`, error);
    }
  }

  async #supervise(signal: AbortSignal): Promise<void> {
    for (let delay = FIRST_DELAY_MS; !signal.aborted; delay = Math.min(delay * 2, LONGEST_DELAY_MS)) {
      const started = performance.now();
      try {
        const working = this.#work(signal);
        if (isThenable(working)) await working;
        this.#failure = undefined;
        return;
      } catch (error) {
        if (signal.aborted) return;
        this.#failure = error ?? new Error("The work has failed");
        this.#logger.Error(`The work of the extension "${this.#name}" has failed and starts again:`, error);
      }
      // Work that has run for a long time has recovered from its earlier failures.
      if (performance.now() - started > LONGEST_DELAY_MS) delay = FIRST_DELAY_MS;
      await this.#sleep(delay);
      this.#failure = undefined;
    }
  }

  #sleep(ms: number): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, ms);
      this.#wake = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }
}

/** Calls a function, so that it rejects instead of throwing. */
async function attempt(call: (() => unknown) | undefined): Promise<void> {
  await call?.();
}
