/**
 * The WebSocket server, as controllers need it. `@fw/web/websocket` registers it when it is imported, so that programs
 * without WebSockets do not load it.
 *
 * @module
 */

import type { Context } from "./context.ts";
import type { Meter } from "../exchange/meter.ts";
import type { Host } from "./extension.ts";
import type { Handler } from "./handler.ts";

/** A connection, as far as controllers need it. */
export interface SocketConn {
  /** Returns the context of the handshake. */
  Context(): Context;
}

/** The handlers of one connection in one namespace. */
export interface SocketHandlers {
  /** Finds an event handler. */
  find(event: string): ((conn: unknown, data: unknown, event: string) => unknown) | undefined;
  /** Called when the client has left. */
  end(): Promise<void>;
}

/** A controller that serves a namespace. */
export interface SocketService {
  readonly name: string;
  readonly namespace: string;
  /** Whether it handles raw messages. */
  readonly isNative: boolean;
  /** Creates the handlers for one connection. */
  create(conn: SocketConn): Promise<SocketHandlers>;
}

/** The WebSocket controllers of a party. */
export interface SocketControllers {
  /** Adds a controller class. */
  add(type: new () => object): void;
}

/** The part of the WebSocket server that serves controllers. */
export interface SocketSupport {
  /** The class that applications register their servers for. */
  readonly token: abstract new () => object;
  /** The names of the lifecycle methods, such as `OnRoomJoin`. */
  readonly lifecycleMethods: readonly string[];
  /** Creates a server with default options. */
  create(): object;
  /**
   * Registers the route of an MVC application's controllers. Only the layers above know the types of the arguments.
   *
   * @param router The party.
   * @param host The host of the MVC application.
   * @param container The dependencies.
   */
  open(router: object, host: Host, container: object): SocketControllers;
  /**
   * Serves controllers.
   *
   * @param server The server.
   * @param services The controllers.
   * @returns The handler for the route of the connections, and their numbers.
   */
  serve(server: object, services: readonly SocketService[]): { readonly handler: Handler; readonly meter: Meter };
}

/** The WebSocket server, or `undefined` if it has not been imported. */
export let socketSupport: SocketSupport | undefined = undefined;

/** Sets the WebSocket server. */
export function provideSockets(support: SocketSupport): void {
  socketSupport = support;
}
