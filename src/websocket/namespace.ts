/**
 * Namespaces: the handlers of events, by name.
 *
 * @module
 */

import { FrameworkError } from "../base/errors.ts";
import type { Awaitable } from "../store/awaitable.ts";
import type { Conn } from "./conn.ts";

/** Runs before a client is connected to a namespace. Returning `false` or throwing refuses it. */
export const OnNamespaceConnect = "_OnNamespaceConnect";
/** Runs when a client is connected to a namespace. */
export const OnNamespaceConnected = "_OnNamespaceConnected";
/** Runs once when a client leaves a namespace or its connection ends. */
export const OnNamespaceDisconnect = "_OnNamespaceDisconnect";
/** Runs before a client joins a room. Returning `false` or throwing refuses it. */
export const OnRoomJoin = "_OnRoomJoin";
/** Runs when a client has joined a room. */
export const OnRoomJoined = "_OnRoomJoined";
/** Runs before a client leaves a room. Returning `false` or throwing refuses it. */
export const OnRoomLeave = "_OnRoomLeave";
/** Runs when a client has left a room, also because its connection has ended. */
export const OnRoomLeft = "_OnRoomLeft";
/** Runs for events that have no handler of their own. */
export const OnAnyEvent = "_OnAnyEvent";
/** Runs for messages of clients that do not use the event protocol. */
export const OnNativeMessage = "_OnNativeMessage";

const lifecycle: ReadonlySet<string> = new Set([
  ...[OnNamespaceConnect, OnNamespaceConnected, OnNamespaceDisconnect],
  ...[OnRoomJoin, OnRoomJoined, OnRoomLeave, OnRoomLeft],
  ...[OnAnyEvent, OnNativeMessage],
]);

/**
 * Handles an event. The returned value, or what a promise of it resolves to, is the reply.
 *
 * @param conn The connection.
 * @param data The data of the event; the name of the room for room events.
 * @param event The event name.
 */
// deno-lint-ignore no-explicit-any
export type EventHandler = (conn: Conn, data: any, event: string) => unknown;

/** The handlers of one connection in one namespace. */
export interface Handlers {
  /** Finds the handler of an event. */
  find(event: string): EventHandler | undefined;
  /** Ends them when the client has left. */
  end?(): void | Promise<void>;
}

/** Creates the handlers of one connection. */
export type NewHandlers = (conn: Conn) => Awaitable<Handlers>;

/** What the other files of fw use of a namespace, set in its static block. */
export let handlersFor: (namespace: Namespace, conn: Conn) => Awaitable<Handlers>;
/** The names of the events that plain handlers serve. */
export let eventNames: (namespace: Namespace) => string[];
/** Lets a function create the handlers of each connection. */
export let serveWith: (namespace: Namespace, create: NewHandlers) => void;

/** A set of events under one name. One connection may use several namespaces. */
export class Namespace {
  /** The name; empty for the default namespace. */
  readonly Name: string;
  readonly #handlers = new Map<string, EventHandler>();
  #create: NewHandlers | undefined = undefined;

  /**
   * Created by {@linkcode Server.Namespace}.
   *
   * @ignore
   */
  constructor(name: string) {
    this.Name = name;
  }

  /**
   * Registers the handler of an event.
   *
   * @param event The event name, or one of the constants such as {@linkcode OnRoomJoin}.
   * @param handler The handler. Handlers of one connection run one at a time.
   * @returns This namespace.
   */
  On(event: string, handler: EventHandler): this {
    if (event.startsWith("_") && !lifecycle.has(event)) {
      throw new FrameworkError("FW_ROUTE", `Cannot handle the event "${event}": names with "_" are reserved`);
    }
    this.#handlers.set(event, handler);
    return this;
  }

  /** @ignore */
  find(event: string): EventHandler | undefined {
    return this.#handlers.get(event);
  }

  static {
    eventNames = (namespace) => [...namespace.#handlers.keys()].filter((name) => !lifecycle.has(name));
    handlersFor = (namespace, conn) => namespace.#create?.(conn) ?? namespace;
    serveWith = (namespace, create) => {
      if (namespace.#create !== undefined || namespace.#handlers.size > 0) {
        throw new FrameworkError("FW_ROUTE", `Cannot serve the namespace "${namespace.Name}" twice`);
      }
      namespace.#create = create;
    };
  }
}
