/**
 * The interface of backplanes. A backplane numbers and stores the messages of channels and delivers them to all
 * processes.
 *
 * @module
 */

import type { Awaitable } from "../../state/store/store.ts";

/** A position in a channel. */
export interface Position {
  /** The identifier of the channel's numbering. A new epoch means that earlier messages are lost. */
  readonly Epoch: string;
  /** The number of the last message, or 0 if there is none. */
  readonly Offset: number;
}

/** A stored message. */
export interface Entry {
  /** The message's number. It is one more than that of the previous message. */
  readonly Offset: number;
  /** The message's content. */
  readonly Payload: string;
}

/** Options for storing a channel's messages. */
export interface Retention {
  /** The maximum number of stored messages. If 0, no messages are stored. */
  readonly History: number;
  /** The time for which messages are stored after the latest one, in milliseconds. */
  readonly For: number;
}

/** A part of a channel's history. */
export interface Log extends Position {
  /** The stored messages after the requested offset, in order. */
  readonly Entries: readonly Entry[];
}

/** A receiver for the messages of a channel. */
export interface Listener {
  /**
   * Called for each message. Messages may be lost, so the listener has to compare offsets.
   *
   * @param epoch The epoch of the message.
   * @param entry The message.
   */
  Receive(epoch: string, entry: Entry): void;
  /** Called if messages may have been lost, for example after a reconnection. */
  Missed(): void;
}

/**
 * Numbers and stores messages and delivers them to an application's threads, processes or machines.
 *
 * Messages may be lost on the way to listeners, but {@linkcode Backplane.Read} must not lose any. Listeners that detect
 * a gap read the missing messages.
 */
export interface Backplane {
  /**
   * Whether listeners receive every message, as within a single process. If `true`, listeners do not need to check
   * offsets.
   */
  readonly IsLossless: boolean;
  /**
   * Numbers a message, stores it and delivers it to all listeners.
   *
   * @param channel The channel.
   * @param payload The message.
   * @param retention The number of messages to store and for how long.
   * @returns The message's position.
   * @throws If the message cannot be stored.
   */
  Publish(channel: string, payload: string, retention: Retention): Awaitable<Position>;
  /**
   * Reads stored messages.
   *
   * @param channel The channel.
   * @param after The offset after which to read.
   * @param limit The maximum number of messages.
   * @param epoch The epoch of the offset. A backplane that detects lost messages by an offset that does not exist must
   * ignore the offset of another epoch, because their loss has already been detected.
   * @returns The messages and the channel's current position.
   */
  Read(channel: string, after: number, limit: number, epoch?: string): Awaitable<Log>;
  /**
   * Starts delivering a channel's messages. Each channel has at most one listener per backplane.
   *
   * @param channel The channel.
   * @param listener The receiver.
   */
  Listen(channel: string, listener: Listener): Awaitable<void>;
  /**
   * Stops delivering a channel's messages.
   *
   * @param channel The channel.
   */
  Unlisten(channel: string): void;
  /**
   * Renews a process's lease. If the lease has expired, the process's presence rows are ignored.
   *
   * @param node The process ID.
   * @param lifetime The lease's lifetime, in milliseconds.
   */
  Renew(node: string, lifetime: number): Awaitable<void>;
  /**
   * Stores a row in a table.
   *
   * @param table The table.
   * @param node The ID of the process that owns the row.
   * @param field The row's name.
   * @param value The row's value. Pass `null` to remove the row.
   */
  Put(table: string, node: string, field: string, value: string | null): Awaitable<void>;
  /**
   * Reads the rows of a table whose processes have a valid lease.
   *
   * @param table The table.
   * @returns The values by row name.
   */
  Rows(table: string): Awaitable<ReadonlyMap<string, string>>;
  /**
   * Sets a key if it does not exist.
   *
   * @param key The key.
   * @param value The value.
   * @param lifetime The time to store the value, in milliseconds.
   * @returns `null` if the key was set, otherwise its current value.
   */
  Claim(key: string, value: string, lifetime: number): Awaitable<string | null>;
  /**
   * Sets a claimed key.
   *
   * @param key The key.
   * @param value The value. Pass `null` to remove the key, so that it can be claimed again.
   * @param lifetime The time to store the value, in milliseconds.
   */
  Settle(key: string, value: string | null, lifetime: number): Awaitable<void>;
  /** Closes all connections. */
  Close(): Awaitable<void>;
}
