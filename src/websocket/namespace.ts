/**
 * Namespaces. A namespace maps event names to handlers.
 *
 * @module
 */

import { FrameworkError } from "../errors/errors.ts";
import type { Awaitable } from "../store/awaitable.ts";
import type { Conn } from "./conn.ts";

/** Event name for a handler that runs before a client connects to a namespace. To refuse, return `false` or throw. */
export const OnNamespaceConnect = "_OnNamespaceConnect";
/** Event name for a handler that runs after a client has connected to a namespace. */
export const OnNamespaceConnected = "_OnNamespaceConnected";
/** Event name for a handler that runs once when a client leaves a namespace or its connection is closed. */
export const OnNamespaceDisconnect = "_OnNamespaceDisconnect";
/** Event name for a handler that runs before a client joins a room. To refuse, return `false` or throw. */
export const OnRoomJoin = "_OnRoomJoin";
/** Event name for a handler that runs after a client has joined a room. */
export const OnRoomJoined = "_OnRoomJoined";
/** Event name for a handler that runs before a client leaves a room. To refuse, return `false` or throw. */
export const OnRoomLeave = "_OnRoomLeave";
/** Event name for a handler that runs after a client has left a room or its connection has closed. */
export const OnRoomLeft = "_OnRoomLeft";
/** Event name for a handler of all events that do not have their own handler. */
export const OnAnyEvent = "_OnAnyEvent";
/** Event name for a handler of raw messages, outside the event protocol. */
export const OnNativeMessage = "_OnNativeMessage";

/** The lifecycle methods of controllers. Each handles the event that has the same name with an underscore before it. */
export const lifecycleMethods = [
  "OnNamespaceConnect",
  "OnNamespaceConnected",
  "OnNamespaceDisconnect",
  "OnRoomJoin",
  "OnRoomJoined",
  "OnRoomLeave",
  "OnRoomLeft",
  "OnAnyEvent",
  "OnNativeMessage",
] as const;

/** The name of a lifecycle method. Clients cannot call these methods. */
export type LifecycleMethod = typeof lifecycleMethods[number];

const lifecycleEvents: ReadonlySet<string> = new Set(lifecycleMethods.map((method) => `_${method}`));

/**
 * Handles an event. The return value, or the value of a returned promise, is the reply.
 *
 * @param conn The connection.
 * @param data The event data. For room events, the room's name.
 * @param event The event name.
 */
// deno-lint-ignore no-explicit-any
export type EventHandler = (conn: Conn, data: any, event: string) => unknown;

/** The handlers of one connection in one namespace. */
export interface Handlers {
  /** Finds an event handler. */
  find(event: string): EventHandler | undefined;
  /** Called when the client has left. */
  end?(): void | Promise<void>;
}

/** Creates the handlers for one connection. */
export type NewHandlers = (conn: Conn) => Awaitable<Handlers>;

/** Returns the handlers for a connection. Set in the static block of {@linkcode Namespace}. */
export let handlersFor: (namespace: Namespace, conn: Conn) => Awaitable<Handlers>;
/** Returns the names of the registered events. */
export let eventNames: (namespace: Namespace) => string[];
/** Sets a function that creates the handlers for each connection. */
export let serveWith: (namespace: Namespace, create: NewHandlers) => void;

/** A named set of events. A connection may use several namespaces. */
export class Namespace {
  /** The namespace's name, or an empty string for the default namespace. */
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
   * Registers an event handler.
   *
   * @param event The event name, or a constant such as {@linkcode OnRoomJoin}.
   * @param handler The handler. A connection's handlers run one at a time.
   * @returns This namespace, for chaining.
   */
  On(event: string, handler: EventHandler): this {
    if (event.startsWith("_") && !lifecycleEvents.has(event)) {
      throw new FrameworkError("FW_ROUTE", `Cannot handle the event "${event}": names with "_" are reserved`);
    }
    this.#handlers.set(event, handler);
    return this;
  }

  /**
   * Returns the handler for an event.
   *
   * @ignore
   */
  find(event: string): EventHandler | undefined {
    return this.#handlers.get(event);
  }

  static {
    eventNames = (namespace) => [...namespace.#handlers.keys()].filter((name) => !lifecycleEvents.has(name));
    handlersFor = (namespace, conn) => namespace.#create?.(conn) ?? namespace;
    serveWith = (namespace, create) => {
      if (namespace.#create !== undefined || namespace.#handlers.size > 0) {
        throw new FrameworkError("FW_ROUTE", `Cannot serve the namespace "${namespace.Name}" twice`);
      }
      namespace.#create = create;
    };
  }
}
