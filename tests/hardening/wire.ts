/**
 * A client that sends exactly the given bytes over separate connections.
 *
 * @module
 */

import type { Step } from "./attack.ts";
import { type End, type Outcome, readReplies } from "./outcome.ts";

const hostname = "127.0.0.1";

/** The time that a client waits for data before it considers the connection open and silent, in milliseconds. */
const patience = 20_000;
/** The time that a client waits for more data after a complete response, in milliseconds. */
const pause = 250;

/** The address of a server. */
export interface Address {
  readonly port: number;
  /** The certificate to trust if the server uses TLS. */
  readonly caCert?: string;
}

/** Sends attacks to one address. */
export class Wire {
  readonly #address: Address;

  constructor(address: Address) {
    this.#address = address;
  }

  /** Returns the port to attack. */
  get port(): number {
    return this.#address.port;
  }

  /** Sends bytes and reads the response. Each character is one byte. */
  async send(bytes: string): Promise<Outcome> {
    return await this.steps([{ write: bytes }]);
  }

  /** Runs steps and reads until nothing more arrives. */
  async steps(steps: readonly Step[]): Promise<Outcome> {
    const heads = steps.some((step) => "write" in step && step.write.startsWith("HEAD ")) ? 1 : 0;
    await using line = await Line.open(this.#address);
    for (const step of steps) {
      if ("write" in step) await line.write(step.write);
      else if ("replies" in step) await line.until(() => line.replies(heads).length >= step.replies);
      else if ("text" in step) await line.until(() => line.text.includes(step.text));
      else if ("wait" in step) await line.rest(step.wait);
      else if ("half" in step) await line.half();
      else return { replies: [], text: line.text, end: line.end };
    }
    await line.until(() => line.isSettled(heads));
    return { replies: line.replies(heads), text: line.text, end: line.end };
  }

  /** Opens a raw connection for cases that steps cannot express. */
  async open(alpn?: string): Promise<Deno.Conn> {
    return await connect(this.#address, alpn);
  }
}

/** Converts a string to bytes, one per character. */
export function toBytes(text: string): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(text.length);
  for (let i = 0; i < text.length; i++) bytes[i] = text.charCodeAt(i);
  return bytes;
}

/**
 * Converts bytes to a string with one character per byte. TextDecoder cannot do this, because its "latin1" is
 * Windows-1252.
 */
export function fromBytes(bytes: Uint8Array): string {
  let text = "";
  for (let at = 0; at < bytes.length; at += 8192) text += String.fromCharCode(...bytes.subarray(at, at + 8192));
  return text;
}

/** Encodes a string as UTF-8 and returns one character per byte. */
export function utf8(text: string): string {
  return fromBytes(new TextEncoder().encode(text));
}

async function connect(address: Address, alpn?: string): Promise<Deno.Conn> {
  const { port, caCert } = address;
  if (caCert === undefined) return await Deno.connect({ hostname, port });
  return await Deno.connectTls({
    hostname: "localhost",
    port,
    caCerts: [caCert],
    ...alpn !== undefined && { alpnProtocols: [alpn] },
  });
}

/**
 * A connection that is read in the background from the start, because a server may reject a request before it has
 * received all of it.
 */
class Line implements AsyncDisposable {
  readonly #connection: Deno.Conn;
  readonly #reading: Promise<void>;
  #wake: () => void = ignore;
  #lastByte = performance.now();
  text = "";
  end: End = "open";

  constructor(connection: Deno.Conn) {
    this.#connection = connection;
    this.#reading = this.#read();
  }

  static async open(address: Address): Promise<Line> {
    return new Line(await connect(address));
  }

  async write(text: string): Promise<void> {
    const bytes = toBytes(text);
    try {
      for (let at = 0; at < bytes.length && this.end === "open";) {
        at += await this.#connection.write(bytes.subarray(at, at + 65536));
      }
    } catch {
      // The server closed the connection during the write. Everything received until then is used.
    }
  }

  async half(): Promise<void> {
    await this.#connection.closeWrite().catch(ignore);
  }

  replies(heads: number): ReturnType<typeof readReplies> {
    return readReplies(this.text, this.end !== "open", heads);
  }

  /** Reports whether all data has been received: complete responses followed by silence. */
  isSettled(heads: number): boolean {
    const replies = this.replies(heads);
    return replies.length > 0 && replies.every((reply) => reply.isWhole) && performance.now() - this.#lastByte > pause;
  }

  /** Waits until a condition is true, the connection ends, or the time limit is reached. */
  async until(isSo: () => boolean): Promise<void> {
    const from = performance.now();
    while (this.end === "open" && !isSo() && performance.now() - Math.max(from, this.#lastByte) < patience) {
      await this.pass(50);
    }
  }

  /** Waits for a time unless the connection ends. */
  async rest(milliseconds: number): Promise<void> {
    const until = performance.now() + milliseconds;
    while (this.end === "open" && performance.now() < until) await this.pass(Math.max(0, until - performance.now()));
  }

  /** Waits for a time or until bytes arrive. */
  async pass(milliseconds: number): Promise<void> {
    if (this.end !== "open") return;
    const { promise, resolve } = Promise.withResolvers<void>();
    const timer = setTimeout(resolve, milliseconds);
    this.#wake = resolve;
    await promise;
    clearTimeout(timer);
  }

  async #read(): Promise<void> {
    const buffer = new Uint8Array(65536);
    try {
      for (;;) {
        const length = await this.#connection.read(buffer);
        if (length === null) break;
        this.text += fromBytes(buffer.subarray(0, length));
        this.#lastByte = performance.now();
        this.#wake();
      }
      this.end = "closed";
    } catch (error) {
      this.end = error instanceof Deno.errors.ConnectionReset ? "reset" : "closed";
    }
    this.#wake();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    try {
      this.#connection.close();
    } catch {
      // The failed read has already closed the connection.
    }
    await this.#reading;
  }
}

function ignore(): void {}
