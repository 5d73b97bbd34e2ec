/**
 * Limits the number of wrong passwords per client.
 *
 * @module
 */

import type { Context } from "../../context/context.ts";
import { FrameworkError } from "../../errors/errors.ts";
import type { Store } from "../../store/store.ts";
import { StoreGuard } from "../../store/store_guard.ts";
import { clientNetwork } from "../../text/addresses.ts";

/**
 * Counts login attempts by client address. If attempts were counted by name, anyone who knows a name could lock out the
 * user.
 *
 * An attempt is counted before the password is checked, so concurrent attempts cannot exceed the limit. A successful
 * attempt is subtracted again, but failed attempts are not. Otherwise, a client with an account could reset the count
 * by logging in.
 */
export class Tries {
  readonly #store: Store;
  readonly #max: number;
  readonly #period: number;
  readonly #guard = new StoreGuard("login attempt store", "FW_STORE");

  constructor(store: Store, max: number, period: number) {
    if (!Number.isSafeInteger(max) || max < 1 || !(period > 0)) {
      throw new FrameworkError(
        "FW_CONFIG",
        `Cannot allow "${max}" tries in "${period}" ms: both must be positive, and the number of tries an integer`,
      );
    }
    this.#store = store;
    this.#max = max;
    this.#period = period;
  }

  /** Counts an attempt. Returns `false` if the limit is exceeded. */
  async begin(ctx: Context): Promise<boolean> {
    return await this.#guard.write(ctx, () => this.#store.Increment(keyOf(ctx), 1, this.#period)) <= this.#max;
  }

  /** Subtracts a successful attempt. */
  async succeed(ctx: Context): Promise<void> {
    await this.#guard.write(ctx, () => this.#store.Increment(keyOf(ctx), -1, this.#period));
  }

  /** Returns the maximum waiting time in seconds, for the `Retry-After` header. */
  get retryAfter(): string {
    return String(Math.ceil(this.#period / 1000));
  }
}

function keyOf(ctx: Context): string {
  return `login:${clientNetwork(ctx.RemoteAddr())}`;
}
