/**
 * Connects to WebSocket controllers with types.
 *
 * @module
 */

import type { SourceOf } from "../../../mvc/reflect/input_type.ts";
import type { TupleMark } from "../../../mvc/result/tuple.ts";
import { count, func, text, timeLimit, where } from "../../base/config/option_kinds.ts";
import { checkArgument, optionTable, readOptions } from "../../base/config/option_table.ts";
import { Live as Connection } from "../../live/websocket/client/live.ts";
import type { LiveAskOptions, LiveJoinOptions, LiveOptions } from "../../live/websocket/client/live_options.ts";
import type { LiveError, LivePresence, LiveState, MissedMessages } from "../../live/websocket/client/live_types.ts";
import type { LifecycleMethod } from "../../live/websocket/lifecycle_names.ts";
import type { JSONOf } from "./json_type.ts";

/** The names of the events that a controller handles, such as `say` for `OnSay`. */
export type EventsOf<C> = IsAny<C> extends true ? string : { [K in keyof C]: EventName<K> }[keyof C];

/**
 * Whether a type is `any`, as for clients without a controller type.
 *
 * @internal
 */
type IsAny<C> = 0 extends 1 & C ? true : false;

/**
 * The event name of a method.
 *
 * @internal
 */
type EventName<K> = K extends LifecycleMethod ? never : K extends `On${infer Name}` ? Uncapitalize<Name> : never;

/**
 * The method that handles an event.
 *
 * @internal
 */
type MethodOf<C, E extends string> = `On${Capitalize<E>}` extends keyof C ? C[`On${Capitalize<E>}`] : never;

/** The data that a client sends with an event: the input type of its schema, or the type of its parameter. */
export type DataOf<C, E extends string> = IsAny<C> extends true ? [data?: unknown]
  : MethodOf<C, E> extends (...args: infer A) => unknown ? FirstOf<Required<A>>
  : never;

/**
 * The first data parameter of a method.
 *
 * @internal
 */
type FirstOf<A extends readonly unknown[]> = A extends readonly [infer First, ...infer Rest]
  ? [SourceOf<First>] extends [never] ? First extends string | number | bigint | boolean ? [data: First]
    : First extends Uint8Array ? [data: Bytes]
    : FirstOf<Rest>
  : SourceOf<First> extends readonly ["Body", infer In] ? [data: In]
  : FirstOf<Rest>
  : [];

/**
 * Binary data that a client sends.
 *
 * @internal
 */
type Bytes = Uint8Array | ArrayBuffer;

/** The arguments of a client's `Ask` after the event: the data, and the options. */
export type AskArgumentsOf<C, E extends string> = DataOf<C, E> extends readonly []
  ? [data?: undefined, options?: LiveAskOptions]
  : [...data: DataOf<C, E>, options?: LiveAskOptions];

/** Data that a client receives. Bytes are sent unchanged, and other values are sent as JSON. */
export type ReceivedOf<T> = T extends Uint8Array ? Uint8Array<ArrayBuffer> : JSONOf<T>;

/** The reply of a controller to an event. */
export type ReplyOf<C, E extends string> = IsAny<C> extends true ? C
  : MethodOf<C, E> extends (...args: never[]) => infer R ? ReceivedOf<ReplyValue<Exclude<Awaited<R>, Error>>>
  : never;

/**
 * The reply of a method. A tuple's reply is its value, unless its literal status code is that of an error.
 *
 * @internal
 */
type ReplyValue<R> = R extends TupleMark<infer A, infer B>
  ? B extends number ? `${B}` extends `${4 | 5}${string}` ? never : A
  : A extends number ? `${A}` extends `${4 | 5}${string}` ? never : B
  : B extends boolean | Error | null ? Exclude<A, undefined>
  : A
  : R;

/** The arguments of a client's `Join` after the room. The parameters are typed by the controller's `OnRoomJoin`. */
export type JoinArguments<C> = IsAny<C> extends true ? [options?: LiveJoinOptions]
  : C extends { OnRoomJoin: (...args: infer A) => unknown }
    ? FirstOf<AfterRoom<Required<A>>> extends [infer P]
      ? undefined extends P ? [options?: LiveJoinOptions<P>] : [options: LiveJoinOptions<P> & { readonly Params: P }]
    : [options?: LiveJoinOptions]
  : [options?: LiveJoinOptions];

/**
 * The parameters of `OnRoomJoin` after the room, which is its first string.
 *
 * @internal
 */
type AfterRoom<A extends readonly unknown[]> = A extends readonly [infer First, ...infer Rest]
  ? [SourceOf<First>] extends [never] ? First extends string ? Rest : AfterRoom<Rest> : AfterRoom<Rest>
  : [];

/** The reply of a controller's `OnRoomJoin`. */
export type JoinReplyOf<C> = IsAny<C> extends true ? C
  : C extends { OnRoomJoin: (...args: never[]) => infer R } ? ReceivedOf<ReplyValue<Exclude<Awaited<R>, Error | false>>>
  : undefined;

/** The requests that a controller sends to its client with `conn.Ask`, as declared by its `Asks` field. */
export type AsksOf<C> = IsAny<C> extends true ? Record<never, never>
  : C extends { Asks: infer A } ? A
  : Record<never, never>;

/** The handler for an event. If the controller requests a reply, the handler must return it. */
export type LiveHandler<C, E extends string> = E extends keyof AsksOf<C> ? Replying<AsksOf<C>[E]>
  : E extends keyof EmitsOf<C> ? (data: ReceivedOf<EmitsOf<C>[E]>, room: string) => unknown
  : never;

/**
 * The handler for a request.
 *
 * @internal
 */
type Replying<F> = F extends (...args: infer A) => infer R
  ? (data: ReceivedOf<A[0]>, room: string) => Awaited<R> | Promise<Awaited<R>>
  : never;

/** The events that a controller emits, as declared by its `Emits` field. */
export type EmitsOf<C> = IsAny<C> extends true ? Record<string, C>
  : C extends { Emits: infer E } ? E
  : Record<never, never>;

/**
 * A connection to a controller. Calls are typed by the controller's methods, and events are typed by its `Emits` field.
 */
export interface LiveClient<C> {
  /** The connection state. */
  readonly State: LiveState;
  /**
   * Calls a controller method and returns its reply. The promise rejects with a {@linkcode LiveError} if the method
   * fails or its input does not match the schema.
   */
  Ask<E extends EventsOf<C> & string>(event: E, ...data: AskArgumentsOf<C, E>): Promise<ReplyOf<C, E>>;
  /**
   * Calls a controller method and returns its reply. The call is repeated after a reconnection, but the server applies
   * it only once.
   */
  Send<E extends EventsOf<C> & string>(event: E, ...data: DataOf<C, E>): Promise<ReplyOf<C, E>>;
  /** Calls a controller method without waiting for a reply. */
  Emit<E extends EventsOf<C> & string>(event: E, ...data: DataOf<C, E>): void;
  /**
   * Registers an event handler. If the server called `conn.Ask`, the return value is the reply. Returns a function that
   * removes the handler.
   */
  On<E extends (keyof EmitsOf<C> | keyof AsksOf<C>) & string>(event: E, handler: LiveHandler<C, E>): () => void;
  /** Registers an event handler that is called only once. Returns a function that removes it. */
  Once<E extends (keyof EmitsOf<C> | keyof AsksOf<C>) & string>(event: E, handler: LiveHandler<C, E>): () => void;
  /** Registers a handler for all events. It runs before the other handlers. Returns a function that removes it. */
  OnAny(handler: (event: string, data: unknown, room: string) => void): () => void;
  /**
   * Joins a room and returns the reply of the controller's `OnRoomJoin`. The client joins the room again after a
   * reconnection.
   */
  Join(room: string, ...options: JoinArguments<C>): Promise<JoinReplyOf<C>>;
  /** Leaves a room. */
  Leave(room: string): Promise<void>;
  /** Returns the presence of a room that the client has joined. Requires the server's option `Presence`. */
  Presence(room: string): LivePresence;
  /** Registers a handler for missed room messages. Returns a function that removes it. */
  OnGap(handler: (gap: MissedMessages) => void): () => void;
  /** Registers a handler for changes of the connection state. Returns a function that removes it. */
  OnState(handler: (state: LiveState, code: number) => void): () => void;
  /** Closes the connection permanently. */
  Close(): void;
}

/** Options for {@linkcode Live}. */
export interface LiveClientOptions extends LiveOptions {
  /** The controller's namespace. */
  readonly Namespace?: string;
}

const socketURL = where(
  text(),
  'a URL such as "wss://shop.example/chat"',
  (url) => url !== "" && URL.canParse(url, globalThis.location?.href),
);
const table = optionTable<LiveClientOptions>("client.LiveClientOptions", "Live")({
  Token: func(),
  MaxQueued: count(100, { from: 0, to: Infinity }),
  Timeout: timeLimit(10_000),
  Namespace: text(""),
});

/**
 * Connects to a WebSocket controller.
 *
 * @typeParam C The controller's type, imported with `import type`. If omitted, all events are allowed and their data is
 * not checked.
 * @param url The URL of the controller's party. In a browser, it may be a path.
 * @param options The namespace, token, limits and timeouts.
 * @returns The connection. It connects automatically and reconnects when the connection is lost.
 *
 * @example Join a chat
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
// deno-lint-ignore no-explicit-any
export function Live<C = any>(url: string, options: LiveClientOptions = {}): LiveClient<C> {
  checkArgument(url, socketURL, "url", "Live");
  const { Namespace } = readOptions(table, options);
  const namespace = { Namespace };
  const connection = new Connection(url, options);
  // A client that only listens must be in the namespace, too.
  connection.enter(Namespace);
  return {
    get State() {
      return connection.State;
    },
    Ask: (event, ...args: unknown[]) => {
      const [data, options] = args as [data?: unknown, options?: LiveAskOptions];
      return connection.Ask(event, data, { ...options, ...namespace });
    },
    Send: (event, ...[data]: unknown[]) => connection.Send(event, data, namespace),
    Emit: (event, ...[data]: unknown[]) => connection.Emit(event, data, namespace),
    On: (event, handler) => connection.On(event, handler as Handler, namespace),
    Once: (event, handler) => connection.Once(event, handler as Handler, namespace),
    OnAny: (handler) =>
      connection.OnAny((event, data, room, at) => {
        if (at === Namespace) handler(event, data, room);
      }),
    Join: (room, ...[options]) => connection.Join(room, { ...options, ...namespace }),
    Leave: (room) => connection.Leave(room, namespace),
    Presence: (room) => connection.Presence(room, namespace),
    OnGap: (handler) => connection.OnGap(handler),
    OnState: (handler) => connection.OnState(handler),
    Close: () => connection.Close(),
  };
}

type Handler = (data: unknown, room: string) => unknown;

/**
 * Reports whether a call was rejected by the server, as opposed to a lost connection or a timeout.
 *
 * @param error The error that the call rejected with.
 * @returns Whether the error has the server's status and validation issues.
 *
 * @example Show the issues of a form
 * ```ts
 * import * as client from "@fw/web/client";
 *
 * const issues = [{ pointer: "#/age", detail: "Too young" }];
 * const error: unknown = Object.assign(new Error("Invalid"), { Status: 422, Errors: issues });
 * client.IsLiveError(error) && error.Errors[0]?.pointer; // → "#/age"
 * ```
 */
export function IsLiveError(error: unknown): error is LiveError {
  return error instanceof Error && "Status" in error && typeof error.Status === "number" && "Errors" in error;
}
