/**
 * Serves Socket.IO clients (protocol version 5, Engine.IO 4). Clients need no options: they start with HTTP long
 * polling and upgrade to a WebSocket.
 *
 * - Register the handler for all methods with `app.Any`, because clients poll with GET and send with POST. The guards
 *   of the route run for each request. A session can be used only by the user who has opened it.
 * - The options of the server also apply to polling: `MaxMessage` limits request bodies (413), `MaxConnections` and
 *   `MaxPerAddress` limit sessions, `MaxBuffered` limits the messages that wait for a client, and `Origins` limits the
 *   origins that may connect. Pages of other origins need the middleware `cors` as well.
 * - With several processes, a load balancer must send all requests of a client to the same process ("sticky sessions").
 *   Otherwise, clients get the error `Session ID unknown`. Clients with `transports: ["websocket"]` do not need it.
 * - Events, room messages and broadcasts may have several arguments ({@linkcode Args}) and nested bytes.
 * - A client does not reconnect after the application has closed its connection (`io server disconnect`), but does so
 *   after a restart, a timeout or an exceeded limit. With the option `Recovery`, it then joins its rooms again and
 *   receives the stored messages that it has missed.
 * - Engine.IO messages that are not Socket.IO packets are passed to `OnNativeMessage` if the default namespace handles
 *   it. Otherwise, they close the connection.
 *
 * @example Serve Socket.IO clients
 * ```ts
 * import * as fw from "@fw/web";
 * import * as websocket from "@fw/web/websocket";
 * import * as socketio from "@fw/web/websocket/socketio";
 *
 * const server = websocket.New();
 * server.On("say", (conn, text) => conn.To("tea").Emit("said", text));
 * const app = fw.New();
 * // Clients ask for "/socket.io/": the final slash is served without a redirect.
 * app.Configure(fw.WithoutPathCorrectionRedirection);
 * app.Any("/socket.io", socketio.Handler(server));
 *
 * (await app.fetch(new Request("http://localhost/socket.io/?EIO=4&transport=polling"))).status; // → 200
 * server.Close();
 * ```
 *
 * @module
 */

import { milliseconds } from "../../base/config/option_kinds.ts";
import { instance } from "../../base/config/option_shapes.ts";
import { checkArgument, optionTable, readOptions } from "../../base/config/option_table.ts";
import { FrameworkError } from "../../base/errors/errors.ts";
import type { Context } from "../../core/context/context.ts";
import type { Handler as RouteHandler } from "../../core/context/handler.ts";
import { extended, handlerWith } from "./accept.ts";
import { acceptsNative } from "./namespace.ts";
import { noteFacts } from "../../core/exchange/handler_facts.ts";
import { PollingSessions, problemResponse } from "./polling.ts";
import { connectionsOf, Server } from "./server.ts";
import { nothing } from "./wire/codec.ts";
import { Recovery } from "./wire/recovery.ts";
import { type CodecTerms, newSocketIOCodec, openMessage } from "./wire/socketio_codec.ts";

export { Args } from "../hub/attachments.ts";

/** Options for {@linkcode Handler}. */
export interface Options {
  /** The time that clients wait for a late ping, in milliseconds. Defaults to half of the server's `IdleTimeout`. */
  readonly PingTimeout?: number;
  /**
   * The time during which a client can recover a lost connection, in milliseconds. The client rejoins its rooms and
   * receives the stored messages that it missed, so the server requires the `Rooms` option. Handlers run as they do for
   * a new connection. If omitted, connections are not recovered.
   */
  readonly Recovery?: number;
}

const table = optionTable<Options>("websocket/socketio.Options", "socketio")({
  PingTimeout: milliseconds(undefined, { isPositive: true }),
  Recovery: milliseconds(undefined, { from: 1, isWhole: true }),
});

/**
 * Creates a route handler for Socket.IO clients. Register it for all methods, for example with `app.Any`.
 *
 * @param server The server. Its namespace `chat` is `/chat` for clients.
 * @param options The ping timeout, and the time for recovering connections.
 * @returns The handler. It responds with 400 and an error code of Engine.IO to invalid requests, and with 403 to
 * disallowed origins.
 * @throws {FrameworkError} If an option is invalid, or if `Recovery` is set and the server stores no messages.
 */
export function Handler(server: Server, options: Options = {}): RouteHandler {
  const { PingTimeout, Recovery: lifetime } = readOptions(table, options);
  checkArgument(server, instance(Server, "a server created by websocket.New"), "server", "socketio.Handler");
  const connections = connectionsOf(server);
  const { IdleTimeout: idleTimeout, MaxMessage: maxMessage, Rooms } = connections.settings;
  if (lifetime !== undefined && Rooms.History === 0) {
    throw new FrameworkError(
      "FW_CONFIG",
      'Cannot use the option "Recovery" of socketio: no messages are stored; set the option "Rooms" of the server',
    );
  }
  const half = Math.round(idleTimeout / 2);
  const terms: CodecTerms = {
    pingInterval: half,
    pingTimeout: PingTimeout ?? half,
    maxPayload: maxMessage,
    isNamespace: (name) => connections.namespace(name) !== undefined,
    acceptsNative: () => acceptsNative(server.Namespace("")),
  };
  const codec = newSocketIOCodec(terms);
  // The response to a polling handshake contains the first message.
  const polling = { ...codec, hello: nothing };
  const recovery = lifetime === undefined ? undefined : new Recovery(connections.settings, lifetime);
  if (recovery !== undefined) server.OnDisconnect((conn) => recovery.store(conn.ID));
  const accept = handlerWith(server, () => recovery?.codec(codec) ?? codec);
  const sessions = new PollingSessions(connections, {
    ...terms,
    newCodec: () => recovery?.codec(polling) ?? polling,
    open: (sid) => openMessage(sid, ["websocket"], terms),
  });
  return extended("socketio", noteFacts(serveSocketIO, { isRelay: true }), connections);

  function serveSocketIO(ctx: Context): ReturnType<RouteHandler> {
    if (ctx.URLParam("EIO") !== "4") return problemResponse("version");
    const transport = ctx.URLParam("transport");
    const sid = ctx.URLParam("sid");
    if (transport === "websocket") return sid === "" ? accept(ctx) : sessions.upgrade(ctx, sid);
    if (transport !== "polling") return problemResponse("transport");
    return sid === "" ? sessions.open(ctx) : sessions.serve(ctx, sid);
  }
}
