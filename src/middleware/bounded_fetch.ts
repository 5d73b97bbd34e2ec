/**
 * Requests to other servers that are given up in time, headers and body together.
 *
 * @module
 */

/** What a request may cost. */
export interface FetchLimits {
  /** How long the whole response may take, in milliseconds. */
  readonly time: number;
  /** The largest body, in bytes. */
  readonly size: number;
}

/**
 * Sends a request and reads the whole response. `fetch` alone returns with the headers, and a server that stalls after
 * them would be waited for without end.
 *
 * @param url The URL.
 * @param init The request.
 * @param limits What it may cost; the promise is rejected beyond.
 * @returns The response, whose body is in memory.
 */
export async function boundedFetch(url: string | URL, init: RequestInit, limits: FetchLimits): Promise<Response> {
  const late = new AbortController();
  const timer = setTimeout(
    () => late.abort(new DOMException(`No whole response within ${limits.time} ms`, "TimeoutError")),
    limits.time,
  );
  const signals = init.signal ? [late.signal, init.signal] : [late.signal];
  try {
    const response = await fetch(url, { ...init, signal: AbortSignal.any(signals) });
    const body = await readBounded(response, limits.size);
    const { status, headers } = response;
    return new Response(bodiless.has(status) ? null : body, { status, headers });
  } finally {
    clearTimeout(timer);
  }
}

const bodiless: ReadonlySet<number> = new Set([204, 205, 304]);

async function readBounded(response: Response, size: number): Promise<Uint8Array<ArrayBuffer>> {
  const chunks: Uint8Array<ArrayBuffer>[] = [];
  let length = 0;
  for await (const chunk of response.body ?? []) {
    length += chunk.length;
    if (length > size) throw new RangeError(`The response is larger than ${size} bytes`);
    chunks.push(chunk);
  }
  return new Uint8Array(await new Blob(chunks).arrayBuffer());
}
