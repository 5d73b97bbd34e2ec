/**
 * Codecs. A codec defines the wire format of events, replies and notices.
 *
 * @module
 */

import { bytesOf, isBytes } from "../../../base/data/bytes.ts";
import type { ProblemPlace } from "../../../core/accessors/validation_error.ts";
import type { ProblemObject } from "../../../http/headers/problem.ts";
import type { Position } from "../../hub/backplane.ts";
import type { Gap } from "../../hub/channel.ts";
import { type PayloadHead, payloadOf, plainContent, splitPayload } from "../../hub/payload.ts";
import {
  bytesPacket,
  eventPacket,
  isSentByClient,
  Op,
  type Packet,
  packet,
  partsOf,
  readBytes,
  readPackets,
  replyPacket,
  roomPacket,
} from "./packet.ts";

/** An error, as sent to a client. */
export interface Failure {
  /** The HTTP status code. */
  readonly Status: number;
  /** The error message. */
  readonly Message: string;
  /** The validation issues, if the data does not match its schema. */
  readonly Errors?: readonly ProblemPlace[];
  /** The problem details, if the error has any. */
  readonly Problem?: ProblemObject;
}

/** The request ID of raw messages. They have none, but a handler may reply with another raw message. */
export const NATIVE_ID: number = -1;

/** A room message. */
export interface RoomPayload {
  readonly head: PayloadHead | undefined;
  /** The event and its data, as JSON. */
  readonly content: string;
}

/** The wire format of a connection. Its functions return `undefined` if the format cannot express the packet. */
export interface Codec {
  /**
   * The ping policy. `"idle"` pings silent clients, `"always"` pings at regular intervals, and `"never"` leaves pings
   * to Deno, because the client would not understand them.
   */
  readonly pings: "idle" | "always" | "never";
  /** Whether several packets can share a message. */
  readonly joins: boolean;
  /** Joins packets into as few messages as possible, without exceeding the maximum message length. */
  parts(packets: string[]): string[];
  event(id: number, namespace: string, event: string, data: unknown): Message;
  room(namespace: string, room: string, offset: number, payload: RoomPayload): Message;
  reply(id: number, namespace: string, data: unknown): Message;
  failure(id: number, namespace: string, failure: Failure): string | undefined;
  connected(id: number, namespace: string, connection: string): string | undefined;
  refused(id: number, namespace: string, failure: Failure): string | undefined;
  /** Announces that the application has closed the connection, for clients that would otherwise reconnect. */
  disconnected(namespace: string): string | undefined;
  moved(namespace: string, room: string, position: Position | undefined): string | undefined;
  gap(namespace: string, room: string, gap: Gap, position: Position): string | undefined;
  away(ms: number): string | undefined;
  expiring(ms: number): string | undefined;
  hello(connection: string, idle: number): string | undefined;
  ping(): string | undefined;
  pong(): string | undefined;
  /** Returns the message for raw data. If omitted, the data is sent unchanged. */
  native?(data: string | Uint8Array<ArrayBuffer>): Message;
  /** Finds the rooms of a client that has reconnected, and the positions of the last messages it has received. */
  restore?(namespace: string, data: unknown, user: string | undefined): Promise<Map<string, Position> | undefined>;
  /** Creates a message reader for one connection. */
  reader(): Reader;
}

/** Converts a message to packets with an {@linkcode Op}. Returns `undefined` if the message is malformed. */
export type Reader = (data: string | ArrayBuffer) => readonly Packet[] | undefined;

/** The messages to send for one packet: none, one, or several that must not be separated. */
export type Message = string | Uint8Array<ArrayBuffer> | readonly (string | Uint8Array<ArrayBuffer>)[] | undefined;

/** The codec for `fw.live.1`. */
export const liveCodec: Codec = {
  pings: "idle",
  joins: true,
  parts: partsOf,
  event: (id, namespace, event, data) =>
    isBytes(data)
      ? bytesPacket([Op.Event, id, namespace, event], bytesOf(data))
      : eventPacket(id, namespace, event, data),
  room: (namespace, room, offset, { head, content }) =>
    roomPacket(namespace, room, offset, plainContent(content, head)),
  reply: (id, _namespace, data) =>
    id === 0 ? undefined : isBytes(data) ? bytesPacket([Op.Reply, id], bytesOf(data)) : replyPacket(id, data),
  failure: (id, _namespace, failure) => packet(Op.Failure, id, failure),
  connected: (id, _namespace, connection) => packet(Op.Reply, id, { ID: connection }),
  refused: (id, _namespace, failure) => packet(Op.Failure, id, failure),
  // The close code tells the client whether to reconnect.
  disconnected: nothing,
  moved: (namespace, room, position) =>
    packet(Op.Moved, namespace, room, position === undefined ? 0 : 1, position?.Epoch ?? "", position?.Offset ?? 0),
  gap: (namespace, room, { From, To, Reason }, { Epoch, Offset }) =>
    packet(Op.Gap, namespace, room, From, To, Reason, Epoch, Offset),
  away: (ms) => packet(Op.Away, ms),
  expiring: (ms) => packet(Op.Expiring, ms),
  hello: (connection, idle) => packet(Op.Hello, connection, idle),
  ping: () => "[0]",
  pong: () => "[0,1]",
  reader: () => readLive,
};

function readLive(data: string | ArrayBuffer): readonly Packet[] | undefined {
  if (typeof data !== "string") {
    const found = readBytes(data);
    return found === undefined || !isSentByClient(found) ? undefined : [found];
  }
  const packets = readPackets(data);
  return packets?.every(isSentByClient) ? packets : undefined;
}

/** The codec for clients without a subprotocol. Messages are delivered unchanged. */
export const nativeCodec: Codec = {
  pings: "never",
  joins: false,
  parts: (packets) => packets,
  event: (_id, _namespace, event, data) => {
    const [head, content] = splitPayload(payloadOf(event, data));
    return `[${plainContent(content, head)}]`;
  },
  room: (_namespace, _room, _offset, { head, content }) => `[${plainContent(content, head)}]`,
  reply: (_id, _namespace, data) => typeof data === "string" ? data : isBytes(data) ? bytesOf(data) : undefined,
  failure: nothing,
  connected: nothing,
  refused: nothing,
  disconnected: nothing,
  moved: nothing,
  gap: nothing,
  away: nothing,
  expiring: nothing,
  hello: nothing,
  ping: nothing,
  pong: nothing,
  // Each message becomes one native packet.
  reader: () => (data) => [[Op.Native, data]],
};

/** Implements the members of a codec for packets that its format cannot express. */
export function nothing(): undefined {
  return undefined;
}
