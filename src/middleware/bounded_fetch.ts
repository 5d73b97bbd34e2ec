/**
 * Sends requests to other servers with a time limit and a size limit for the complete response.
 *
 * @module
 */

import { TimeLimit } from "../state/store/time_limit.ts";

/** Limits for an outgoing request. */
export interface FetchLimits {
  /** The maximum time for the complete response, in milliseconds. */
  readonly time: number;
  /** The maximum body size, in bytes. */
  readonly size: number;
}

/**
 * Sends a request and reads the complete response. `fetch` resolves as soon as the headers arrive, so a server that
 * stalls while sending the body would never time out.
 *
 * @param url The URL.
 * @param init The request options.
 * @param limits The limits. The promise is rejected if one of them is exceeded.
 * @returns The response, with its body in memory.
 */
export async function boundedFetch(url: string | URL, init: RequestInit, limits: FetchLimits): Promise<Response> {
  const late = new AbortController();
  const limit = new TimeLimit(limits.time);
  const call = limit.begin(() =>
    late.abort(new DOMException(`No complete response within ${limits.time} ms`, "TimeoutError"))
  );
  const signals = init.signal ? [late.signal, init.signal] : [late.signal];
  try {
    const response = await fetch(url, { ...init, signal: AbortSignal.any(signals) });
    const body = await readBounded(response, limits.size);
    const { status, headers } = response;
    return new Response(bodiless.has(status) ? null : body, { status, headers });
  } finally {
    limit.end(call);
  }
}

const bodiless: ReadonlySet<number> = new Set([204, 205, 304]);

async function readBounded(response: Response, size: number): Promise<Uint8Array<ArrayBuffer>> {
  const chunks: Uint8Array<ArrayBuffer>[] = [];
  let length = 0;
  for await (const chunk of response.body ?? []) {
    length += chunk.length;
    if (length > size) throw new RangeError(`The response body exceeds ${size} bytes`);
    chunks.push(chunk);
  }
  return new Uint8Array(await new Blob(chunks).arrayBuffer());
}
