/**
 * The lease of the process that writes a conversation's answer. If the process ends, its lease expires.
 *
 * @module
 */

import { startShared } from "../../base/async/shared_timer.ts";
import type { InnerHub } from "../hub/inner_hub.ts";

/** The lease of one conversation. Its value is the ID of the answer that is being written. */
export class AnswerLease {
  readonly #hub: InnerHub;
  readonly #key: string;
  readonly #lifetime: number;

  constructor(hub: InnerHub, conversation: string, lifetime: number) {
    this.#hub = hub;
    this.#key = `answer:${conversation}`;
    this.#lifetime = lifetime;
  }

  /**
   * Takes the lease.
   *
   * @param run The ID of the answer.
   * @returns `null`, or the ID of the answer that another process is writing.
   */
  async claim(run: string): Promise<string | null> {
    return await this.#hub.backplane.Claim(this.#key, run, this.#lifetime);
  }

  /** Renews the lease until the returned function is called. */
  keep(run: string): () => void {
    const renew = () => this.#settle(run, "Cannot renew the lease of an answer yet:");
    return startShared(() => setInterval(renew, this.#lifetime / 3));
  }

  /** Gives the lease up. If that fails, it expires. */
  async release(): Promise<void> {
    await this.#settle(null, "Cannot release an answer:");
  }

  async #settle(run: string | null, failure: string): Promise<void> {
    try {
      await this.#hub.backplane.Settle(this.#key, run, run === null ? 0 : this.#lifetime);
    } catch (error) {
      this.#hub.report(failure, error);
    }
  }
}
