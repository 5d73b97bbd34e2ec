/**
 * Protocol sessions. A client receives a session ID and sends it with all further messages.
 *
 * A session grants no permissions. Every call is authorized by the caller's own credentials. A session belongs to the
 * user who started it. For everyone else, it does not exist.
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
    await this.#write(ctx, id, { version, owner: await ownerOf(ctx) });
    return id;
  }

  /**
   * Reports whether the caller's session exists, and extends its lifetime. A session that was started before the login
   * belongs to the first user who continues it.
   */
  async touch(ctx: Context, id: string): Promise<boolean> {
    const session = await this.#find(ctx, id);
    if (session !== undefined) await this.#write(ctx, id, session);
    return session !== undefined;
  }

  /** Ends the caller's session. Reports whether it existed. */
  async end(ctx: Context, id: string): Promise<boolean> {
    if (await this.#find(ctx, id) === undefined) return false;
    return await this.#guard.write(ctx, () => this.#store.Delete(keyOf(id)));
  }

  async #find(ctx: Context, id: string): Promise<Session | undefined> {
    const stored = await this.#guard.read(ctx, () => this.#store.Get(keyOf(id)));
    if (typeof stored !== "string") return undefined;
    const [version = "", owner = ""] = stored.split(" ");
    const caller = await ownerOf(ctx);
    return owner === "" || owner === caller ? { version, owner: caller } : undefined;
  }

  async #write(ctx: Context, id: string, { version, owner }: Session): Promise<void> {
    await this.#guard.write(ctx, () => this.#store.Set(keyOf(id), `${version} ${owner}`, this.#idle));
  }
}

interface Session {
  readonly version: string;
  /** The digest of the user, or an empty string if there is none. */
  readonly owner: string;
}

/**
 * Returns a digest of the caller: the user whom a guard of the endpoint has authenticated, or the credentials that only
 * the guards of the tools check.
 */
async function ownerOf(ctx: Context): Promise<string> {
  const user = ctx.User();
  const caller = user === undefined
    ? ctx.GetHeader("authorization")
    : JSON.stringify([user.Method, user.Claims?.["iss"] ?? "", user.ID]);
  if (caller === "") return "";
  const digest = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(caller));
  return new Uint8Array(digest).toBase64();
}

function keyOf(id: string): string {
  return `mcp:${id}`;
}
