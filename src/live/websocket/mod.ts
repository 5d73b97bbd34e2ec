/**
 * WebSocket servers with events, replies, rooms, namespaces and resumable topics.
 *
 * @example Create a chat room
 * ```ts
 * import * as fw from "@fw/web";
 * import * as httptest from "@fw/web/httptest";
 * import * as websocket from "@fw/web/websocket";
 *
 * const server = websocket.New();
 * server.On(websocket.OnRoomJoin, (_conn, room) => room === "tea");
 * server.On("say", async (conn, text) => {
 *   await conn.To("tea").Emit("said", { text });
 *   return { ok: true };
 * });
 * const app = fw.New();
 * app.Get("/ws", websocket.Handler(server));
 *
 * const socket = await httptest.New(app).WebSocket("/ws");
 * await socket.Join("tea");
 * await socket.Ask("say", "hello"); // → { ok: true }
 * await socket.ExpectEvent("said", { text: "hello" });
 * await socket.Close();
 * ```
 *
 * @module
 */

import { provideSockets } from "../../core/context/socket_support.ts";
import { controllerSupport } from "./controller_support.ts";

export { Handler } from "./accept.ts";
export { Client } from "./client/client_file.ts";
export type {
  AskArguments,
  AskOptions,
  AskReply,
  AsksIn,
  Conn,
  ConnServer,
  EmitsIn,
  Ending,
  EventData,
  Events,
  JoinRoomOptions,
  RoomEmitter,
  UserEmitter,
} from "./conn.ts";
export {
  type EventHandler,
  Namespace,
  OnAnyEvent,
  OnNamespaceConnect,
  OnNamespaceConnected,
  OnNamespaceDisconnect,
  OnNativeMessage,
  OnRoomJoin,
  OnRoomJoined,
  OnRoomLeave,
  OnRoomLeft,
  type RoomJoinHandler,
} from "./namespace.ts";
export type { Options, SessionSource } from "./options.ts";
export type { Fetched, FetchedConn, FetchOptions } from "./processes/fetched.ts";
export { New, Server, SocketServer } from "./server.ts";

// Controllers do not import this module, so that programs without WebSockets do not load it.
provideSockets(controllerSupport);
