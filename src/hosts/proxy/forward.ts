/**
 * Forwards requests to another server.
 *
 * @module
 */

import { isUpgrade } from "../../core/app/serve/forward.ts";
import { type HandedBody, handedBody } from "../../core/accessors/handed_body.ts";
import { LazyModule } from "../../base/async/lazy_module.ts";
import { type Context, exchangeOf } from "../../core/context/context.ts";
import { HTTPError } from "../../base/errors/errors.ts";
import { breakOff, streamEnd } from "../../core/exchange/stream_terms.ts";
import { bodyOf, type Exchange, watchOf } from "../../core/exchange/exchange.ts";
import { mediaTypeOf } from "../../http/headers/content_type.ts";
import { originRule } from "../../middleware/handshake.ts";
import { observed } from "../../middleware/observed_stream.ts";
import type { ProxySettings, Upstream } from "./options.ts";
import { proxiedBody, publicLocation, type ToldPlace, upstreamPlace } from "./proxied_body.ts";
import { downstreamHeaders, upstreamHeaders } from "./proxy_headers.ts";

/** The maximum declared length of a body that is sent with its length. Longer ones are sent in chunks. */
const MAX_WHOLE = 64 << 10;
const withoutBody: ReadonlySet<string> = new Set(["GET", "HEAD"]);
/** The methods that `fetch` does not send. */
const unsent: ReadonlySet<string> = new Set(["CONNECT", "TRACE", "TRACK"]);

/** Prepares a proxy. */
export function upstreamOf(base: URL, settings: ProxySettings): Upstream {
  return { base, settings, origins: originRule(settings.Origins) };
}

const sockets = new LazyModule(() => import("./socket_bridge.ts"));

/**
 * Forwards a request.
 *
 * @param ctx The context of the request.
 * @param upstream The upstream server.
 * @param depth The number of path segments that are not passed on.
 * @returns The response of the upstream server.
 * @throws {HTTPError} With status 502 if the server cannot be reached, or 504 if it does not respond in time.
 */
export async function forward(ctx: Context, upstream: Upstream, depth: number): Promise<Response> {
  const exchange = exchangeOf(ctx);
  const { target } = exchange;
  if (unsent.has(target.method)) throw new HTTPError(501);
  const place = upstreamPlace(target, upstream.base, depth);
  const headers = upstreamHeaders(target, place.prefix);
  await upstream.settings.Headers?.(headers, ctx);
  if (isUpgrade(exchange)) {
    return await (await sockets.get()).bridge(ctx, place.url, headers, upstream);
  }
  const isTold = headers.has("x-forwarded-prefix");
  const { response, uploaded } = await send(exchange, upstream, place.url, headers);
  return await respond(exchange, upstream, { ...place, isTold }, response, uploaded);
}

/** The outgoing half of a call. */
interface Sending {
  readonly late: AbortController;
  /** The error of the request body, which the client has caused. */
  failure: unknown;
  /** Whether the response has begun or the call has failed. The body may be read for longer. */
  isOver: boolean;
  /** Resolved when the upstream server has received the request body or does not want the rest of it. */
  upload: PromiseWithResolvers<void> | undefined;
  /** Starts the time limit again. */
  renew(): void;
}

/** The response of the upstream server, and the upload that may still be in flight. */
interface Sent {
  readonly response: Response;
  readonly uploaded: Promise<void> | undefined;
}

async function send(
  exchange: Exchange<Context>,
  upstream: Upstream,
  url: URL,
  headers: Headers,
): Promise<Sent> {
  const { signal } = watchOf(exchange);
  const { Timeout: timeout, Client: client } = upstream.settings;
  const late = new AbortController();
  let timer: ReturnType<typeof setTimeout> | undefined;
  const sending: Sending = {
    late,
    failure: undefined,
    isOver: false,
    upload: undefined,
    renew() {
      clearTimeout(timer);
      if (sending.isOver && sending.upload === undefined) return;
      timer = setTimeout(
        () => {
          // An upstream server that has responded and takes no more of the body does not want it.
          if (sending.isOver) return sending.upload?.resolve();
          sending.isOver = true;
          late.abort(new DOMException(`No response within ${timeout} ms`, "TimeoutError"));
        },
        timeout,
      );
    },
  };
  try {
    const body = await bodyFor(exchange, headers, sending);
    sending.renew();
    const response = await fetch(url, {
      method: exchange.method,
      headers,
      body,
      redirect: "manual",
      signal: AbortSignal.any([signal, late.signal]),
      ...client !== undefined && { client },
    });
    return { response, uploaded: sending.upload?.promise.finally(() => clearTimeout(timer)) };
  } catch (error) {
    sending.upload = undefined;
    if (sending.failure !== undefined) throw sending.failure;
    if (signal.aborted) throw signal.reason;
    // The cause is logged. Clients do not learn the address of the server.
    throw new HTTPError(late.signal.aborted ? 504 : 502, "", { cause: error });
  } finally {
    sending.isOver = true;
    sending.renew();
  }
}

/** Returns the body for the upstream server, and removes headers that do not match it. */
async function bodyFor(exchange: Exchange<Context>, headers: Headers, sending: Sending): Promise<BodyInit | null> {
  const { request } = exchange;
  if (withoutBody.has(exchange.method)) return null;
  const body = await bodyOf(exchange).open();
  let handed: HandedBody;
  try {
    handed = await handedBody(body);
    if (body.isUnpacked) headers.delete("content-encoding");
    // The platform serializes the form again with another boundary.
    if (handed instanceof FormData) headers.delete("content-type");
    if (!(handed instanceof ReadableStream)) return handed;
    const length = Number(request.headers.get("content-length") ?? NaN);
    if (length <= MAX_WHOLE) return await new Response(handed).bytes();
    const isBare = request.headers.has("host") && Number.isNaN(length) && !request.headers.has("transfer-encoding");
    if (!isBare) return watched(handed, sending);
    // Over HTTP/1.1, there is no body without these headers. Requests in process and those that wrappers have created
    // may have one.
    const reader = handed.getReader();
    let first = await reader.read();
    while (first.value?.length === 0) first = await reader.read();
    return first.done ? null : watched(ReadableStream.from(partsFrom(first, reader)), sending);
  } catch (error) {
    sending.failure = error;
    throw error;
  }
}

/** Yields the parts of a body whose first part has been read. */
async function* partsFrom(
  first: ReadableStreamReadResult<Uint8Array<ArrayBuffer>>,
  reader: ReadableStreamDefaultReader<Uint8Array<ArrayBuffer>>,
): AsyncGenerator<Uint8Array<ArrayBuffer>> {
  try {
    for (let part = first; !part.done; part = await reader.read()) yield part.value;
  } finally {
    await reader.cancel();
  }
}

/** Passes on a request body, notes its failure, and starts the time limit again with each part. */
function watched(body: ReadableStream<Uint8Array<ArrayBuffer>>, sending: Sending): typeof body {
  const upload = sending.upload = Promise.withResolvers<void>();
  return observed(body, {
    chunk: () => sending.renew(),
    ended(how, error) {
      if (how === "read") sending.renew();
      if (how === "failed" && !sending.isOver) sending.failure = error;
      upload.resolve();
    },
  });
}

async function respond(
  exchange: Exchange<Context>,
  { base, settings }: Upstream,
  place: ToldPlace,
  response: Response,
  uploaded: Promise<void> | undefined,
): Promise<Response> {
  const { MaxResponse: limit, IdleTimeout: idle, RewriteLocation } = settings;
  const { status, body } = response;
  const headers = downstreamHeaders(response.headers);
  if (RewriteLocation) {
    for (const name of ["location", "content-location"]) {
      const location = headers.get(name);
      if (location !== null) headers.set(name, publicLocation(location, place, base));
    }
  }
  if (status < 200 || status > 599) throw new HTTPError(502, "", { cause: new RangeError(`The status is ${status}`) });
  if (body === null) {
    await uploaded;
    return new Response(null, { status, headers });
  }
  const length = headers.get("content-length");
  if (Number(length ?? 0) > limit) {
    body.cancel().catch(() => {});
    throw new HTTPError(502, "", { cause: new RangeError(`The response exceeds ${limit} bytes`) });
  }
  const isEndless = mediaTypeOf(headers.get("content-type") ?? "") === "text/event-stream";
  const passed = proxiedBody(body, {
    limit,
    length: length === null ? undefined : Number(length),
    idle,
    uploaded,
    // Like fw's own event streams, these end with the application or the session, and clients reconnect.
    ...isEndless ? streamEnd(exchange) : { leaving: undefined },
    failed: (error) => breakOff(exchange, error),
  });
  return new Response(passed, { status, headers });
}
