/**
 * Serves Socket.IO clients (protocol version 5, Engine.IO 4). Only the WebSocket transport is supported. Clients must
 * set `transports: ["websocket"]`, because long polling is not available.
 *
 * Room messages and broadcasts have one argument, which is either bytes or JSON. Other events may have several
 * arguments ({@linkcode Args}) and nested bytes. A client does not reconnect after the application has closed its
 * connection (`io server disconnect`), but does so after a restart, a timeout or an exceeded limit.
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
 * app.Get("/socket.io", socketio.Handler(server));
 *
 * (await app.fetch(new Request("http://localhost/socket.io?EIO=4&transport=polling"))).status; // → 400
 * ```
 *
 * @module
 */

import { checkOptions, type OptionRules } from "../config/check_options.ts";
import type { Handler as RouteHandler } from "../context/handler.ts";
import { bytesOf, isBytes } from "../data/bytes.ts";
import { FrameworkError } from "../errors/errors.ts";
import { isBinary, readContent } from "../live/payload.ts";
import { plainCollection, toJSON } from "../text/json.ts";
import { handlerWith } from "./accept.ts";
import { connectionsOf, type Server } from "./server.ts";
import type { Codec, Message, Reader } from "./wire/codec.ts";
import { Op, type Packet } from "./wire/packet.ts";

/** The maximum number of binary attachments per packet. Clients have the same limit. */
const MAX_ATTACHMENTS = 10;

/** Options for {@linkcode Handler}. */
export interface Options {
  /** The time that clients wait for a late ping, in milliseconds. Defaults to half of the server's `IdleTimeout`. */
  readonly PingTimeout?: number;
}

/** The arguments of an event with several arguments. If an event has one argument, that argument is its data. */
export class Args extends Array<unknown> {}

const optionRules: OptionRules<Options> = {
  PingTimeout: "number",
};

/**
 * Creates a route handler for Socket.IO clients.
 *
 * @param server The server. Its namespace `chat` is `/chat` for clients.
 * @param options The ping timeout.
 * @returns The handler. It responds with 400 to other transports.
 */
export function Handler(server: Server, options: Options = {}): RouteHandler {
  checkOptions("socketio", options, optionRules);
  const connections = connectionsOf(server);
  const { idleTimeout, maxMessage } = connections.settings;
  const half = Math.round(idleTimeout / 2);
  const codec = newCodec({
    pingInterval: half,
    pingTimeout: options.PingTimeout ?? half,
    maxPayload: maxMessage,
    isNamespace: (name) => connections.namespace(name) !== undefined,
  });
  const accept = handlerWith(server, codec);
  return function serveSocketIO(ctx) {
    if (ctx.URLParam("EIO") !== "4") return refuse({ code: 5, message: "Unsupported protocol version" });
    if (ctx.URLParam("transport") !== "websocket") return refuse({ code: 0, message: "Transport unknown" });
    return accept(ctx);
  };
}

function refuse(problem: { readonly code: number; readonly message: string }): Response {
  return Response.json(problem, { status: 400 });
}

/** The properties of a server that its clients depend on. Times are in milliseconds. */
interface CodecTerms {
  readonly pingInterval: number;
  readonly pingTimeout: number;
  readonly maxPayload: number;
  isNamespace(name: string): boolean;
}

function newCodec({ isNamespace, ...terms }: CodecTerms): Codec {
  return {
    pings: "always",
    // Engine.IO cannot combine several packets in one message.
    joins: false,
    parts: (packets) => packets,
    event: (id, namespace, event, data) => packed(2, namespace, id > 0 ? String(id) : "", [event, ...argsOf(data)]),
    room: (namespace, _room, _offset, content) =>
      isBinary(content) ? packed(2, namespace, "", [...readContent(content)]) : `42${prefix(namespace)}[${content}]`,
    reply: (id, namespace, data) => id > 0 ? packed(3, namespace, String(id - 1), argsOf(data)) : undefined,
    failure: (id, namespace, error) => id > 0 ? packed(3, namespace, String(id - 1), [{ error }]) as string : undefined,
    connected: (_id, namespace, connection) => `40${prefix(namespace)}${JSON.stringify({ sid: connection })}`,
    refused: (_id, namespace, { Message, ...data }) => {
      // Clients compare the message of an unknown namespace, which has no data.
      const problem = isNamespace(namespace) ? { message: Message, data } : { message: "Invalid namespace" };
      return `44${prefix(namespace)}${JSON.stringify(problem)}`;
    },
    disconnected: (namespace) => `41${prefix(namespace)}`,
    moved: nothing,
    gap: (namespace, room, gap) => `42${prefix(namespace)}${JSON.stringify(["gap", { Room: room, ...gap }])}`,
    away: nothing,
    expiring: nothing,
    hello: (sid) => `0${JSON.stringify({ sid, upgrades: [], ...terms })}`,
    ping: () => "2",
    pong: () => "3",
    reader: newReader,
  };
}

function nothing(): undefined {
  return undefined;
}

function prefix(namespace: string): string {
  return namespace === "" ? "" : `/${namespace},`;
}

function argsOf(data: unknown): unknown[] {
  return data === undefined ? [] : data instanceof Args ? [...data] : [data];
}

/**
 * Serializes a packet. Type 2 is an event, and type 3 is an acknowledgement. With binary data, the types are 5 and 6.
 */
function packed(kind: 2 | 3, namespace: string, id: string, args: unknown[]): Message {
  const attachments: Uint8Array<ArrayBuffer>[] = [];
  const text = toJSON(hasBytes(args) ? detach(args, attachments) : args);
  if (attachments.length === 0) return `4${kind}${prefix(namespace)}${id}${text}`;
  if (attachments.length > MAX_ATTACHMENTS) {
    throw new FrameworkError(
      "FW_LIVE",
      `Cannot send ${attachments.length} attachments: clients accept at most ${MAX_ATTACHMENTS} per packet`,
    );
  }
  return [`4${kind + 3}${attachments.length}-${prefix(namespace)}${id}${text}`, ...attachments];
}

function hasBytes(value: unknown): boolean {
  if (typeof value !== "object" || value === null) return false;
  if (isBytes(value)) return true;
  if (value instanceof Map || value instanceof Set) return value.values().some(hasBytes);
  return Object.values(value).some(hasBytes);
}

/** Replaces binary values with placeholders. The values are sent as attachments. */
function detach(value: unknown, attachments: Uint8Array[]): unknown {
  if (typeof value !== "object" || value === null) return value;
  if (isBytes(value)) return { _placeholder: true, num: attachments.push(bytesOf(value)) - 1 };
  if ("toJSON" in value && typeof value.toJSON === "function") return detach(value.toJSON(), attachments);
  const plain = plainCollection(value) as object;
  if (Array.isArray(plain)) return plain.map((each) => detach(each, attachments));
  return Object.fromEntries(Object.entries(plain).map(([name, each]) => [name, detach(each, attachments)]));
}

/** A packet that is waiting for attachments. */
interface Incomplete {
  readonly count: number;
  readonly attachments: Uint8Array[];
  finish(attachments: readonly Uint8Array[]): Packet | undefined;
}

function newReader(): Reader {
  let waiting: Incomplete | undefined;
  const connected = new Set<string>();
  return function read(data) {
    if (typeof data !== "string") {
      if (waiting === undefined) return undefined;
      waiting.attachments.push(new Uint8Array(data));
      if (waiting.attachments.length < waiting.count) return [];
      const whole = waiting.finish(waiting.attachments);
      waiting = undefined;
      return whole === undefined ? undefined : [whole];
    }
    // Only binary messages may arrive between a packet and its attachments.
    if (waiting !== undefined) return undefined;
    if (data === "3") return [[Op.Ping, 1]];
    if (data === "2") return [[Op.Ping]];
    if (data === "1") return [[Op.Close]];
    const found = /^4([0-6])(?:(\d{1,2})-)?(?:\/([^,]*)(?:,|$))?(\d{1,9})?(.*)$/s.exec(data);
    if (found === null) return undefined;
    const [, kind = "", count, name = "", id, rest = ""] = found;
    const hasAttachments = kind === "5" || kind === "6";
    if (hasAttachments !== (count !== undefined)) return undefined;
    const packet = readPacket(Number(kind), name, id, rest, connected);
    if (packet === undefined || !hasAttachments) return packet === undefined ? undefined : [packet];
    const wanted = Number(count);
    if (wanted < 1 || wanted > MAX_ATTACHMENTS) return undefined;
    waiting = { count: wanted, attachments: [], finish: (attachments) => attach(packet, attachments) };
    return [];
  };
}

function readPacket(
  kind: number,
  name: string,
  id: string | undefined,
  rest: string,
  connected: Set<string>,
): Packet | undefined {
  let value: unknown;
  try {
    value = rest === "" ? undefined : JSON.parse(rest);
  } catch {
    return undefined;
  }
  if (kind === 0) {
    if (value !== undefined && (typeof value !== "object" || value === null)) return undefined;
    connected.add(name);
    return [Op.Connect, 0, name, undefined, value];
  }
  if (!connected.has(name)) return undefined;
  if (kind === 1) {
    connected.delete(name);
    return [Op.Disconnect, 0, name];
  }
  if (!Array.isArray(value)) return undefined;
  if (kind === 3 || kind === 6) return id === undefined ? undefined : [Op.Reply, Number(id), dataOf(value)];
  const [event, ...args] = value;
  if (kind === 4 || typeof event !== "string") return undefined;
  return [Op.Event, id === undefined ? 0 : Number(id) + 1, name, event, dataOf(args)];
}

function dataOf(args: readonly unknown[]): unknown {
  return args.length > 1 ? Args.from(args) : args[0];
}

/** Replaces a packet's placeholders with its attachments. */
function attach(packet: Packet, attachments: readonly Uint8Array[]): Packet | undefined {
  let isWhole = true;
  function filled(value: unknown): unknown {
    if (value instanceof Args) return Args.from(value, filled);
    if (Array.isArray(value)) return value.map(filled);
    if (typeof value !== "object" || value === null) return value;
    if ("_placeholder" in value && value._placeholder === true && "num" in value) {
      const found = typeof value.num === "number" ? attachments[value.num] : undefined;
      isWhole &&= found !== undefined;
      return found;
    }
    return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, filled(each)]));
  }
  const whole = packet.map(filled);
  return isWhole ? whole : undefined;
}
