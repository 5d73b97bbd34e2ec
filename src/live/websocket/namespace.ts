/**
 * Namespaces. A namespace maps event names to handlers.
 *
 * @module
 */

import { text } from "../../base/config/option_kinds.ts";
import { checkArgument } from "../../base/config/option_table.ts";
import { FrameworkError } from "../../base/errors/errors.ts";
import { misspelled } from "../../base/text/near_names.ts";
import type { Awaitable } from "../../state/store/store.ts";
import { isChannelName } from "../hub/channel_name.ts";
import type { Conn } from "./conn.ts";
import { lifecycleMethods } from "./lifecycle_names.ts";

/**
 * Event name for a handler that runs before a client connects to a namespace. To refuse, return `false` or an error, or
 * throw. The data is the `auth` payload of Socket.IO clients.
 */
export const OnNamespaceConnect = "_OnNamespaceConnect";
/** Event name for a handler that runs after a client has connected to a namespace. */
export const OnNamespaceConnected = "_OnNamespaceConnected";
/** Event name for a handler that runs once when a client leaves a namespace or its connection is closed. */
export const OnNamespaceDisconnect = "_OnNamespaceDisconnect";
/**
 * Event name for a handler that runs before a client joins a room. To refuse, return `false` or an error, or throw. The
 * client's `Join` returns any other value.
 */
export const OnRoomJoin = "_OnRoomJoin";
/** Event name for a handler that runs after a client has joined a room. */
export const OnRoomJoined = "_OnRoomJoined";
/**
 * Event name for a handler that runs before a client leaves a room. To refuse, return `false` or an error, or throw.
 */
export const OnRoomLeave = "_OnRoomLeave";
/** Event name for a handler that runs after a client has left a room or its connection has closed. */
export const OnRoomLeft = "_OnRoomLeft";
/** Event name for a handler of all events that do not have their own handler. */
export const OnAnyEvent = "_OnAnyEvent";
/**
 * Event name for a handler of raw messages, outside the event protocol. If the default namespace has such a handler,
 * clients without the subprotocol `fw.live.1` are accepted.
 */
export const OnNativeMessage = "_OnNativeMessage";

/** The maximum length of a name that a client chooses. */
const MAX_NAME = 256;
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

/**
 * Handles {@linkcode OnRoomJoin}. To refuse, it returns `false` or an error, or throws. Any other value is the reply.
 *
 * @param conn The connection.
 * @param room The room.
 * @param params The parameters that the client has sent. They are `undefined` if it has sent none.
 * @param event The event name.
 */
// deno-lint-ignore no-explicit-any
export type RoomJoinHandler = (conn: Conn, room: string, params: any, event: string) => unknown;

/** The handlers of one connection in one namespace. */
export interface Handlers {
  /** Finds an event handler. */
  find(event: string): EventHandler | undefined;
  /** Called when the client has left. */
  end?(): void | Promise<void>;
}

/** A controller that serves a namespace. */
export interface ServingController {
  readonly name: string;
  /** Whether it handles raw messages. */
  readonly isNative: boolean;
  /** Creates the handlers for one connection. */
  create(conn: Conn): Awaitable<Handlers>;
}

/** Returns the handlers for a connection. Set in the static block of {@linkcode Namespace}. */
export let handlersFor: (namespace: Namespace, conn: Conn) => Awaitable<Handlers>;
/** Returns the names of the registered events. */
export let eventNames: (namespace: Namespace) => string[];
/** Reports whether a namespace handles raw messages. */
export let acceptsNative: (namespace: Namespace) => boolean;
/** Sets the controller that serves a namespace. */
export let serveWith: (namespace: Namespace, controller: ServingController) => void;

/** A named set of events. A connection may use several namespaces. */
export class Namespace {
  /** The namespace's name, or an empty string for the default namespace. */
  readonly Name: string;
  readonly #handlers = new Map<string, EventHandler>();
  #controller: ServingController | undefined = undefined;

  /**
   * Created by {@linkcode Server.Namespace}.
   *
   * @ignore
   */
  constructor(name: string) {
    this.Name = name;
  }

  /**
   * Registers the handler that runs before a client joins a room.
   *
   * @param event The constant {@linkcode OnRoomJoin}.
   * @param handler The handler. It receives the room and the parameters of the client's `Join`.
   * @returns This namespace, for chaining.
   */
  On(event: typeof OnRoomJoin, handler: RoomJoinHandler): this;
  /**
   * Registers an event handler.
   *
   * @param event The event name, or a constant such as {@linkcode OnRoomLeft}.
   * @param handler The handler. A connection's handlers run one at a time.
   * @returns This namespace, for chaining.
   */
  On(event: string, handler: EventHandler): this;
  On(event: string, handler: EventHandler | RoomJoinHandler): this {
    checkArgument(event, text(), "event", "On");
    const why = this.#reason(event, handler);
    if (why !== "") throw new FrameworkError("FW_ROUTE", `Cannot handle the event "${event}": ${why}`);
    this.#handlers.set(event, handler as EventHandler);
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

  /** Returns the reason why an event cannot be handled, or an empty string. */
  #reason(event: string, handler: unknown): string {
    if (event === "") return "it needs a name";
    if (lifecycleEvents.has(`_${event}`)) return `use the constant "websocket.${event}"`;
    const meant = lifecycleEvents.has(event) || !/^_?on/i.test(event) ? undefined : misspelled(event, lifecycleMethods);
    if (meant !== undefined) return `use the constant "websocket.${meant}", or another name`;
    if (event.startsWith("_") && !lifecycleEvents.has(event)) return 'names with "_" are reserved';
    if (typeof handler !== "function") return "its handler is not a function";
    if (this.#handlers.has(event)) return "it already has a handler";
    if (this.#controller !== undefined) return `the namespace "${this.Name}" is served by "${this.#controller.name}"`;
    const isMisplaced = event === OnNativeMessage && this.Name !== "";
    return isMisplaced ? "raw messages have no namespace, so only the default namespace can handle them" : "";
  }

  static {
    eventNames = (namespace) => [...namespace.#handlers.keys()].filter((name) => !lifecycleEvents.has(name));
    handlersFor = (namespace, conn) => namespace.#controller?.create(conn) ?? namespace;
    acceptsNative = (namespace) => namespace.#controller?.isNative ?? namespace.#handlers.has(OnNativeMessage);
    serveWith = (namespace, controller) => {
      if (namespace.#controller !== undefined || namespace.#handlers.size > 0) {
        throw new FrameworkError(
          "FW_ROUTE",
          `Cannot serve "${controller.name}": the namespace "${namespace.Name}" already has handlers`,
        );
      }
      namespace.#controller = controller;
    };
  }
}

/** The namespaces of a server whose names match a pattern or a function. */
export class DynamicNamespaces {
  readonly #rows: { readonly matches: (name: string) => boolean; readonly namespace: Namespace }[] = [];

  /** Adds a namespace. */
  add(pattern: RegExp | ((name: string) => boolean)): Namespace {
    const matches = matcherOf(pattern);
    const namespace = new Namespace(pattern instanceof RegExp ? String(pattern) : pattern.name || "(function)");
    this.#rows.push({ matches, namespace });
    return namespace;
  }

  /** Finds the first namespace that matches a name, which a client has chosen. */
  find(name: string): Namespace | undefined {
    if (this.#rows.length === 0 || name === "" || name.length > MAX_NAME || !isChannelName(name)) return undefined;
    return this.#rows.find(({ matches }) => matches(name))?.namespace;
  }
}

function matcherOf(pattern: unknown): (name: string) => boolean {
  if (pattern instanceof RegExp) {
    // Patterns with these flags remember where the last match has ended.
    const stateless = new RegExp(pattern.source, pattern.flags.replace(/[gy]/g, ""));
    return (name) => stateless.test(name);
  }
  if (typeof pattern !== "function") {
    throw new FrameworkError("FW_ROUTE", "Cannot use this namespace: pass a name, a regular expression or a function");
  }
  // A promise would match every name.
  return (name) => pattern(name) === true;
}
