/**
 * Bodies read to their end, into one array.
 *
 * @module
 */

import { HTTPError } from "../base/errors.ts";
import { assertLength, bodyTaken, connectionLost } from "./body_head.ts";
import type { BodyClock, Source } from "./source.ts";

/** A body that is read by one call to the platform. */
export interface ShortBody {
  readonly request: Request;
  /** The length that it declares. */
  readonly declared: number;
  /** How many bytes may come; a client in process may send more than it declares. */
  readonly limit: number;
  readonly clock: BodyClock;
}

/**
 * Reads a body to its end.
 *
 * @param source The body.
 * @returns All of its bytes.
 */
export async function readAll(source: Source): Promise<Uint8Array<ArrayBuffer>> {
  const isDirect = source.open();
  let window = new Uint8Array(isDirect ? 64 << 10 : 0);
  let held = new Uint8Array(window.length);
  let size = 0;
  // Copied into one growing buffer: a client that sends byte by byte costs no object per byte.
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
 * Reads a short body to its end, as the platform does it fastest: touching `request.body` alone costs 15 µs.
 *
 * @param body The body.
 * @returns All of its bytes.
 */
export async function readShort(body: ShortBody): Promise<Uint8Array<ArrayBuffer>> {
  const { request, limit, clock } = body;
  assertLength(body.declared, limit);
  const wasUsed = request.bodyUsed;
  let bytes: Uint8Array<ArrayBuffer>;
  try {
    bytes = await clock.wait({ reading: request.bytes(), count: 0, held: body.declared, isLast: true });
  } catch (error) {
    if (error instanceof HTTPError) throw error;
    // A body that is still unused after this was locked by another reader.
    throw wasUsed || !request.bodyUsed ? bodyTaken() : connectionLost(error);
  }
  assertLength(bytes.length, limit);
  return bytes;
}

function widen(bytes: Uint8Array<ArrayBuffer>, length: number): Uint8Array<ArrayBuffer> {
  return new Uint8Array(bytes.buffer.transfer(length));
}
