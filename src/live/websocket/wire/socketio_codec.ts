/**
 * The codec for Socket.IO clients: protocol version 5, in Engine.IO 4 messages.
 *
 * @module
 */

import { encodeWithAttachments } from "../../../base/codec/sent.ts";
import { FrameworkError, HTTPError } from "../../../base/errors/errors.ts";
import { Args, attach } from "../../hub/attachments.ts";
import { entranceOf, isBinary, isComplex, readContent } from "../../hub/payload.ts";
import { toJSON } from "../../../base/text/json.ts";
import { type Codec, type Message, NATIVE_ID, nothing, type Reader } from "./codec.ts";
import { Engine } from "./engine_payload.ts";
import { bytesOf, isBytes } from "../../../base/data/bytes.ts";
import { Op, type Packet, parseMessage, replyEntrance } from "./packet.ts";
import type { PollingTerms } from "./polling_socket.ts";

/** The packet types of Socket.IO. */
const Kind = { Connect: 0, Disconnect: 1, Event: 2, Ack: 3, ConnectError: 4, BinaryEvent: 5, BinaryAck: 6 } as const;

/** The packet types that have a separate type for packets with binary data. */
const binaryKinds = { [Kind.Event]: Kind.BinaryEvent, [Kind.Ack]: Kind.BinaryAck } as const;
type BinaryKind = keyof typeof binaryKinds;

/** The maximum number of namespaces that a client may ask for, and the maximum length of their names. */
const MAX_NAMESPACES = 100;
const MAX_NAME = 256;
/** The maximum number of binary attachments per packet. Clients have the same limit. */
const MAX_ATTACHMENTS = 10;

/** The properties of a server that its clients depend on. Times are in milliseconds. */
export interface CodecTerms extends PollingTerms {
  readonly maxPayload: number;
  isNamespace(name: string): boolean;
  /** Reports whether messages that are not Socket.IO packets are accepted. */
  acceptsNative(): boolean;
}

/** Returns the first message of a connection. */
export function openMessage(sid: string, upgrades: readonly string[], terms: CodecTerms): string {
  const { pingInterval, pingTimeout, maxPayload } = terms;
  return Engine.Open + JSON.stringify({ sid, upgrades, pingInterval, pingTimeout, maxPayload });
}

/** Creates a codec. */
export function newSocketIOCodec(terms: CodecTerms): Codec {
  const { isNamespace } = terms;
  return {
    pings: "always",
    // Engine.IO cannot combine several packets in one message.
    joins: false,
    parts: (packets) => packets,
    event: (id, namespace, event, data) => packed(Kind.Event, namespace, id > 0 ? String(id) : "", data, event),
    room: (namespace, _room, _offset, { head: extra, content }) => {
      const isPlain = !isBinary(content) && (extra === undefined || !isComplex(extra));
      if (isPlain) return head(Kind.Event, namespace) + `[${content}]`;
      const [event, data] = readContent(content, extra);
      return packed(Kind.Event, namespace, "", data, event);
    },
    reply: (id, namespace, data) => {
      if (id === NATIVE_ID) return typeof data === "string" || isBytes(data) ? nativeMessage(data) : undefined;
      return id > 0 ? packed(Kind.Ack, namespace, String(id - 1), data) : undefined;
    },
    failure: (id, namespace, error) =>
      id > 0 ? head(Kind.Ack, namespace) + String(id - 1) + toJSON([{ error }]) : undefined,
    connected: (_id, namespace, connection) => head(Kind.Connect, namespace) + JSON.stringify({ sid: connection }),
    refused: (_id, namespace, { Message, ...data }) => {
      // Clients compare the message of an unknown namespace, which has no data.
      const problem = isNamespace(namespace) ? { message: Message, data } : { message: "Invalid namespace" };
      return head(Kind.ConnectError, namespace) + toJSON(problem);
    },
    disconnected: (namespace) => head(Kind.Disconnect, namespace),
    moved: nothing,
    gap: (namespace, room, gap) => head(Kind.Event, namespace) + JSON.stringify(["gap", { Room: room, ...gap }]),
    away: nothing,
    expiring: nothing,
    hello: (sid) => openMessage(sid, [], terms),
    ping: () => Engine.Ping,
    pong: () => Engine.Pong,
    native: nativeMessage,
    reader: () => newReader(terms),
  };
}

function nativeMessage(data: string | ArrayBuffer | ArrayBufferView): Message {
  return typeof data === "string" ? Engine.Message + data : bytesOf(data);
}

/** Returns the start of a packet. Binary packets also state the number of their attachments. */
function head(kind: number, namespace: string, attachments = ""): string {
  return `${Engine.Message}${kind}${attachments}${namespace === "" ? "" : `/${namespace},`}`;
}

/** Serializes an event, or an acknowledgement, which has no event name. */
function packed(kind: BinaryKind, namespace: string, id: string, data: unknown, event?: string): Message {
  const attachments: Uint8Array<ArrayBuffer>[] = [];
  const entrance = event === undefined ? replyEntrance : entranceOf(event);
  const items = event === undefined ? [] : [JSON.stringify(event)];
  if (data instanceof Args) {
    const add = (each: unknown, at: number) => {
      items.push(encodeWithAttachments(each, { ...entrance, root: `Data[${at}]` }, attachments));
    };
    data.forEach(add);
  } else if (data !== undefined) items.push(encodeWithAttachments(data, entrance, attachments));
  const text = `[${items.join(",")}]`;
  if (attachments.length === 0) return head(kind, namespace) + id + text;
  if (attachments.length > MAX_ATTACHMENTS) {
    throw new FrameworkError(
      "FW_LIVE",
      `Cannot send ${attachments.length} attachments: clients accept at most ${MAX_ATTACHMENTS} per packet`,
    );
  }
  return [head(binaryKinds[kind], namespace, `${attachments.length}-`) + id + text, ...attachments];
}

/** A packet that is waiting for attachments. */
interface Incomplete {
  readonly count: number;
  readonly attachments: Uint8Array[];
  finish(attachments: readonly Uint8Array[]): Packet | undefined;
}

function newReader({ acceptsNative }: CodecTerms): Reader {
  let waiting: Incomplete | undefined;
  const connected = new Set<string>();
  return function read(data) {
    if (typeof data !== "string") {
      if (waiting === undefined) return acceptsNative() ? [[Op.Native, data]] : undefined;
      waiting.attachments.push(new Uint8Array(data));
      if (waiting.attachments.length < waiting.count) return [];
      const whole = waiting.finish(waiting.attachments);
      waiting = undefined;
      return whole === undefined ? undefined : [whole];
    }
    // Only binary messages may arrive between a packet and its attachments.
    if (waiting !== undefined) return undefined;
    if (data === Engine.Pong) return [[Op.Ping, 1]];
    if (data === Engine.Ping) return [[Op.Ping]];
    if (data === Engine.Close) return [[Op.Close]];
    const found = /^4([0-6])(?:(\d{1,2})-)?(?:\/([^,]*)(?:,|$))?(\d{1,9})?(.*)$/s.exec(data);
    if (found === null) {
      const isNative = data.startsWith(Engine.Message) && acceptsNative();
      return isNative ? [[Op.Native, data.slice(Engine.Message.length)]] : undefined;
    }
    const [, digit, count, name = "", id, text = ""] = found;
    const kind = Number(digit);
    const hasAttachments = kind === Kind.BinaryEvent || kind === Kind.BinaryAck;
    if (hasAttachments !== (count !== undefined)) return undefined;
    const packet = readPacket({ kind, name, id, text }, connected);
    if (packet === undefined || !hasAttachments) return packet === undefined ? undefined : [packet];
    const wanted = Number(count);
    if (wanted < 1 || wanted > MAX_ATTACHMENTS) return undefined;
    waiting = {
      count: wanted,
      attachments: [],
      finish: (attachments) => attach(packet, attachments)?.value as Packet | undefined,
    };
    return [];
  };
}

/** The parts of a packet before its data is parsed. */
interface RawPacket {
  readonly kind: number;
  readonly name: string;
  readonly id: string | undefined;
  readonly text: string;
}

/** Parses a packet. Clients must connect to a namespace before they use it. */
function readPacket({ kind, name, id, text }: RawPacket, connected: Set<string>): Packet | undefined {
  let value: unknown;
  try {
    value = text === "" ? undefined : parseMessage(text);
  } catch {
    return undefined;
  }
  if (kind === Kind.Connect) {
    if (value !== undefined && (typeof value !== "object" || value === null)) return undefined;
    if (connected.size >= MAX_NAMESPACES || name.length > MAX_NAME) return undefined;
    connected.add(name);
    return [Op.Connect, 0, name, undefined, value];
  }
  if (!connected.has(name)) return undefined;
  if (kind === Kind.Disconnect) {
    connected.delete(name);
    return [Op.Disconnect, 0, name];
  }
  if (!Array.isArray(value)) return undefined;
  if (kind === Kind.Ack || kind === Kind.BinaryAck) {
    return id === undefined ? undefined : [Op.Reply, Number(id), dataOf(value)];
  }
  const [event, ...args] = value;
  if (kind === Kind.ConnectError || typeof event !== "string") return undefined;
  return [Op.Event, id === undefined ? 0 : Number(id) + 1, name, event, dataOf(args)];
}

function dataOf(args: readonly unknown[]): unknown {
  const unreadable = args.find((arg) => arg instanceof HTTPError);
  return unreadable ?? (args.length > 1 ? Args.from(args) : args[0]);
}
