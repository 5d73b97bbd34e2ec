/**
 * Reads whole bodies into memory.
 *
 * @module
 */

import { HTTPError } from "../../../base/errors/errors.ts";
import type { BodyClock } from "./body_clock.ts";
import { bodyTaken } from "./read_errors.ts";
import { connectionLost, malformed } from "./body_errors.ts";
import { assertLength } from "./content_length.ts";
import type { Source } from "./source.ts";

/** A body that is read with a single platform call. */
export interface ShortBody {
  readonly request: Request;
  /** The declared length, in bytes. */
  readonly declared: number;
  /** The maximum length, in bytes. An in-process client may send more bytes than it declares. */
  readonly limit: number;
  readonly clock: BodyClock;
}

/**
 * Reads a body to its end.
 *
 * @param source The body's source.
 * @returns All bytes of the body.
 */
export async function readAll(source: Source): Promise<Uint8Array<ArrayBuffer>> {
  const isDirect = source.open();
  let window = new Uint8Array(isDirect ? 64 << 10 : 0);
  let held = new Uint8Array(window.length);
  let size = 0;
  // The chunks are copied into one growing buffer, so that a client that sends single bytes does not create one object
  // per byte.
  for (let chunk = await source.read(window); chunk !== null; chunk = await source.read(window)) {
    const end = size + chunk.length;
    if (end > held.length) held = widen(held, Math.max(end, 2 * held.length));
    held.set(chunk, size);
    size = end;
    if (isDirect) window = new Uint8Array(chunk.buffer);
  }
  return held.subarray(0, size);
}

/**
 * Reads a short body in the fastest way the platform offers. Accessing `request.body` alone costs 15 µs.
 *
 * @param body The short body.
 * @returns All bytes of the body.
 */
export function readShort({ request, limit, clock, declared }: ShortBody): Promise<Uint8Array<ArrayBuffer>> {
  assertLength(declared, limit);
  const wasUsed = request.bodyUsed;
  return clock.waitAndUse(
    { reading: request.bytes(), count: 0, held: declared, isLast: true },
    (bytes) => {
      assertLength(bytes.length, limit);
      return bytes;
    },
    (error) => failure(error, request, wasUsed),
  );
}

/**
 * Reads a short body as UTF-8. This is a third cheaper than reading the bytes and decoding them.
 *
 * @param body The short body.
 * @param use Processes the text, without its byte order mark, in the same promise.
 * @returns The result of the processing.
 */
export function readShortText<T>(body: ShortBody, use: (text: string) => T): Promise<T> {
  const { request, limit, clock, declared } = body;
  assertLength(declared, limit);
  const wasUsed = request.bodyUsed;
  return clock.waitAndUse(
    { reading: request.text(), count: 0, held: declared, isLast: true },
    (text) => {
      assertLength(sizeOf(text, limit), limit);
      return use(text);
    },
    (error) => failure(error, request, wasUsed),
  );
}

/**
 * Returns the bytes of a body that was read as UTF-8.
 *
 * @param text The decoded body.
 * @param declared The declared length, in bytes.
 * @returns The bytes.
 * @throws {HTTPError} With status 400 if the original bytes may have been different.
 */
export function bytesOf(text: string, declared: number): Uint8Array<ArrayBuffer> {
  const bytes = encoder.encode(text);
  // Decoding loses invalid UTF-8 and the byte order mark. A signature must only be verified against the exact bytes
  // that were signed.
  if (bytes.length === declared && !text.includes("\ufffd")) return bytes;
  throw malformed("read the bytes of the request body", "it was already read as text and is not plain UTF-8");
}

const encoder = new TextEncoder();

/**
 * Returns an upper bound for the size of a string in bytes. If the upper bound exceeds the limit, returns the exact
 * size.
 */
function sizeOf(text: string, limit: number): number {
  // A string has at most three bytes per code unit, plus three for a byte order mark.
  const most = 3 * text.length + 3;
  return most > limit ? encoder.encode(text).length : most;
}

/** Returns the error for a failed read. */
function failure(error: unknown, request: Request, wasUsed: boolean): unknown {
  if (error instanceof HTTPError) return error;
  // If the body is still unused, another reader has locked it.
  return wasUsed || !request.bodyUsed ? bodyTaken() : connectionLost(error);
}

function widen(bytes: Uint8Array<ArrayBuffer>, length: number): Uint8Array<ArrayBuffer> {
  return new Uint8Array(bytes.buffer.transfer(length));
}
