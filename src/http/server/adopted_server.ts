/**
 * Attaches the application to a server that was started by `deno serve`. Deno opens and closes the server. The
 * application runs its shutdown tasks and handles unhandled rejections.
 *
 * @module
 */

import { type Deadlines, type Drainable, Lifetime, type LifetimeOptions, type ServerEnding } from "./lifetime.ts";
import type { Running } from "./serve.ts";
import { waitAtMost } from "./wait.ts";

/** Options for {@linkcode adopt}. */
export interface AdoptOptions extends LifetimeOptions {
  /** Returns a promise that resolves when no request is in flight. */
  readonly drained: () => Promise<void>;
}

/**
 * Attaches an application to the server of `deno serve`.
 *
 * @param options The options.
 * @returns A handle for stopping the application. On SIGINT and SIGTERM, Deno itself drains the requests in flight.
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
