/**
 * The connection interface for handlers.
 *
 * @module
 */

import type { Context } from "../../core/context/context.ts";
import type { User } from "../../core/context/user.ts";
import type { Session } from "../../state/sessions/session.ts";
import type { NamespaceOptions } from "../hub/namespace_options.ts";
import type { RoomPresence } from "../hub/presence.ts";
import type { Fetched, FetchOptions } from "./processes/fetched.ts";

/** Events by name, with their data types. */
// deno-lint-ignore no-explicit-any
export type Events = Record<string, any>;

/** The reason why a connection closed. */
export interface Ending {
  /** The close code, or 1006 if the connection was lost. */
  readonly Code: number;
  /** The close reason. */
  readonly Reason: string;
}

/** The events that a connection emits: those of the field `Emits` of a controller type, or the type itself. */
export type EmitsIn<T> = T extends { Emits: infer E } ? E : T;

/** The requests that a connection sends to its client: those of the field `Asks` of a controller type, or any. */
export type AsksIn<T> = T extends { Asks: infer A } ? A : Record<string, (data?: unknown) => unknown>;

/** Options for {@linkcode Conn.Ask}. */
export interface AskOptions {
  /** The timeout, in milliseconds. Defaults to the server's `AskTimeout`. */
  readonly Timeout?: number;
}

/** The arguments of a request after its name. */
export type AskArguments<F> = F extends (...args: infer A) => unknown
  ? A extends readonly [infer D] ? [data: D, options?: AskOptions]
  : A extends readonly [] ? [data?: undefined, options?: AskOptions]
  : [data?: A[0], options?: AskOptions]
  : never;

/** The reply to a request. */
export type AskReply<F> = F extends (...args: never[]) => infer R ? Promise<Awaited<R>> : never;

/** The data argument of an event. It is optional if the data may be `undefined` or `void`. */
export type EventData<D> = undefined extends D ? [data?: D] : [data: D];

/** Sends events to connections in all processes. */
export interface RoomEmitter<E = Events> {
  /**
   * Sends an event.
   *
   * @param event The event name.
   * @param data The data. Bytes are sent unchanged, and other values are sent as JSON.
   * @returns A promise that rejects if the message cannot be published.
   */
  Emit<K extends keyof E & string>(event: K, ...data: EventData<E[K]>): Promise<void>;
  /**
   * Excludes a connection, such as the sender of a message, or the members of a room. May be called several times.
   *
   * @param excluded The connection or the room.
   * @returns An emitter for the other connections.
   */
  Except(excluded: Conn | string): RoomEmitter<E>;
  /**
   * Adds rooms. A connection in several rooms receives an event only once.
   *
   * @param rooms The rooms.
   * @returns An emitter for the connections in any of the rooms.
   */
  To(...rooms: string[]): RoomEmitter<E>;
}

/** Sends events to the connections of a user, and moves them between rooms. */
export interface UserEmitter<E = Events> extends RoomEmitter<E> {
  /**
   * Adds the open connections of the user to a room, in all processes. Later connections are not added.
   *
   * @param room The room.
   * @returns A promise that resolves when all processes have added the connections, or after two seconds. It rejects if
   * the backplane is not available.
   */
  Join(room: string): Promise<void>;
  /**
   * Removes the open connections of the user from a room, in all processes.
   *
   * @param room The room.
   * @returns A promise that resolves when all processes have removed the connections, or after two seconds. It rejects
   * if the backplane is not available.
   */
  Leave(room: string): Promise<void>;
}

/** The server of a connection, as returned by {@linkcode Conn.Server}: a {@linkcode Server} whose handlers are set. */
export interface ConnServer {
  /**
   * Sends an event to all connections of this server in a namespace, in all processes.
   *
   * @param except A connection to exclude, or `null`.
   * @param event The event name.
   * @param data The data. Bytes are sent unchanged, and other values are sent as JSON.
   * @param options The namespace.
   * @returns A promise that resolves when the message has been published.
   */
  Broadcast(except: Conn | null, event: string, data?: unknown, options?: NamespaceOptions): Promise<void>;
  /**
   * Returns an emitter for a room.
   *
   * @param room The room.
   * @param options The namespace.
   * @returns The emitter.
   */
  To(room: string, options?: NamespaceOptions): RoomEmitter;
  /**
   * Returns an emitter for all connections of a user to this server, in all processes.
   *
   * @param user The user ID.
   * @param options The namespace.
   * @returns The emitter.
   */
  ToUser(user: string, options?: NamespaceOptions): UserEmitter;
  /**
   * Finds the connections of this server in all processes, for example those of a room or a user.
   *
   * @param options The room, the user, the namespace and the timeout.
   * @returns The connections, and the number of processes that have responded.
   */
  Fetch(options?: FetchOptions): Promise<Fetched>;
  /**
   * Returns the presence of a room, across all processes. Requires the `Presence` option.
   *
   * @param room The room.
   * @param options The namespace.
   * @returns The presence.
   */
  Presence(room: string, options?: NamespaceOptions): RoomPresence;
  /**
   * Closes all connections of a user to this server in all processes (4403).
   *
   * @param user The user ID.
   * @returns A promise that resolves when the message has been published.
   */
  Disconnect(user: string): Promise<void>;
  /**
   * Returns the connections to a namespace in this process.
   *
   * @param options The namespace.
   * @returns The connections.
   */
  Conns(options?: NamespaceOptions): Conn[];
  /**
   * Returns the number of open connections in this process.
   *
   * @returns The number of open connections.
   */
  Connections(): number;
}

/** Options for {@linkcode Conn.Join}. */
export interface JoinRoomOptions {
  /**
   * The number of stored messages that the client receives first, unless it resumes after reconnecting. It is limited
   * by the room's history and the server's `MaxRewind`.
   *
   * @default {0}
   */
  readonly Rewind?: number;
}

/**
 * A client's connection to a namespace.
 *
 * @typeParam T The controller's type, as in `Conn!: websocket.Conn<ChatController>`. Its field `Emits` types the
 * events, and its field `Asks` types the requests to the client. If omitted, all events are allowed. It may also be the
 * type of the events alone.
 */
export interface Conn<T = Events> {
  /** The connection ID. */
  readonly ID: string;
  /** The namespace, or an empty string for the default namespace. */
  readonly Namespace: string;
  /** Whether the connection is closed. */
  readonly IsClosed: boolean;
  /**
   * Sends an event to the client. Events are delivered in order and at most once.
   *
   * @param event The event name.
   * @param data The data. Bytes are sent unchanged, and other values are sent as JSON.
   */
  Emit<K extends keyof EmitsIn<T> & string>(event: K, ...data: EventData<EmitsIn<T>[K]>): void;
  /**
   * Sends an event to the client and waits for the reply.
   *
   * @param event The event name.
   * @param data The data and the options, such as the timeout.
   * @returns The reply. The promise rejects with the client's error, on a timeout, or if the connection closes. The
   * type of the reply is that of the controller's field `Asks`. It is not validated, because clients may send anything.
   */
  Ask<K extends keyof AsksIn<T> & string>(event: K, ...data: AskArguments<AsksIn<T>[K]>): AskReply<AsksIn<T>[K]>;
  /**
   * Sends a raw message, bypassing the event protocol.
   *
   * @param data The text or bytes to send.
   */
  Write(data: string | Uint8Array<ArrayBuffer>): void;
  /**
   * Joins a room. A client that has reconnected first receives the stored messages it has missed.
   *
   * @param room The room.
   * @param options The number of stored messages to send first.
   * @returns A promise that resolves when the connection receives the room's messages.
   */
  Join(room: string, options?: JoinRoomOptions): Promise<void>;
  /**
   * Leaves a room.
   *
   * @param room The room.
   */
  Leave(room: string): Promise<void>;
  /**
   * Returns the rooms that the connection has joined.
   *
   * @returns The room names.
   */
  Rooms(): string[];
  /**
   * Returns an emitter for rooms. A connection in several of them receives an event only once.
   *
   * @param rooms The rooms. The connection does not need to be in them.
   * @returns The emitter. If this connection is in one of the rooms, it receives the events too. To exclude it, use
   * {@linkcode RoomEmitter.Except}.
   */
  To(...rooms: string[]): RoomEmitter<EmitsIn<T>>;
  /**
   * Sends an event to all other connections to the namespace, in all processes. To include this connection, call
   * `conn.Server().Broadcast(null, event, data, { Namespace: conn.Namespace })`.
   *
   * @param event The event name.
   * @param data The data. Bytes are sent unchanged, and other values are sent as JSON.
   * @returns A promise that resolves when the message has been published.
   */
  Broadcast<K extends keyof EmitsIn<T> & string>(event: K, ...data: EventData<EmitsIn<T>[K]>): Promise<void>;
  /**
   * Returns the server of this connection.
   *
   * @returns The server.
   */
  Server(): ConnServer;
  /**
   * Returns the context of the handshake request.
   *
   * @returns The context. Its response has already been sent.
   */
  Context(): Context;
  /**
   * Returns the authenticated user.
   *
   * @returns The user, or `undefined` if the handshake was not authenticated.
   */
  User(): User | undefined;
  /**
   * Returns the session as it was during the handshake. It cannot be changed, because the response has been sent.
   *
   * @returns The session, or `null` if there is none or the server's `Sessions` option is not set.
   */
  Session(): Session | null;
  /**
   * Closes the connection.
   *
   * @param code The close code: 1000, or 3000 to 4999.
   * @param reason The reason. It is shortened to 123 bytes.
   */
  Close(code?: number, reason?: string): void;
}
