/**
 * How often a client may guess.
 *
 * @module
 */

import { clientNetwork } from "../../base/addresses.ts";
import { FrameworkError } from "../../base/errors.ts";
import type { Context } from "../../context/context.ts";
import { type Awaitable, goOn } from "../../store/awaitable.ts";
import type { Store } from "../../store/store.ts";
import { StoreGuard } from "../../store/store_guard.ts";

/**
 * Counts tries by the address of the client. Not by the name: else who knows a name could lock its owner out.
 *
 * A try is counted before the password is looked at, so that of any number at the same time no more than allowed are,
 * and taken back when it was right. The others stay: who has an account must not get new tries by logging in to it.
 */
export class Tries {
  readonly #store: Store;
  readonly #max: number;
  readonly #period: number;
  readonly #guard = new StoreGuard("store of login tries", "FW_STORE");

  constructor(store: Store, max: number, period: number) {
    if (!Number.isSafeInteger(max) || max < 1 || !(period > 0)) {
      throw new FrameworkError("FW_CONFIG", `Cannot allow "${max}" tries in "${period}" ms: both must be more than 0`);
    }
    this.#store = store;
    this.#max = max;
    this.#period = period;
  }

  /** Counts a try; false when there were too many. */
  begin(ctx: Context): Awaitable<boolean> {
    const count = this.#guard.write(ctx, () => this.#store.Increment(keyOf(ctx), 1, this.#period));
    return goOn(count, (n) => n <= this.#max);
  }

  /** Takes back a try that was right. */
  succeed(ctx: Context): Awaitable<unknown> {
    return this.#guard.write(ctx, () => this.#store.Increment(keyOf(ctx), -1, this.#period));
  }

  /** How many seconds a client waits at most. */
  get retryAfter(): string {
    return String(Math.ceil(this.#period / 1000));
  }
}

function keyOf(ctx: Context): string {
  return `login:${clientNetwork(ctx.RemoteAddr())}`;
}
