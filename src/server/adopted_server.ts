/**
 * Lives with a server that `deno serve` runs: Deno opens and closes it, the application has its tasks and its guard.
 *
 * @module
 */

import { type Deadlines, type Drainable, Lifetime, type LifetimeOptions, type ServerEnding } from "./lifetime.ts";
import type { Running } from "./serve.ts";
import { waitAtMost } from "./wait.ts";

/** How an application lives with a server of Deno's. */
export interface AdoptOptions extends LifetimeOptions {
  /** Returns a promise that resolves when no request is under way. */
  readonly drained: () => Promise<void>;
}

/**
 * Begins the life of an application that is served by `deno serve`.
 *
 * @param options How it lives and stops.
 * @returns What stops it. Deno itself finishes the requests under way on SIGINT and SIGTERM.
 */
export function adopt(options: AdoptOptions): Running {
  return new Adopted(options);
}

class Adopted implements Running, Drainable {
  readonly url = "deno serve";
  readonly finished: Promise<ServerEnding>;
  readonly #options: AdoptOptions;
  readonly #lifetime: Lifetime;

  constructor(options: AdoptOptions) {
    this.#options = options;
    this.#lifetime = new Lifetime(this, options);
    this.finished = this.#lifetime.finished;
  }

  async shutdown(): Promise<void> {
    this.#lifetime.begin();
    await this.finished;
  }

  remove(): void {}

  async drain(deadlines: Deadlines, tell: () => Promise<void>): Promise<boolean> {
    const told = tell();
    const drained = Promise.all([told, this.#options.closeSockets?.(deadlines.cut), this.#options.drained()]);
    if (await waitAtMost(drained, deadlines.cut - performance.now())) return true;
    this.#options.onCut?.();
    return false;
  }
}
