/**
 * A typed client of a WebSocket controller.
 *
 * @module
 */

import type { SourceOf } from "../../mvc/reflect/input_type.ts";
import { Live as Connection, type LiveOptions, type LiveState, type MissedMessages } from "../websocket/client/live.ts";
import type { JSONOf } from "./json_type.ts";

/**
 * The methods of a controller that clients do not call.
 *
 * @internal
 */
type Lifecycle =
  | "OnNamespaceConnect"
  | "OnNamespaceConnected"
  | "OnNamespaceDisconnect"
  | "OnRoomJoin"
  | "OnRoomJoined"
  | "OnRoomLeave"
  | "OnRoomLeft"
  | "OnAnyEvent"
  | "OnNativeMessage";

/** The names of the events that a controller handles: `say` for `OnSay`. */
export type EventsOf<C> = { [K in keyof C]: EventName<K> }[keyof C];

/**
 * A helper of the types above.
 *
 * @internal
 */
type EventName<K> = K extends Lifecycle ? never : K extends `On${infer Name}` ? Uncapitalize<Name> : never;

/**
 * A helper of the types above.
 *
 * @internal
 */
type MethodOf<C, E extends string> = `On${Capitalize<E>}` extends keyof C ? C[`On${Capitalize<E>}`] : never;

/** What a client sends with an event: the input of its schema, or the type of its argument. */
export type DataOf<C, E extends string> = MethodOf<C, E> extends (...args: infer A) => unknown ? FirstOf<Required<A>>
  : never;

/**
 * A helper of the types above.
 *
 * @internal
 */
type FirstOf<A extends readonly unknown[]> = A extends readonly [infer First, ...infer Rest]
  ? [SourceOf<First>] extends [never] ? First extends string | number | bigint | boolean ? [data: First] : FirstOf<Rest>
  : SourceOf<First> extends readonly ["Body", infer In] ? [data: In]
  : FirstOf<Rest>
  : [];

/** What a controller acknowledges an event with. */
export type ReplyOf<C, E extends string> = MethodOf<C, E> extends (...args: never[]) => infer R
  ? JSONOf<Exclude<Awaited<R>, Error>>
  : never;

/** The events that a controller emits, by the type of its field `Emits`. */
export type EmitsOf<C> = C extends { Emits: infer E } ? E : Record<never, never>;

/** A connection to a controller: calls are typed by its methods, events by its field `Emits`. */
export interface LiveClient<C> {
  /** The state of the connection. */
  readonly State: LiveState;
  /** Calls a method of the controller, and resolves to its acknowledgement; fails with its error. */
  Ask<E extends EventsOf<C> & string>(event: E, ...data: DataOf<C, E>): Promise<ReplyOf<C, E>>;
  /** Calls a method, again after a reconnection, and has it applied once. */
  Send<E extends EventsOf<C> & string>(event: E, ...data: DataOf<C, E>): Promise<ReplyOf<C, E>>;
  /** Calls a method without waiting for its acknowledgement. */
  Emit<E extends EventsOf<C> & string>(event: E, ...data: DataOf<C, E>): void;
  /** Calls a function for every event of a name; returns a function that ends it. */
  On<E extends keyof EmitsOf<C> & string>(
    event: E,
    handler: (data: JSONOf<EmitsOf<C>[E]>, room: string) => unknown,
  ): () => void;
  /** Joins a room, which is resumed after a reconnection. */
  Join(room: string): Promise<void>;
  /** Leaves a room. */
  Leave(room: string): Promise<void>;
  /** Calls a function if messages of a room are missing. */
  OnGap(handler: (gap: MissedMessages) => void): void;
  /** Calls a function when the state of the connection changes. */
  OnState(handler: (state: LiveState, code: number) => void): void;
  /** Closes the connection for good. */
  Close(): void;
}

/** Options for {@linkcode Live}. */
export interface LiveClientOptions extends LiveOptions {
  /** The controller's namespace. */
  readonly Namespace?: string;
}

/**
 * Connects to a WebSocket controller.
 *
 * @typeParam C The controller, imported with `import type`.
 * @param url The URL of its party, or a path in a browser.
 * @param options The namespace, a token, limits and timeouts.
 * @returns The connection, which opens by itself and again whenever it is lost.
 *
 * @example A chat
 * ```ts ignore
 * import * as client from "@fw/web/client";
 * import type { ChatController } from "./chat.ts";
 *
 * const chat = client.Live<ChatController>("wss://shop.example/chat", { Namespace: "chat" });
 * chat.On("said", (message) => console.log(message.by, message.text));
 * await chat.Join("tea");
 * await chat.Ask("say", { room: "tea", text: "hello" });
 * ```
 */
export function Live<C>(url: string, options: LiveClientOptions = {}): LiveClient<C> {
  const { Namespace = "" } = options;
  const connection = new Connection(url, options);
  return {
    get State() {
      return connection.State;
    },
    Ask: (event, ...[data]: unknown[]) => connection.Ask(event, data, Namespace),
    Send: (event, ...[data]: unknown[]) => connection.Send(event, data, Namespace),
    Emit: (event, ...[data]: unknown[]) => connection.Emit(event, data, Namespace),
    On: (event, handler) => connection.On(event, handler, Namespace),
    Join: (room) => connection.Join(room, Namespace),
    Leave: (room) => connection.Leave(room, Namespace),
    OnGap: (handler) => connection.OnGap(handler),
    OnState: (handler) => connection.OnState(handler),
    Close: () => connection.Close(),
  };
}
