/**
 * The states and errors of the browser client.
 *
 * @module
 */

import type { Member, PresenceChange } from "../../hub/types/member.ts";

/** The presence of a room that the client has joined. */
export interface LivePresence {
  /**
   * Lists the members.
   *
   * @returns The members of all processes, in no particular order. The promise rejects with the status 403 if the
   * client is not in the room.
   */
  List(): Promise<Member[]>;
  /**
   * Calls a function with all members and whenever they change, until the client leaves the room.
   *
   * @param watcher The function. After a reconnection, it receives the changes in the meantime.
   * @returns A function that stops watching. The promise rejects with the status 403 if the client is not in the room.
   */
  Watch(watcher: (change: PresenceChange) => void): Promise<() => void>;
}

/** The members of a watched room. */
export interface Watched {
  readonly members: Map<string, Member>;
  readonly watchers: Set<(change: PresenceChange) => void>;
  /** Whether the server sends changes on the current connection. */
  isActive: boolean;
}

/** A gap in the messages of a room. */
export interface MissedMessages {
  /** The namespace. */
  readonly Namespace: string;
  /** The room. */
  readonly Room: string;
  /** The offset of the first missing message. */
  readonly From: number;
  /** The offset of the last missing message, or `From - 1` if the number of missing messages is unknown. */
  readonly To: number;
  /** The reason: `history`, `epoch`, `slow`, or `refused` if the server no longer lets the client join the room. */
  readonly Reason: string;
}

/** The error of a call that the server rejects. */
export interface LiveError extends Error {
  /** The HTTP status code, such as 422 for data that does not match its schema. */
  readonly Status: number;
  /** The validation issues, like the `errors` member of problem details. Empty for other errors. */
  readonly Errors: readonly LiveIssue[];
  /** The problem details, like those of a response, or `undefined` if the error has none. */
  readonly Problem?: Readonly<Record<string, unknown>> | undefined;
}

/** A validation issue. */
export interface LiveIssue {
  /** The location in the data, as a JSON Pointer fragment such as `#/age`. */
  readonly pointer: string;
  /** The message that describes the issue. */
  readonly detail: string;
}

/** The state of a connection. */
export type LiveState = "connecting" | "open" | "waiting" | "closed";

/** Data of an event or packet. */
// deno-lint-ignore no-explicit-any
export type Data = any;

/** A message on the wire. */
export type Message = string | Uint8Array<ArrayBuffer>;

/** A packet that has not been sent yet. */
export interface Queued {
  /** The ID of the packet, or 0 if it has no reply. */
  readonly id: number;
  readonly message: Message;
  /** Whether the packet is created again for the next connection. */
  readonly isBound: boolean;
}

/** A packet that waits for its reply. */
export interface Wait {
  readonly done: (value: Data) => void;
  readonly fail: (error: Error) => void;
  timer?: ReturnType<typeof setTimeout>;
  /** The packet, if it is sent again after a reconnection. */
  once?: readonly unknown[];
}

/** A room that the client is in, and the position of the last message received. */
export interface Room {
  readonly namespace: string;
  readonly room: string;
  epoch: string;
  offset: number;
  /** Whether the client has joined the room itself. The server adds the client to other rooms again. */
  isOwn: boolean;
  /** The parameters of the client's own join. */
  params?: unknown;
}
