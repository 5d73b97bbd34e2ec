/**
 * An HTTP/2 client that sends arbitrary frames.
 *
 * @module
 */

import { fromBytes, toBytes, type Wire } from "./wire.ts";
import type { Outcome, Reply } from "./outcome.ts";

/** The frame types (RFC 9113, section 6). */
export const types = {
  data: 0,
  headers: 1,
  priority: 2,
  reset: 3,
  settings: 4,
  push: 5,
  ping: 6,
  goAway: 7,
  window: 8,
  continuation: 9,
} as const;

/** The frame flags. The first one has a different meaning for SETTINGS and PING. */
export const flags = { endStream: 1, acknowledged: 1, endHeaders: 4 } as const;

/** The connection preface of a client. */
export const preface = "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";

/** The status used for a stream that was reset. */
export const resetStatus = 499;

/** Header fields in order. Pseudo-fields usually come first. */
export type Fields = readonly (readonly [string, string])[];

const patience = 8_000;
const pause = 100;
const lastPing = "the last";

/** Creates a frame. Each character of the payload is one byte. */
export function frame(type: number, flag: number, stream: number, payload = ""): string {
  return int(payload.length, 3) + int(type, 1) + int(flag, 1) + int(stream, 4) + payload;
}

/** Encodes an integer in big-endian order. */
export function int(value: number, bytes: number): string {
  let text = "";
  for (let i = bytes - 1; i >= 0; i--) text += String.fromCharCode(Math.floor(value / 2 ** (8 * i)) % 256);
  return text;
}

/** Encodes fields as a block of literals without indexing. */
export function block(fields: Fields): string {
  return fields.map(([name, value]) => `\0${literal(name)}${literal(value)}`).join("");
}

/** Encodes a string for HPACK without Huffman coding. */
export function literal(text: string): string {
  return prefixed(text.length, 7, 0) + text;
}

/** Encodes an integer after the high bits of its first byte. */
export function prefixed(value: number, bits: number, high: number): string {
  const most = 2 ** bits - 1;
  if (value < most) return String.fromCharCode(high | value);
  let text = String.fromCharCode(high | most);
  let left = value - most;
  for (; left >= 128; left = Math.floor(left / 128)) text += String.fromCharCode(left % 128 | 128);
  return text + String.fromCharCode(left);
}

/** Returns the fields of a request. */
export function fieldsOf(path: string, more: Fields = [], method = "GET"): Fields {
  return [[":method", method], [":scheme", "https"], [":path", path], [":authority", "localhost"], ...more];
}

/** Creates a request without a body in a single frame. */
export function ask(stream: number, fields: Fields): string {
  return frame(types.headers, flags.endStream | flags.endHeaders, stream, block(fields));
}

/** Creates the header of a request with a body. */
export function head(stream: number, fields: Fields): string {
  return frame(types.headers, flags.endHeaders, stream, block(fields));
}

/** Creates a part of a body. */
export function data(stream: number, text: string, isLast = true): string {
  return frame(types.data, isLast ? flags.endStream : 0, stream, text);
}

/**
 * Sends the preface and frames, and reads until a number of streams have been served or reset, or nothing more arrives.
 */
export async function talk(wire: Wire, frames: string, streams = 1): Promise<Outcome> {
  return await talkRaw(wire, preface + frame(types.settings, 0, 0) + frames, streams);
}

/**
 * Sends the preface and frames, and waits until the server has processed them. The server then responds to a ping or
 * closes the connection.
 */
export async function flood(wire: Wire, frames: string): Promise<Outcome> {
  const ping = frame(types.ping, 0, 0, lastPing);
  return await talkRaw(wire, preface + frame(types.settings, 0, 0) + frames + ping, Infinity);
}

/** Sends bytes on an HTTP/2 connection without a preface. */
export async function talkRaw(wire: Wire, bytes: string, streams = 1): Promise<Outcome> {
  using connection = await wire.open("h2");
  const reader = new FrameReader(connection);
  const reading = reader.run();
  await write(connection, bytes);
  const from = performance.now();
  const isDone = () => reader.isEnded || reader.isThrough || reader.served >= streams;
  while (!isDone() && performance.now() - Math.max(from, reader.lastFrame) < patience) {
    await reader.next(patience);
  }
  // After a rejection, the server may close the connection.
  if (!reader.isEnded) await reader.next(pause);
  const outcome = reader.outcome();
  try {
    connection.close();
  } catch {
    // The failed read has already closed the connection.
  }
  await reading;
  return outcome;
}

async function write(connection: Deno.Conn, text: string): Promise<void> {
  const bytes = toBytes(text);
  try {
    for (let at = 0; at < bytes.length;) at += await connection.write(bytes.subarray(at, at + 65536));
  } catch {
    // The server has closed the connection. Everything received until then is used.
  }
}

interface Stream {
  status: number;
  body: string;
  isEnded: boolean;
}

/** Reads frames in the background. */
class FrameReader {
  readonly #connection: Deno.Conn;
  readonly #streams = new Map<number, Stream>();
  #text = "";
  #isGoing = false;
  #wake: () => void = ignore;
  isEnded = false;
  /** Whether the server has responded to the ping after a flood. */
  isThrough = false;
  lastFrame = performance.now();

  constructor(connection: Deno.Conn) {
    this.#connection = connection;
  }

  /** Returns the number of streams that have a response or were reset. */
  get served(): number {
    return [...this.#streams.values()].filter((stream) => stream.isEnded).length;
  }

  async run(): Promise<void> {
    const buffer = new Uint8Array(65536);
    try {
      for (let length = await this.#connection.read(buffer); length !== null;) {
        this.#text += fromBytes(buffer.subarray(0, length));
        this.#takeFrames();
        this.#wake();
        length = await this.#connection.read(buffer);
      }
    } catch {
      // The connection was reset, or closed by the client.
    }
    this.isEnded = true;
    this.#wake();
  }

  /** Waits for a time or for the next bytes. */
  async next(milliseconds: number): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    const timer = setTimeout(resolve, milliseconds);
    this.#wake = resolve;
    await promise;
    clearTimeout(timer);
  }

  outcome(): Outcome {
    const streams = [...this.#streams.entries()].sort(([a], [b]) => a - b).map(([, stream]) => stream);
    const replies = streams.map(({ status, body, isEnded }): Reply => ({
      status,
      headers: [],
      body,
      isWhole: isEnded,
    }));
    const end = this.isEnded || this.#isGoing ? "closed" : "open";
    return { replies, text: replies.map((reply) => reply.body).join("\n"), end };
  }

  #takeFrames(): void {
    while (this.#text.length >= 9) {
      const length = number(this.#text, 0, 3);
      if (this.#text.length < 9 + length) return;
      const [type, flag, id] = [number(this.#text, 3, 1), number(this.#text, 4, 1), number(this.#text, 5, 4)];
      this.#take(type, flag, id, this.#text.slice(9, 9 + length));
      this.#text = this.#text.slice(9 + length);
      this.lastFrame = performance.now();
    }
  }

  #take(type: number, flag: number, id: number, payload: string): void {
    if (type === types.goAway) this.#isGoing = true;
    if (type === types.ping && payload === lastPing) this.isThrough = true;
    if (id === 0) return;
    const stream = this.#streams.get(id) ?? { status: 0, body: "", isEnded: false };
    this.#streams.set(id, stream);
    if (type === types.headers && stream.status === 0) stream.status = statusOf(payload);
    if (type === types.data) stream.body += payload;
    if (type === types.reset && stream.status === 0) stream.status = resetStatus;
    if (type === types.reset || ((type === types.headers || type === types.data) && flag & flags.endStream)) {
      stream.isEnded = true;
    }
  }
}

function number(text: string, at: number, bytes: number): number {
  let value = 0;
  for (let i = at; i < at + bytes; i++) value = 256 * value + text.charCodeAt(i);
  return value;
}

const staticStatuses = [200, 204, 206, 304, 400, 404, 500];

/** Returns the status at the beginning of a field block, after any changes of the table size. */
function statusOf(text: string): number {
  let at = 0;
  while ((text.charCodeAt(at) & 0xe0) === 0x20) at++;
  const first = text.charCodeAt(at);
  if (first >= 0x88 && first <= 0x8e) return staticStatuses[first - 0x88] ?? 0;
  const length = text.charCodeAt(at + 1);
  const value = text.slice(at + 2, at + 2 + (length & 127));
  return Number(length & 128 ? huffmanDigits(value) : value);
}

/** Decodes digits in Huffman coding (RFC 7541, appendix B). 0 to 2 have five bits, and the others six. */
function huffmanDigits(text: string): string {
  const bits = [...text].map((letter) => letter.charCodeAt(0).toString(2).padStart(8, "0")).join("");
  let digits = "";
  for (let at = 0; at + 5 <= bits.length;) {
    const five = parseInt(bits.slice(at, at + 5), 2);
    const six = parseInt(bits.slice(at, at + 6), 2);
    if (five < 3) digits += five;
    else if (six >= 25 && six <= 31 && at + 6 <= bits.length) digits += six - 22;
    else break;
    at += five < 3 ? 5 : 6;
  }
  return digits;
}

function ignore(): void {}
