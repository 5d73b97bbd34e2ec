/**
 * Redis clients for the tests. An application creates and closes its clients in the same way.
 *
 * @module
 */

import { createClient, type RedisClientType } from "npm:@redis/client@^5";

/** A store or backplane that can be closed. */
interface Closable {
  Close?(): unknown;
}

const pause = 50;

/** The attempts of a client to connect. */
interface Attempts {
  isClosed: boolean;
  /** Settled when the client has no timer anymore. */
  readonly pending: Promise<unknown>[];
}

const attempts = new WeakMap<RedisClientType, Attempts>();

/** Creates a client that connects in the background, and reconnects quickly. */
export function newClient(url: string): RedisClientType {
  const state: Attempts = { isClosed: false, pending: [] };
  const reconnectStrategy = () => {
    if (state.isClosed) return false;
    state.pending[1] = new Promise((resolve) => setTimeout(resolve, pause));
    return pause;
  };
  const client = createClient({ url, socket: { reconnectStrategy } }) as unknown as RedisClientType;
  client.on("error", ignore);
  state.pending[0] = client.connect().catch(ignore);
  attempts.set(client, state);
  return client;
}

/** Closes a client. It may be waiting for its next attempt to connect. */
export async function closeClient(client: RedisClientType): Promise<void> {
  const state = attempts.get(client);
  if (state !== undefined) state.isClosed = true;
  if (client.isOpen) client.destroy();
  await Promise.all(state?.pending ?? []);
}

/**
 * Opens a store or a backplane with a separate client. Closing it also closes the client.
 *
 * @param url The URL of the server.
 * @param open Creates the store or the backplane.
 */
export function withClient<T extends Closable>(url: string, open: (client: RedisClientType) => T): T {
  const client = newClient(url);
  const opened = open(client);
  const close = opened.Close?.bind(opened);
  opened.Close = async () => {
    await close?.();
    await closeClient(client);
  };
  return opened;
}

function ignore(): void {}
