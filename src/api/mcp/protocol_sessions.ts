/**
 * Protocol sessions. A client receives a session ID and sends it with all further messages.
 *
 * A session grants no permissions. Every call is authorized by the caller's own credentials. A session belongs to the
 * user who started it. For everyone else, it does not exist.
 *
 * @module
 */

import { isBoolean, isText } from "../../state/store/store_results.ts";
import type { Context } from "../../core/context/context.ts";
import { NewMemory } from "../../state/store/memory.ts";
import type { Store } from "../../state/store/store.ts";
import { StoreGuard } from "../../state/store/store_guard.ts";
import { toJSON } from "../../base/text/json.ts";
import { callerDigest } from "./request_state.ts";
import type { SessionOptions } from "./options.ts";
import type { Client } from "./wire/revisions.ts";

const halfAnHour = 30 * 60 * 1000;

/** A protocol session. */
export interface Session {
  readonly version: string;
  /** The digest of the caller, or an empty string if there is none. */
  readonly owner: string;
  readonly client: Client;
  /** The URIs of the resources that the client has subscribed to. */
  readonly uris: readonly string[];
}

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
  async begin(ctx: Context, version: string, client: Client): Promise<string> {
    const id = crypto.randomUUID();
    await this.write(ctx, id, { version, owner: await callerDigest(ctx), client, uris: [] });
    return id;
  }

  /**
   * Returns the caller's session, and extends its lifetime. A session that was started before the login belongs to the
   * first user who continues it.
   */
  async touch(ctx: Context, id: string): Promise<Session | undefined> {
    const session = await this.find(ctx, id);
    if (session !== undefined) await this.write(ctx, id, session);
    return session;
  }

  /** Ends the caller's session. Reports whether it existed. */
  async end(ctx: Context, id: string): Promise<boolean> {
    if (await this.find(ctx, id) === undefined) return false;
    return await this.#guard.write(ctx, () => this.#store.Delete(keyOf(id)), isBoolean);
  }

  /** Returns the caller's session. */
  async find(ctx: Context, id: string): Promise<Session | undefined> {
    const stored = await this.#guard.read(ctx, () => this.#store.Get(keyOf(id)), isText);
    if (typeof stored !== "string") return undefined;
    const session: Session = JSON.parse(stored);
    const caller = await callerDigest(ctx);
    return session.owner === "" || session.owner === caller ? { ...session, owner: caller } : undefined;
  }

  /** Stores a session. */
  async write(ctx: Context, id: string, session: Session): Promise<void> {
    await this.#guard.write(ctx, () => this.#store.Set(keyOf(id), toJSON(session), this.#idle));
  }
}

function keyOf(id: string): string {
  return `mcp:${id}`;
}
