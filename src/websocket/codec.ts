/**
 * Codecs: how events, replies and notices look on the wire.
 *
 * @module
 */

import type { Gap } from "../live/channel.ts";
import type { Position } from "../live/backplane.ts";
import type { Framing } from "./outbox.ts";
import {
  bytesPacket,
  eventPacket,
  Op,
  type Packet,
  packet,
  partsOf,
  readBytes,
  readPackets,
  replyPacket,
  roomPacket,
} from "./packet.ts";

/** An error as a client sees it. */
export interface Failure {
  /** The status, as in HTTP. */
  readonly Status: number;
  /** The message. */
  readonly Message: string;
}

/** How a connection speaks. A function that returns `undefined` has no words for it. */
export interface Codec extends Framing {
  /**
   * When the codec pings: `"idle"` if the client is silent, `"always"` at regular intervals, `"never"` if the client
   * would not understand it and Deno sends pings of its own.
   */
  readonly pings: "idle" | "always" | "never";
  event(id: number, namespace: string, event: string, data: unknown): Message;
  room(namespace: string, room: string, offset: number, payload: string): string | undefined;
  reply(id: number, namespace: string, data: unknown): Message;
  failure(id: number, namespace: string, failure: Failure): string | undefined;
  connected(id: number, namespace: string, connection: string): string | undefined;
  refused(id: number, namespace: string, failure: Failure): string | undefined;
  disconnected(namespace: string): string | undefined;
  moved(namespace: string, room: string, position: Position | undefined): string | undefined;
  gap(namespace: string, room: string, gap: Gap, position: Position): string | undefined;
  away(ms: number): string | undefined;
  expiring(ms: number): string | undefined;
  hello(connection: string, idle: number): string | undefined;
  ping(): string | undefined;
  pong(): string | undefined;
  /** Creates what reads the messages of one connection. */
  reader(): Reader;
}

/** Reads a message in the form of {@linkcode Op}; `undefined` if it is malformed. */
export type Reader = (data: string | ArrayBuffer) => readonly Packet[] | undefined;

/** What is sent for one packet: nothing, one message, or several that belong together. */
export type Message = string | Uint8Array<ArrayBuffer> | readonly (string | Uint8Array<ArrayBuffer>)[] | undefined;

/** The codec of `fw.live.1`. */
export const liveCodec: Codec = {
  pings: "idle",
  parts: partsOf,
  event: (id, namespace, event, data) =>
    data instanceof Uint8Array ? bytesPacket(id, namespace, event, data) : eventPacket(id, namespace, event, data),
  room: roomPacket,
  reply: (id, _namespace, data) => id === 0 ? undefined : replyPacket(id, data),
  failure: (id, _namespace, failure) => packet(Op.Failure, id, failure),
  connected: (id, _namespace, connection) => packet(Op.Reply, id, { ID: connection }),
  refused: (id, _namespace, failure) => packet(Op.Failure, id, failure),
  disconnected: (namespace) => packet(Op.Disconnect, 0, namespace),
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
  if (typeof data === "string") return readPackets(data);
  const found = readBytes(data);
  return found === undefined ? undefined : [found];
}

/** The codec of clients that offer no sub-protocol: every message is delivered as it is. */
export const nativeCodec: Codec = {
  pings: "never",
  parts: (packets) => packets,
  event: (_id, _namespace, event, data) => eventPacket(0, "", event, data),
  room: (_namespace, _room, _offset, payload) => `[${payload}]`,
  reply: (_id, _namespace, data) => typeof data === "string" ? data : undefined,
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
  // Every message is one packet of the application's own.
  reader: () => (data) => [[Op.Native, data]],
};

function nothing(): undefined {
  return undefined;
}
