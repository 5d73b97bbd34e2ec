/**
 * A client of HTTP/2 that sends the frames it is told, well-formed or not.
 *
 * @module
 */

import { fromBytes, toBytes, type Wire } from "./wire.ts";
import type { Outcome, Reply } from "./outcome.ts";

/** The types of frames (RFC 9113, section 6). */
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

/** The flags of frames; the first means something else for SETTINGS and PING. */
export const flags = { endStream: 1, acknowledged: 1, endHeaders: 4 } as const;

/** What a client says first. */
export const preface = "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";

/** The status of a reply that is none: the stream was reset. */
export const resetStatus = 499;

/** Fields in their order, pseudo-fields first where they belong first. */
export type Fields = readonly (readonly [string, string])[];

const patience = 8_000;
const pause = 100;
const lastPing = "the last";

/** A frame; each character of the payload is one byte. */
export function frame(type: number, flag: number, stream: number, payload = ""): string {
  return int(payload.length, 3) + int(type, 1) + int(flag, 1) + int(stream, 4) + payload;
}

/** A number in so many bytes, the highest first. */
export function int(value: number, bytes: number): string {
  let text = "";
  for (let i = bytes - 1; i >= 0; i--) text += String.fromCharCode(Math.floor(value / 2 ** (8 * i)) % 256);
  return text;
}

/** Fields as a block: each a literal that no table remembers. */
export function block(fields: Fields): string {
  return fields.map(([name, value]) => `\0${literal(name)}${literal(value)}`).join("");
}

/** A text as HPACK writes it, without Huffman's code. */
export function literal(text: string): string {
  return prefixed(text.length, 7, 0) + text;
}

/** A number behind the high bits of its first byte. */
export function prefixed(value: number, bits: number, high: number): string {
  const most = 2 ** bits - 1;
  if (value < most) return String.fromCharCode(high | value);
  let text = String.fromCharCode(high | most);
  let left = value - most;
  for (; left >= 128; left = Math.floor(left / 128)) text += String.fromCharCode(left % 128 | 128);
  return text + String.fromCharCode(left);
}

/** The fields of a request. */
export function fieldsOf(path: string, more: Fields = [], method = "GET"): Fields {
  return [[":method", method], [":scheme", "https"], [":path", path], [":authority", "localhost"], ...more];
}

/** A request without a body, whole in one frame. */
export function ask(stream: number, fields: Fields): string {
  return frame(types.headers, flags.endStream | flags.endHeaders, stream, block(fields));
}

/** The head of a request whose body follows. */
export function head(stream: number, fields: Fields): string {
  return frame(types.headers, flags.endHeaders, stream, block(fields));
}

/** A part of a body. */
export function data(stream: number, text: string, isLast = true): string {
  return frame(types.data, isLast ? flags.endStream : 0, stream, text);
}

/** Greets, sends frames, and reads until so many streams are served, reset, or nothing more comes. */
export async function talk(wire: Wire, frames: string, streams = 1): Promise<Outcome> {
  return await talkRaw(wire, preface + frame(types.settings, 0, 0) + frames, streams);
}

/** Greets, sends frames, and waits until the server is through with them: it says so to a ping, or closes. */
export async function flood(wire: Wire, frames: string): Promise<Outcome> {
  const ping = frame(types.ping, 0, 0, lastPing);
  return await talkRaw(wire, preface + frame(types.settings, 0, 0) + frames + ping, Infinity);
}

/** Sends bytes on a connection of HTTP/2 without a greeting. */
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
  // What is refused may be followed by the end of the connection.
  if (!reader.isEnded) await reader.next(pause);
  const outcome = reader.outcome();
  try {
    connection.close();
  } catch {
    // The failed read has closed it.
  }
  await reading;
  return outcome;
}

async function write(connection: Deno.Conn, text: string): Promise<void> {
  const bytes = toBytes(text);
  try {
    for (let at = 0; at < bytes.length;) at += await connection.write(bytes.subarray(at, at + 65536));
  } catch {
    // The server has closed: what it said until then counts.
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
  /** True when the server has responded to the ping behind a flood. */
  isThrough = false;
  lastFrame = performance.now();

  constructor(connection: Deno.Conn) {
    this.#connection = connection;
  }

  /** How many streams have their response, or were reset. */
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
      // Reset, or closed by ourselves.
    }
    this.isEnded = true;
    this.#wake();
  }

  /** Waits for a while, or for the next bytes. */
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

/** The status that a block of fields begins with, behind changes of the table's size. */
function statusOf(text: string): number {
  let at = 0;
  while ((text.charCodeAt(at) & 0xe0) === 0x20) at++;
  const first = text.charCodeAt(at);
  if (first >= 0x88 && first <= 0x8e) return staticStatuses[first - 0x88] ?? 0;
  const length = text.charCodeAt(at + 1);
  const value = text.slice(at + 2, at + 2 + (length & 127));
  return Number(length & 128 ? huffmanDigits(value) : value);
}

/** Digits in Huffman's code (RFC 7541, appendix B): 0 to 2 have five bits, the others six. */
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
