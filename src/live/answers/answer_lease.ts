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
    return startShared(() => setInterval(() => this.#renew(run), this.#lifetime / 3));
  }

  /** Gives the lease up. If that fails, it expires. */
  async release(): Promise<void> {
    try {
      await this.#hub.backplane.Settle(this.#key, null, 0);
    } catch (error) {
      this.#hub.report("Cannot release an answer:", error);
    }
  }

  async #renew(run: string): Promise<void> {
    try {
      await this.#hub.backplane.Settle(this.#key, run, this.#lifetime);
    } catch (error) {
      this.#hub.report("Cannot renew the lease of an answer yet:", error);
    }
  }
}
