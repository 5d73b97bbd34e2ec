/**
 * The contract of a backplane: it numbers and stores the messages of channels and carries them between processes.
 *
 * @module
 */

import type { Awaitable } from "../store/awaitable.ts";

/** A position in a channel. */
export interface Position {
  /** Identifies one numbering of the channel. A new epoch means that the earlier messages are gone. */
  readonly Epoch: string;
  /** The number of the last message; 0 if there is none. */
  readonly Offset: number;
}

/** A stored message. */
export interface Entry {
  /** Its number, which is one more than that of the message before it. */
  readonly Offset: number;
  /** Its text. */
  readonly Payload: string;
}

/** How much of a channel is stored. */
export interface Retention {
  /** The maximum number of messages; 0 stores none. */
  readonly History: number;
  /** How long messages are stored after the last one, in milliseconds. */
  readonly For: number;
}

/** A part of a channel's history. */
export interface Log extends Position {
  /** The stored messages after the requested offset, in order. */
  readonly Entries: readonly Entry[];
}

/** Receives the messages of one channel. */
export interface Listener {
  /**
   * Called for each message. Messages may be missing; the caller compares offsets.
   *
   * @param epoch The epoch of the message.
   * @param entry The message.
   */
  Receive(epoch: string, entry: Entry): void;
  /** Called if messages may have been missed, for instance after a reconnection. */
  Missed(): void;
}

/**
 * Numbers and stores messages and carries them between the threads, processes or machines of an application.
 *
 * Delivery to listeners may lose messages, {@linkcode Backplane.Read} may not: a listener that finds a hole reads it.
 */
export interface Backplane {
  /** Whether listeners receive every message, as within one process; then their positions need no check. */
  readonly IsLossless: boolean;
  /**
   * Numbers a message, stores it and hands it to all listeners.
   *
   * @param channel The channel.
   * @param payload The message.
   * @param retention How much of the channel is stored.
   * @returns The position of the message. Fails if the message cannot be stored.
   */
  Publish(channel: string, payload: string, retention: Retention): Awaitable<Position>;
  /**
   * Reads stored messages.
   *
   * @param channel The channel.
   * @param after The offset after which to read.
   * @param limit The maximum number of messages.
   * @returns The messages, with the current position of the channel.
   */
  Read(channel: string, after: number, limit: number): Awaitable<Log>;
  /**
   * Begins to deliver the messages of a channel. Each channel has at most one listener per backplane.
   *
   * @param channel The channel.
   * @param listener What receives them.
   */
  Listen(channel: string, listener: Listener): Awaitable<void>;
  /**
   * Ends the delivery of a channel's messages.
   *
   * @param channel The channel.
   */
  Unlisten(channel: string): void;
  /**
   * Renews the lease of a process. Its presence rows are ignored once the lease has expired.
   *
   * @param node The process.
   * @param lifetime How long the lease lasts, in milliseconds.
   */
  Renew(node: string, lifetime: number): Awaitable<void>;
  /**
   * Stores one row of a table.
   *
   * @param table The table.
   * @param node The process that the row belongs to.
   * @param field The name of the row.
   * @param value Its text; `null` removes it.
   */
  Put(table: string, node: string, field: string, value: string | null): Awaitable<void>;
  /**
   * Reads the rows of a table whose processes have a valid lease.
   *
   * @param table The table.
   * @returns The texts by the names of the rows.
   */
  Rows(table: string): Awaitable<ReadonlyMap<string, string>>;
  /**
   * Sets a key unless it exists.
   *
   * @param key The key.
   * @param value Its text.
   * @param lifetime How long it is stored, in milliseconds.
   * @returns `null` if the key was set, else its current text.
   */
  Claim(key: string, value: string, lifetime: number): Awaitable<string | null>;
  /**
   * Sets a key that was claimed.
   *
   * @param key The key.
   * @param value Its text.
   * @param lifetime How long it is stored, in milliseconds.
   */
  Settle(key: string, value: string, lifetime: number): Awaitable<void>;
  /** Closes all connections. */
  Close(): Awaitable<void>;
}
