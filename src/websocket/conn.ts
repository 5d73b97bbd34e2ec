/**
 * A connection as handlers see it.
 *
 * @module
 */

import type { Context } from "../context/context.ts";
import type { User } from "../context/user.ts";
import type { Session } from "../sessions/session.ts";
import type { Awaitable } from "../store/awaitable.ts";

/** Events by name, with the type of their data. */
// deno-lint-ignore no-explicit-any
export type Events = Record<string, any>;

/** Sends events to everyone in a room. */
export interface RoomEmitter<E = Events> {
  /**
   * Sends an event to every connection in the room, in all processes.
   *
   * @param event The event name.
   * @param data The data, sent as JSON.
   * @returns A promise if the backplane is not in this process. It fails if the message could not be published.
   */
  Emit<K extends keyof E & string>(event: K, data: E[K]): Awaitable<void>;
}

/** One client, connected to one namespace. */
export interface Conn<E = Events> {
  /** Identifies the connection. */
  readonly ID: string;
  /** The namespace; empty for the default one. */
  readonly Namespace: string;
  /** Whether the connection has ended. */
  readonly IsClosed: boolean;
  /**
   * Sends an event to the client: in order, at most once.
   *
   * @param event The event name.
   * @param data The data, sent as JSON; bytes are sent as they are.
   */
  Emit<K extends keyof E & string>(event: K, data?: E[K]): void;
  /**
   * Sends an event to the client and waits for its reply.
   *
   * @param event The event name.
   * @param data The data.
   * @param timeout The time limit in milliseconds; the server's `AskTimeout` by default.
   * @returns The reply. Fails with the client's error, if the time is up or if the connection ends.
   */
  Ask(event: string, data?: unknown, timeout?: number): Promise<unknown>;
  /**
   * Sends a message outside of the event protocol.
   *
   * @param data Text or bytes.
   */
  Send(data: string | Uint8Array<ArrayBuffer>): void;
  /**
   * Joins a room. A client that has reconnected first receives the stored messages that it has missed.
   *
   * @param room The room.
   * @returns A promise that resolves when messages of the room are received.
   */
  Join(room: string): Promise<void>;
  /**
   * Leaves a room.
   *
   * @param room The room.
   */
  Leave(room: string): Promise<void>;
  /**
   * Lists the rooms that the connection is in.
   *
   * @returns Their names.
   */
  Rooms(): string[];
  /**
   * Addresses a room.
   *
   * @param room The room; the connection need not be in it.
   * @returns What sends to it. A sender that is in the room receives the event too.
   */
  To(room: string): RoomEmitter<E>;
  /**
   * Returns the request of the handshake.
   *
   * @returns The context. Its response has been sent.
   */
  Context(): Context;
  /**
   * Returns the authenticated user.
   *
   * @returns The user; `undefined` if the handshake was not authenticated.
   */
  User(): User | undefined;
  /**
   * Returns the session of the handshake, as it was then.
   *
   * @returns The session; `null` if there is none or the server has no option `Sessions`.
   */
  Session(): Session | null;
  /**
   * Closes the connection.
   *
   * @param code The close code, 1000 or 3000 to 4999.
   * @param reason The reason, at most 123 bytes.
   */
  Close(code?: number, reason?: string): void;
}
