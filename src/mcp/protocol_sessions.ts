/**
 * Protocol sessions. A client receives a session ID and sends it with all further messages.
 *
 * A session grants no permissions. Every call is authorized by the caller's own credentials.
 *
 * @module
 */

import type { Context } from "../context/context.ts";
import { NewMemory } from "../store/memory.ts";
import type { Store } from "../store/store.ts";
import { StoreGuard } from "../store/store_guard.ts";
import type { SessionOptions } from "./options.ts";

const halfAnHour = 30 * 60 * 1000;

/** The sessions of one endpoint. */
export class ProtocolSessions {
  readonly #store: Store;
  readonly #idle: number;
  readonly #guard = new StoreGuard("store of MCP sessions", "FW_STORE");

  constructor({ Store = NewMemory(), Idle = halfAnHour }: SessionOptions) {
    this.#store = Store;
    this.#idle = Idle;
  }

  /** Starts a session. */
  async begin(ctx: Context, version: string): Promise<string> {
    const id = crypto.randomUUID();
    await this.#guard.write(ctx, () => this.#store.Set(keyOf(id), version, this.#idle));
    return id;
  }

  /** Reports whether a session exists, and extends its lifetime. */
  async touch(ctx: Context, id: string): Promise<boolean> {
    const version = await this.#guard.read(ctx, () => this.#store.Get(keyOf(id)));
    if (version === null) return false;
    await this.#guard.write(ctx, () => this.#store.Set(keyOf(id), version, this.#idle));
    return true;
  }

  /** Ends a session. Reports whether the session existed. */
  async end(ctx: Context, id: string): Promise<boolean> {
    return await this.#guard.write(ctx, () => this.#store.Delete(keyOf(id)));
  }
}

function keyOf(id: string): string {
  return `mcp:${id}`;
}
