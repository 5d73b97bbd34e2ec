/**
 * The packets of the sub-protocol `fw.live.1`: JSON arrays that begin with a number. A message of the socket holds one
 * packet, or an array of packets.
 *
 * @module
 */

import { toJSON } from "../base/json.ts";

/** The kinds of packets. */
export const Op = {
  /** `[0]`: expects any response. `[0, 1]` is one. */
  Ping: 0,
  /** `[1, id, namespace, event, data]`: an event; an id other than 0 expects a reply. */
  Event: 1,
  /** `[2, namespace, room, offset, event, data]`: a message of a room; offset 0 if it is not stored. */
  Room: 2,
  /** `[3, id, data]`: a reply. */
  Reply: 3,
  /** `[4, id, { Status, Message }]`: an error in place of a reply. */
  Failure: 4,
  /** `[5, id, namespace, positions, data]`: connects to a namespace; positions are `{ room: [epoch, offset] }`. */
  Connect: 5,
  /** `[6, id, namespace]`: leaves a namespace. */
  Disconnect: 6,
  /** `[7, id, namespace, room, epoch, offset]`: joins a room, from a position if one is given. */
  Join: 7,
  /** `[8, id, namespace, room]`: leaves a room. */
  Leave: 8,
  /** `[9, id, token]`: renews the identity. */
  Renew: 9,
  /** `[10, namespace, room, from, to, reason, epoch, offset]`: messages are missing; where the room is now. */
  Gap: 10,
  /** `[11, ms]`: the server stops; reconnect after that time. */
  Away: 11,
  /** `[12, ms]`: the identity expires after that time. */
  Expiring: 12,
  /** `[13, id, idle]`: the id of the connection and the idle timeout in milliseconds. */
  Hello: 13,
  /** `[14, id, namespace, event, data, key]`: an event that is retried and applied once. */
  Once: 14,
  /** `[15, namespace, room, joined, epoch, offset]`: the server has put the client into a room, or out of it. */
  Moved: 15,
  /** Not on the wire: a message outside of the event protocol. */
  Native: -1,
  /** Not on the wire: the client closes the connection. */
  Close: -2,
} as const;

/** A packet, read from JSON. */
export type Packet = readonly unknown[];

/** How long a part of an outgoing message may be: each connection keeps a buffer as large as its largest message. */
const PART = 16 << 10;

/** Writes a packet from values that are JSON already, or plain. */
export function packet(op: number, ...values: readonly unknown[]): string {
  return JSON.stringify([op, ...values]);
}

/** Writes an event. */
export function eventPacket(id: number, namespace: string, event: string, data: unknown): string {
  const text = data === undefined ? "null" : toJSON(data);
  return `[${Op.Event},${id},${quote(namespace)},${quote(event)},${text}]`;
}

/** Writes a reply. */
export function replyPacket(id: number, data: unknown): string {
  return `[${Op.Reply},${id},${data === undefined ? "null" : toJSON(data)}]`;
}

/** JSON of a name; most need no escape, and the test is cheaper than the platform's function. */
function quote(text: string): string {
  return /^[\w./:-]*$/.test(text) ? `"${text}"` : JSON.stringify(text);
}

/** Writes a message of a room; its payload is JSON of the event and of the data. */
export function roomPacket(namespace: string, room: string, offset: number, payload: string): string {
  return `[${Op.Room},${quote(namespace)},${quote(room)},${offset},${payload}]`;
}

/**
 * Reads a message.
 *
 * @param text The message.
 * @returns Its packets; `undefined` if it is malformed.
 */
export function readPackets(text: string): readonly Packet[] | undefined {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return undefined;
  }
  if (isPacket(value)) return [value];
  return Array.isArray(value) && value.length > 0 && value.every(isPacket) ? value : undefined;
}

/** Kinds below zero are fw's own and never come from a client. */
function isPacket(value: unknown): value is Packet {
  return Array.isArray(value) && typeof value[0] === "number" && value[0] >= 0;
}

/**
 * Gathers packets in one message, and cuts a long one into parts: `+` begins each but the last, which begins with `=`.
 */
export function partsOf(packets: readonly string[]): readonly string[] {
  const text = packets.length === 1 ? packets[0] ?? "" : `[${packets.join(",")}]`;
  if (text.length <= PART) return [text];
  // Up to three bytes per unit of UTF-16.
  // deno-lint-ignore no-control-regex
  const size = /^[\x00-\x7f]*$/.test(text) ? PART : Math.floor(PART / 3);
  const parts: string[] = [];
  for (let at = 0; at < text.length;) {
    let end = Math.min(at + size, text.length);
    // Half of a surrogate pair would arrive as a replacement character.
    if (end < text.length && isHighSurrogate(text.charCodeAt(end - 1))) end--;
    parts.push((end < text.length ? "+" : "=") + text.slice(at, end));
    at = end;
  }
  return parts;
}

function isHighSurrogate(unit: number): boolean {
  return unit >= 0xd800 && unit < 0xdc00;
}

/** Writes an event whose data are bytes: the length of its head, the head as JSON, the bytes. */
export function bytesPacket(id: number, namespace: string, event: string, data: Uint8Array): Uint8Array<ArrayBuffer> {
  const head = new TextEncoder().encode(JSON.stringify([Op.Event, id, namespace, event]));
  const whole = new Uint8Array(2 + head.length + data.length);
  new DataView(whole.buffer).setUint16(0, head.length);
  whole.set(head, 2);
  whole.set(data, 2 + head.length);
  return whole;
}

/** Reads an event whose data are bytes. */
export function readBytes(buffer: ArrayBuffer): Packet | undefined {
  if (buffer.byteLength < 2) return undefined;
  const length = new DataView(buffer).getUint16(0);
  if (buffer.byteLength < 2 + length) return undefined;
  const head = readPackets(new TextDecoder().decode(new Uint8Array(buffer, 2, length)))?.[0];
  return head?.[0] === Op.Event && head.length === 4 ? [...head, new Uint8Array(buffer, 2 + length)] : undefined;
}
