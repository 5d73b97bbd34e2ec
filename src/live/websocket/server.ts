/**
 * The WebSocket server, as used by applications.
 *
 * @module
 */

import { filled, milliseconds, text } from "../../base/config/option_kinds.ts";
import { checkText, optionTable, readOptions } from "../../base/config/option_table.ts";
import { assertFunction } from "../../base/config/returned.ts";
import { FrameworkError } from "../../base/errors/errors.ts";
import { isChannelName } from "../hub/channel_name.ts";
import { innerHub } from "../hub/hub.ts";
import { namespaceOf, type NamespaceOptions } from "../hub/namespace_options.ts";
import type { RoomPresence } from "../hub/presence.ts";
import type { Conn, ConnServer, Ending, RoomEmitter, UserEmitter } from "./conn.ts";
import { Connections } from "./connections.ts";
import { type EventHandler, Namespace, type OnRoomJoin, type RoomJoinHandler } from "./namespace.ts";
import { LONGEST_MS, type Options, settingsOf } from "./options.ts";
import type { Fetched, FetchOptions } from "./processes/fetched.ts";
import { RESPONSE_MS } from "./processes/processes.ts";
import { checkRoom, roomEmitter } from "./room_member.ts";

const fetchTable = optionTable<FetchOptions>("websocket.FetchOptions", "Fetch")({
  Room: filled(),
  User: filled(),
  Namespace: text(""),
  Timeout: milliseconds(RESPONSE_MS, { to: Infinity }),
});

/** Returns the connections of a server. Set in the static block of {@linkcode Server}. */
export let connectionsOf: (server: Server) => Connections;

/** The base class of {@linkcode Server}, which servers can be registered and injected as. */
export abstract class SocketServer {
  /** Closes all connections immediately. */
  abstract Close(): void;
}

/**
 * A WebSocket server. It manages the connections of one or more routes.
 *
 * @example Handle events and reply to them
 * ```ts
 * import * as fw from "@fw/web";
 * import * as httptest from "@fw/web/httptest";
 * import * as websocket from "@fw/web/websocket";
 *
 * const server = websocket.New();
 * server.On("greet", (_conn, name) => `Hello ${name}`);
 * const app = fw.New();
 * app.Get("/ws", websocket.Handler(server));
 *
 * const socket = await httptest.New(app).WebSocket("/ws");
 * await socket.Ask("greet", "Ada"); // → "Hello Ada"
 * await socket.Close();
 * ```
 */
export class Server extends SocketServer implements ConnServer {
  readonly #connections: Connections;

  /**
   * Created by {@linkcode New}.
   *
   * @param options The limits and the hub.
   */
  constructor(options: Options = {}) {
    super();
    this.#connections = new Connections(this, settingsOf(options));
  }

  /**
   * Returns a namespace. Creates it if it does not exist.
   *
   * @param name The namespace's name. If it is a regular expression or a function, all namespaces whose names match
   * share the handlers, and `conn.Namespace` is the name that the client has chosen. Names have no leading slash.
   * Namespaces with a fixed name take precedence, followed by the others in the order of their registration.
   * @returns The namespace.
   */
  Namespace(name: string | RegExp | ((name: string) => boolean)): Namespace {
    const { namespaces, dynamic } = this.#connections;
    if (typeof name !== "string") return dynamic.add(name);
    let namespace = namespaces.get(name);
    if (namespace === undefined) {
      if (name.includes(",") || !isChannelName(name)) {
        throw new FrameworkError("FW_ROUTE", `Cannot use "${name}" as a namespace name`);
      }
      namespaces.set(name, namespace = new Namespace(name));
    }
    return namespace;
  }

  /**
   * Registers the handler that runs before a client joins a room in the default namespace.
   *
   * @param event The constant {@linkcode OnRoomJoin}.
   * @param handler The handler. It receives the room and the parameters of the client's `Join`. Its return value is the
   * reply, and `false` refuses.
   * @returns This server, for chaining.
   */
  On(event: typeof OnRoomJoin, handler: RoomJoinHandler): this;
  /**
   * Registers an event handler in the default namespace.
   *
   * @param event The event name, or a constant such as {@linkcode OnRoomLeft}.
   * @param handler The handler. Its return value is the reply.
   * @returns This server, for chaining.
   */
  On(event: string, handler: EventHandler): this;
  On(event: string, handler: EventHandler | RoomJoinHandler): this {
    this.Namespace("").On(event, handler as EventHandler);
    return this;
  }

  /**
   * Registers a handler for closed connections. It runs exactly once for each opened connection.
   *
   * @param handler The handler.
   * @returns This server, for chaining.
   */
  OnDisconnect(handler: (conn: Conn, ending: Ending) => unknown): this {
    assertFunction(handler, "the handler of OnDisconnect");
    this.#connections.disconnectHandlers.push(handler);
    return this;
  }

  /**
   * Sends an event to all connections of this server in a namespace, in all processes. The event is delivered at most
   * once.
   *
   * @param except A connection to exclude, or `null`.
   * @param event The event name.
   * @param data The data. Bytes are sent unchanged, and other values are sent as JSON.
   * @param options The namespace.
   * @returns A promise that resolves when the message has been published.
   */
  Broadcast(except: Conn | null, event: string, data?: unknown, options?: NamespaceOptions): Promise<void> {
    const all = this.#connections.hubMessages.emitter(namespaceOf("Broadcast", options));
    return (except === null ? all : all.Except(except)).Emit(event, data);
  }

  /**
   * Returns an emitter for a room. To add further rooms, use {@linkcode RoomEmitter.To}.
   *
   * @param room The room.
   * @param options The namespace.
   * @returns The emitter.
   */
  To(room: string, options?: NamespaceOptions): RoomEmitter {
    return roomEmitter(this.#connections.settings, namespaceOf("To", options), [room]);
  }

  /**
   * Returns an emitter for all connections of a user to this server, such as the user's tabs and devices, in all
   * processes. Use it for notifications. Events are delivered at most once. The emitter can also move the connections
   * to a room or out of it.
   *
   * @param user The user ID.
   * @param options The namespace.
   * @returns The emitter.
   */
  ToUser(user: string, options?: NamespaceOptions): UserEmitter {
    checkText(user, "user", "ToUser");
    const namespace = namespaceOf("ToUser", options);
    const { hubMessages } = this.#connections;
    const move = async (room: string, isJoin: boolean) => {
      checkRoom(room);
      await hubMessages.move({ user, namespace, room, isJoin });
    };
    return {
      ...hubMessages.emitter(namespace, { User: user }),
      Join: (room) => move(room, true),
      Leave: (room) => move(room, false),
    };
  }

  /**
   * Finds the connections of this server in all processes, for example those of a room or a user.
   *
   * @param options The room, the user, the namespace and the timeout.
   * @returns The connections, and the number of processes that have responded. The promise rejects if the backplane is
   * not available.
   */
  Fetch(options: FetchOptions = {}): Promise<Fetched> {
    const { Room: room, User: user, Namespace: namespace, Timeout } = readOptions(fetchTable, options);
    return this.#connections.hubMessages.fetch({ namespace, room, user }, Math.min(Timeout, LONGEST_MS));
  }

  /**
   * Returns the presence of a room among the connections of this server, across all processes. Requires the `Presence`
   * option.
   *
   * @param room The room.
   * @param options The namespace.
   * @returns The presence.
   * @throws {FrameworkError} If the option is not set.
   */
  Presence(room: string, options?: NamespaceOptions): RoomPresence {
    const { Hub: hub, Name: name, Presence: presence } = this.#connections.settings;
    if (presence === undefined) {
      throw new FrameworkError(
        "FW_LIVE",
        `Cannot return the presence of "${String(room)}": the server's option "Presence" is not set`,
      );
    }
    return innerHub(hub).presence(name, room, namespaceOf("Presence", options));
  }

  /**
   * Closes all connections of a user to this server in all processes (4403).
   *
   * @param user The user ID.
   * @returns A promise that resolves when the message has been published.
   */
  Disconnect(user: string): Promise<void> {
    return this.#connections.hubMessages.close("disconnect", checkText(user, "user", "Disconnect"));
  }

  /**
   * Returns the connections to a namespace in this process.
   *
   * @param options The namespace.
   * @returns The connections.
   */
  Conns(options?: NamespaceOptions): Conn[] {
    return this.#connections.connsOf(namespaceOf("Conns", options));
  }

  /**
   * Returns the number of open connections in this process.
   *
   * @returns The number of open connections.
   */
  Connections(): number {
    return this.#connections.count;
  }

  /** Closes all connections immediately (1001). */
  override Close(): void {
    this.#connections.close();
  }

  static {
    connectionsOf = (server) => server.#connections;
  }
}

/**
 * Creates a WebSocket server.
 *
 * @param options The limits and the hub.
 * @returns The server. Use {@linkcode Handler} to serve it on a route.
 */
export function New(options: Options = {}): Server {
  return new Server(options);
}
