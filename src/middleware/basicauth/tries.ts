/**
 * Limits the number of wrong passwords per client.
 *
 * @module
 */

import { isCounter } from "../../state/store/store_results.ts";
import type { Context } from "../../core/context/context.ts";
import type { Awaitable, Store } from "../../state/store/store.ts";
import { StoreGuard } from "../../state/store/store_guard.ts";
import { clientNetwork } from "../../base/text/addresses.ts";

/** The result of an attempt that was refused without checking the password. */
export const tooMany = "too many tries";

/** The attempts of one client in this thread. */
interface Attempts {
  /** The number of attempts in flight. */
  running: number;
  /** Starts the attempts that wait for those in flight. */
  readonly waiting: (() => void)[];
}

/**
 * Counts login attempts by client address. If attempts were counted by name, anyone who knows a name could lock out the
 * user.
 *
 * An attempt is counted before the password is checked, so concurrent attempts cannot exceed the limit. It is
 * subtracted again unless the password is wrong. Wrong passwords are not subtracted after a login. Otherwise, a client
 * with an account could reset the count by logging in.
 */
export class Tries {
  readonly #store: Store;
  readonly #max: number;
  readonly #period: number;
  readonly #guard = new StoreGuard("login attempt store", "FW_STORE");
  readonly #attempts = new Map<string, Attempts>();

  constructor(store: Store, max: number, period: number) {
    this.#store = store;
    this.#max = max;
    this.#period = period;
  }

  /**
   * Checks a password, unless the client has sent too many wrong ones.
   *
   * @param ctx The request context.
   * @param check Returns `undefined` if the password is wrong.
   */
  async attempt<T>(ctx: Context, check: () => Awaitable<T | undefined>): Promise<T | undefined | typeof tooMany> {
    const key = keyOf(ctx);
    const attempts = this.#attempts.get(key) ?? { running: 0, waiting: [] };
    this.#attempts.set(key, attempts);
    while (attempts.running >= this.#max) await turnOf(attempts);
    attempts.running++;
    try {
      return await this.#begin(ctx, key, attempts) ? await this.#finish(ctx, key, check) : tooMany;
    } finally {
      attempts.running--;
      const next = attempts.waiting.shift();
      if (next !== undefined) next();
      else if (attempts.running === 0) this.#attempts.delete(key);
    }
  }

  /** Counts an attempt. Returns `false` if the client has sent too many wrong passwords. */
  async #begin(ctx: Context, key: string, attempts: Attempts): Promise<boolean> {
    for (;;) {
      const count = await this.#add(ctx, key, 1);
      if (count <= this.#max) return true;
      const isOver = count - attempts.running >= this.#max;
      await this.#add(ctx, key, -1);
      if (isOver) return false;
      // The passwords that are being checked may be correct. A page often sends many requests at once.
      if (attempts.running === 1) continue;
      attempts.running--;
      await turnOf(attempts);
      attempts.running++;
    }
  }

  /** Checks the password, and subtracts the attempt unless the password is wrong. */
  async #finish<T>(ctx: Context, key: string, check: () => Awaitable<T | undefined>): Promise<T | undefined> {
    let isWrong = false;
    try {
      const found = await check();
      isWrong = found === undefined;
      return found;
    } finally {
      if (!isWrong) await this.#add(ctx, key, -1);
    }
  }

  async #add(ctx: Context, key: string, n: number): Promise<number> {
    return await this.#guard.write(ctx, () => this.#store.Increment(key, n, this.#period), isCounter);
  }
}

/** Waits until an attempt has ended. */
function turnOf({ waiting }: Attempts): Promise<void> {
  return new Promise((resolve) => waiting.push(resolve));
}

function keyOf(ctx: Context): string {
  return `login:${clientNetwork(ctx.RemoteAddr())}`;
}
