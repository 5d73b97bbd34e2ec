/**
 * Creates requests that deliver the same body in different ways.
 *
 * @module
 */

import { HTTPError } from "../../../src/base/errors/errors.ts";
import { Body } from "../../../src/http/body/body.ts";
import type { BodyLimits } from "../../../src/http/body/source/body_limits.ts";
import type { Entry } from "./cases.ts";

const url = "http://localhost/";
const encoder = new TextEncoder();

/**
 * The ways in which a body is delivered: with a declared length, in chunks of the stream, or into buffers of the
 * reader.
 */
export const ways: Record<string, (body: string | Uint8Array, type: string, sizes?: readonly number[]) => Request> = {
  whole(body, type) {
    const bytes = toBytes(body);
    const headers = { "content-type": type, "content-length": String(bytes.length) };
    return new Request(url, { method: "POST", body: bytes, headers });
  },
  chunked(body, type, sizes = [1]) {
    const pieces = cut(toBytes(body), sizes);
    return new Request(url, { method: "POST", body: ReadableStream.from(pieces), headers: { "content-type": type } });
  },
  buffered(body, type, sizes = [1]) {
    const pieces = cut(toBytes(body), sizes);
    const stream = new ReadableStream({
      type: "bytes",
      pull(controller): void {
        const piece = pieces.shift();
        if (piece === undefined) {
          controller.close();
          controller.byobRequest?.respond(0);
        } else controller.enqueue(piece);
      },
    });
    return new Request(url, { method: "POST", body: stream, headers: { "content-type": type } });
  },
};

/** Splits bytes into pieces of the given sizes, repeatedly. */
export function cut(bytes: Uint8Array<ArrayBuffer>, sizes: readonly number[]): Uint8Array<ArrayBuffer>[] {
  const pieces: Uint8Array<ArrayBuffer>[] = [];
  for (let at = 0, i = 0; at < bytes.length; i++) {
    const size = sizes[i % sizes.length] ?? 1;
    pieces.push(bytes.slice(at, at + size));
    at += size;
  }
  return pieces;
}

/** Reads the form of a request. Returns its entries by name, with fields first, or the status of the error. */
export async function entriesOf(request: Request, limits?: BodyLimits): Promise<readonly Entry[] | number> {
  const body = new Body(request, limits);
  try {
    const form = await body.form();
    const entries: Entry[] = [];
    for (const name in form.values) for (const value of form.values[name] ?? []) entries.push([name, value]);
    for (const stored of form.files) {
      const opened = stored.open();
      entries.push([stored.field, opened.name, opened.type, await opened.text()]);
    }
    return entries;
  } catch (error) {
    if (error instanceof HTTPError) return error.Status;
    throw error;
  } finally {
    body.close();
  }
}

function toBytes(body: string | Uint8Array): Uint8Array<ArrayBuffer> {
  return typeof body === "string" ? encoder.encode(body) : new Uint8Array(body);
}
