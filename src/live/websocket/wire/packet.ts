/**
 * The packets of the `fw.live.1` subprotocol. A packet is a JSON array that begins with a number. A WebSocket message
 * contains one packet or an array of packets.
 *
 * @module
 */

import type { Entrance } from "../../../base/codec/refusal.ts";
import { encodeWithBase64 } from "../../../base/codec/sent.ts";
import { HTTPError } from "../../../base/errors/errors.ts";
import { toJSON } from "../../../base/text/json.ts";
import { parseLossless } from "../../../base/text/lossless_json.ts";
import { isTooDeep, maxDepth } from "../../../http/body/source/parse_json.ts";
import type { Position } from "../../hub/backplane.ts";
import { entranceOf } from "../../hub/payload.ts";

/**
 * Parses a message, which is a packet, an array of packets, or another value. Integers that a number cannot represent
 * exactly become bigints.
 *
 * @param text The message.
 * @returns The value. Items of a packet that are nested too deeply are replaced with an error, so that only this packet
 * is refused.
 * @throws {SyntaxError} If the message is not JSON.
 */
export function parseMessage(text: string): unknown {
  // A deep value is parsed without a reviver, which would overflow the stack.
  const value: unknown = JSON.parse(text);
  if (!isTooDeep(text, value)) return longInteger.test(text) ? parseLossless(text) : value;
  if (!Array.isArray(value)) return tooDeep();
  return Array.isArray(value[0]) ? value.map((packet) => shallow(packet, text)) : shallow(value, text);
}

/** A number can represent all integers with fewer digits exactly. */
const longInteger = /[1-9]\d{15}/;

function shallow(packet: unknown, text: string): unknown {
  return Array.isArray(packet) ? packet.map((item) => isTooDeep(text, item) ? tooDeep() : item) : packet;
}

function tooDeep(): HTTPError {
  return new HTTPError(400, `The values of the message are nested more than ${maxDepth} levels deep`);
}

/** Throws the error of data that is nested too deeply. */
export function assertReadable(data: unknown): void {
  if (data instanceof HTTPError) throw data;
}

/** The maximum length of the name of a room, event or namespace. */
export const MAX_NAME = 256;
const MAX_EPOCH = 64;

/** Reads a name. */
export function text(value: unknown): string {
  if (typeof value === "string" && value.length <= MAX_NAME) return value;
  throw new HTTPError(400, "The message is malformed");
}

/** Reads a number of messages. If omitted, it is 0. */
export function countOf(value: unknown): number {
  if (value === undefined || value === null) return 0;
  if (Number.isSafeInteger(value) && Number(value) >= 0) return Number(value);
  throw new HTTPError(400, "The message is malformed");
}

/** Reads a position. Returns `undefined` if it is not valid. */
export function positionOf(epoch: unknown, offset: unknown): Position | undefined {
  if (typeof epoch !== "string" || epoch.length > MAX_EPOCH) return undefined;
  return Number.isSafeInteger(offset) && Number(offset) >= 0 ? { Epoch: epoch, Offset: Number(offset) } : undefined;
}

/** Packet types. */
export const Op = {
  /** `[0]`: a ping. The client must respond with any packet. `[0, 1]` is the response. */
  Ping: 0,
  /** `[1, id, namespace, event, data]`: an event. If the ID is not 0, a reply is expected. */
  Event: 1,
  /**
   * `[2, namespace, room, offset, event, data]`: a room message. The offset is 0 if the message is not stored. If the
   * data is binary, it is `null` and followed by a Base64 string.
   */
  Room: 2,
  /** `[3, id, data]`: a reply. */
  Reply: 3,
  /** `[4, id, { Status, Message, Errors, Problem }]`: an error reply. The last two members are optional. */
  Failure: 4,
  /** `[5, id, namespace, positions, data]`: connects to a namespace. Positions are `{ room: [epoch, offset] }`. */
  Connect: 5,
  /** `[6, id, namespace]`: leaves a namespace. */
  Disconnect: 6,
  /**
   * `[7, id, namespace, room, epoch, offset, params, rewind]`: joins a room, optionally from a position or with the
   * last messages. The reply is `{ Epoch, Offset, Reply }`.
   */
  Join: 7,
  /** `[8, id, namespace, room]`: leaves a room. */
  Leave: 8,
  /** `[9, id, token]`: renews the identity. */
  Renew: 9,
  /**
   * `[10, namespace, room, from, to, reason, epoch, offset]`: reports missing messages and the room's current position.
   */
  Gap: 10,
  /** `[11, ms]`: announces that the server is shutting down. The client reconnects after the given time. */
  Away: 11,
  /** `[12, ms]`: announces that the identity expires after the given time. */
  Expiring: 12,
  /** `[13, id, idle]`: the connection ID and the idle timeout, in milliseconds. */
  Hello: 13,
  /** `[14, id, namespace, event, data, key]`: an event that may be retried but is applied only once. */
  Once: 14,
  /** `[15, namespace, room, joined, epoch, offset]`: the server has added the client to a room or removed it. */
  Moved: 15,
  /**
   * `[16, id, namespace, room, watch]`: requests the members of a room. If `watch` is 1, the client also receives the
   * changes, and if it is 0, it no longer does.
   */
  Presence: 16,
  /**
   * `[17, namespace, room, isFirst, joined, left, updated]`: a change in the members of a room. The first one contains
   * all members.
   */
  Members: 17,
  /** A raw message outside the event protocol. Not sent on the wire. */
  Native: -1,
  /** A request by the client to close the connection. Not sent on the wire. */
  Close: -2,
} as const;

/** A packet, parsed from JSON. */
export type Packet = readonly unknown[];

/**
 * The length up to which a message is sent whole, and the length of the parts of a longer message. Deno keeps a buffer
 * of the size of the largest message for each connection. After a broadcast of 1 MiB to 1,000 connections, parts of 4
 * KiB leave 12 MiB behind, parts of 16 KiB leave 23 MiB, and an unsplit message 1,000 MiB.
 */
const WHOLE = 8 << 10;
const PART = 4 << 10;

/** Serializes a packet from JSON strings and plain values. */
export function packet(op: number, ...values: readonly unknown[]): string {
  return toJSON([op, ...values]);
}

/** Serializes an event. */
export function eventPacket(id: number, namespace: string, event: string, data: unknown): string {
  return `[${Op.Event},${id},${quote(namespace)},${quote(event)},${encodeWithBase64(data, entranceOf(event))}]`;
}

/** The place where a reply enters, for error messages. */
export const replyEntrance: Entrance = { act: "send the reply", root: "Data", code: "FW_LIVE" };

/** Serializes a reply. */
export function replyPacket(id: number, data: unknown): string {
  return `[${Op.Reply},${id},${encodeWithBase64(data, replyEntrance)}]`;
}

/** Quotes a name as JSON. Most names need no escaping, and the check is cheaper than `JSON.stringify`. */
function quote(text: string): string {
  return /^[\w./:-]*$/.test(text) ? `"${text}"` : JSON.stringify(text);
}

/** Serializes a room message. The content is the JSON of the event and its data. */
export function roomPacket(namespace: string, room: string, offset: number, content: string): string {
  return `[${Op.Room},${quote(namespace)},${quote(room)},${offset},${content}]`;
}

/**
 * Parses a message.
 *
 * @param text The message.
 * @returns The packets, or `undefined` if the message is malformed.
 */
export function readPackets(text: string): readonly Packet[] | undefined {
  let value: unknown;
  try {
    value = parseMessage(text);
  } catch {
    return undefined;
  }
  if (isPacket(value)) return [value];
  return Array.isArray(value) && value.length > 0 && value.every(isPacket) ? value : undefined;
}

/** Reports whether a value is a packet. Negative types are internal and must not be accepted from clients. */
function isPacket(value: unknown): value is Packet {
  return Array.isArray(value) && typeof value[0] === "number" && value[0] >= 0;
}

type FieldTest = (value: unknown) => boolean;

/** The fields of the packets that clients send, up to the last one with a fixed type. */
const sentFields: readonly (readonly FieldTest[] | undefined)[] = sparse({
  [Op.Ping]: [],
  [Op.Event]: [isID, isText, isText],
  [Op.Reply]: [isID],
  [Op.Failure]: [isID],
  [Op.Connect]: [isID, isText],
  [Op.Disconnect]: [isID, isText],
  [Op.Join]: [isID, isText, isText],
  [Op.Leave]: [isID, isText, isText],
  [Op.Renew]: [isID, isText],
  [Op.Once]: [isID, isText, isText, isAny, isText],
  [Op.Presence]: [isID, isText, isText],
});

/**
 * Reports whether a packet is one that a client may send, with fields of the right types. The fields are used without
 * further tests. An object in place of a name would throw when it is converted to a string.
 */
export function isSentByClient(packet: Packet): boolean {
  const tests = sentFields[packet[0] as number];
  if (tests === undefined) return false;
  for (let at = 0; at < tests.length; at++) if (tests[at]?.(packet[at + 1]) !== true) return false;
  return true;
}

function sparse<T>(rows: Readonly<Record<number, T>>): (T | undefined)[] {
  return Array.from({ length: Op.Members + 1 }, (_, op) => rows[op]);
}

function isID(value: unknown): boolean {
  return Number.isSafeInteger(value) && value as number >= 0;
}

function isText(value: unknown): boolean {
  return typeof value === "string";
}

function isAny(): boolean {
  return true;
}

/**
 * Joins packets into one message and splits a long message into parts. The last part begins with `=`, and all others
 * begin with `+`.
 */
export function partsOf(packets: readonly string[]): string[] {
  const text = packets.length === 1 ? packets[0] ?? "" : `[${packets.join(",")}]`;
  if (text.length <= WHOLE) return [text];
  const parts: string[] = [];
  for (let at = 0; at < text.length;) {
    const end = endOfPart(text, at);
    parts.push((end < text.length ? "+" : "=") + text.slice(at, end));
    at = end;
  }
  return parts;
}

const encoder = new TextEncoder();
const scratch = new Uint8Array(PART);

/**
 * Returns the end of the part that starts at an index. The bytes are counted by encoding, because a regular expression
 * that tests for ASCII would keep the whole message alive until the next match.
 */
function endOfPart(text: string, start: number): number {
  const end = start + encoder.encodeInto(text.slice(start, start + PART), scratch).read;
  // A split surrogate pair would arrive as replacement characters.
  return end < text.length && isHighSurrogate(text.charCodeAt(end - 1)) ? end - 1 : end;
}

function isHighSurrogate(unit: number): boolean {
  return unit >= 0xd800 && unit < 0xdc00;
}

/** The positions of the data in the packets that may have binary data. */
export const dataAt: Readonly<Record<number, number>> = { [Op.Event]: 4, [Op.Once]: 4, [Op.Reply]: 2, [Op.Join]: 6 };

/**
 * Serializes a packet with binary data: the header length, the header as JSON, and the bytes. The header is the packet
 * without its data.
 */
export function bytesPacket(header: Packet, data: Uint8Array): Uint8Array<ArrayBuffer> {
  const head = new TextEncoder().encode(JSON.stringify(header));
  const whole = new Uint8Array(2 + head.length + data.length);
  new DataView(whole.buffer).setUint16(0, head.length);
  whole.set(head, 2);
  whole.set(data, 2 + head.length);
  return whole;
}

/** Parses a packet with binary data. */
export function readBytes(buffer: ArrayBuffer): Packet | undefined {
  if (buffer.byteLength < 2) return undefined;
  const length = new DataView(buffer).getUint16(0);
  if (buffer.byteLength < 2 + length) return undefined;
  const head = readPackets(new TextDecoder().decode(new Uint8Array(buffer, 2, length)))?.[0];
  const at = dataAt[Number(head?.[0])];
  if (head === undefined || at === undefined || head.length < at) return undefined;
  return head.toSpliced(at, 0, new Uint8Array(buffer, 2 + length));
}
