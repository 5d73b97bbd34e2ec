/**
 * Passes requests to the function of another framework or application. Loaded on first use.
 *
 * @module
 */

import { trimFinalSlashes } from "../../../http/headers/path.ts";
import { searchOf } from "../../../http/headers/request_url.ts";
import { headersWithCookies } from "../../../http/response/cookies.ts";
import { isResponse } from "../../../http/response/platform_response.ts";
import { type HandedBody, handedBody } from "../../accessors/handed_body.ts";
import { type Context, exchangeOf } from "../../context/context.ts";
import { bodyOf, type Exchange, watchOf } from "../../exchange/exchange.ts";
import { handOut } from "../../exchange/hand_out.ts";
import { basePath } from "../../exchange/peer/base_path.ts";
import { type OuterCall, passOn, stoppingApps } from "../../exchange/peer/outer_call.ts";
import { peerAddress } from "../../exchange/peer/peer_address.ts";
import { remoteAddr } from "../../exchange/peer/remote_addr.ts";
import { requestOrigin, requestScheme } from "../../exchange/peer/request_scheme.ts";
import { homePath } from "../../exchange/public_url.ts";
import type { RequestTarget } from "../../exchange/request_target.ts";

/**
 * A function that serves requests, such as the `fetch` function of another application. Its second argument is the
 * connection info that `Deno.serve` passes to handlers. The client's address in it is the one returned by
 * `ctx.RemoteAddr()`.
 */
export type ForeignFetch = (request: Request, info: Deno.ServeHandlerInfo) => Response | Promise<Response>;

/** A path that is passed on, and the part before it that was removed. */
export interface CutPath {
  readonly path: string;
  readonly removed: string;
  /** The host to pass on instead of the request's own. */
  readonly host?: string | undefined;
  readonly site?: string;
}

/** The methods whose requests cannot have a body on this platform. */
const withoutBody: ReadonlySet<string> = new Set(["GET", "HEAD"]);
/** The methods that `new Request` does not accept. */
const reserved: ReadonlySet<string> = new Set(["CONNECT", "TRACE", "TRACK"]);

/** Passes a request to a function and returns its response. */
export async function forward(
  ctx: Context,
  fetch: ForeignFetch,
  { path, removed, host, site }: CutPath,
): Promise<Response> {
  const exchange = exchangeOf(ctx);
  const { target } = exchange;
  const origin = host === undefined ? requestOrigin(target) : `${requestScheme(target)}://${host}`;
  // `new Request` would turn a backslash into a slash, which is another path.
  const url = origin + path.replaceAll("\\", "%5C") + searchOf(target);
  // This must come first, because it stores the address. An upgrade removes the address from the connection.
  const sent = handOut(exchange);
  const info = new ForeignInfo(target, recordOf(exchange, removed, host === undefined ? undefined : site));
  const request = isUpgrade(target) || reserved.has(target.method) ? sameRequest(exchange, sent, url) : requestWith(
    exchange,
    url,
    withoutBody.has(target.method) ? null : await handedBody(await bodyOf(exchange).open()),
  );
  const returned: unknown = await fetch(request, info);
  if (isResponse(returned)) return returned;
  // Without a response, the client would receive an empty 200.
  throw exchange.notResponse("a function", returned);
}

/** Creates the record for the application that receives the request. */
function recordOf(exchange: Exchange<Context>, removed: string, site?: string): OuterCall {
  const { target } = exchange;
  return passOn({
    ...target.outer,
    apps: stoppingApps(target),
    prefix: homePath(target) + trimFinalSlashes(removed),
    outside: target,
    removed: trimFinalSlashes(removed),
    base: target.outer?.base ?? basePath(target),
    exchange,
    ...site !== undefined && { site },
  });
}

/**
 * Returns the native request with another URL. Upgrades only work with the native request, and requests with some
 * methods cannot be created, so the result inherits from the native request.
 */
function sameRequest(exchange: Exchange<Context>, request: Request, url: string): Request {
  const headers = headersWithCookies(request.headers, exchange.draft);
  return withSignal(
    exchange,
    Object.create(request, {
      url: { value: url, enumerable: true },
      method: { value: exchange.method, enumerable: true },
      ...headers !== request.headers && { headers: { value: headers, enumerable: true } },
    }),
  );
}

function requestWith(exchange: Exchange<Context>, url: string, body: HandedBody): Request {
  const { request, method } = exchange;
  const sent = body === null ? request.headers : headersFor(exchange, body);
  const headers = headersWithCookies(sent, exchange.draft);
  const passed = new Request(url, { method, headers, body });
  if (body !== null) bodyOf(exchange).reader?.permitForm(passed);
  return withSignal(exchange, passed);
}

/** Gives a request the signal of the call, which is also aborted by a timeout. */
function withSignal(exchange: Exchange<Context>, request: Request): Request {
  // The signal is read on demand, because every signal takes time and Deno warns about its use.
  return Object.defineProperty(request, "signal", { get: () => watchOf(exchange).signal });
}

/** Returns the request headers, except for those that do not match the body that is passed on. */
function headersFor(exchange: Exchange<Context>, body: HandedBody): Headers {
  const { headers } = exchange.request;
  const isUnpacked = bodyOf(exchange).reader?.isUnpacked === true;
  if (body instanceof ReadableStream && !isUnpacked) return headers;
  const changed = new Headers(headers);
  changed.delete("content-length");
  changed.delete("transfer-encoding");
  if (isUnpacked) changed.delete("content-encoding");
  // The platform serializes the form again with another boundary.
  if (body instanceof FormData) changed.delete("content-type");
  if (body instanceof Uint8Array) changed.set("content-length", String(body.length));
  return changed;
}

/**
 * Reports whether a request is a WebSocket upgrade. Only these require the native request. No application supports
 * other upgrades, such as curl's `h2c`.
 */
export function isUpgrade({ method, request }: Pick<RequestTarget, "method" | "request">): boolean {
  return method === "GET" && /(?:^|,)\s*websocket\s*(?:,|$)/i.test(request.headers.get("upgrade") ?? "");
}

/** The connection info for another application. It contains the client's address as determined by this application. */
class ForeignInfo implements Deno.ServeHandlerInfo {
  readonly #target: RequestTarget;
  /** The facts that an fw application takes over instead of deciding them again. */
  readonly outer: OuterCall;

  constructor(target: RequestTarget, outer: OuterCall) {
    this.#target = target;
    this.outer = outer;
  }

  get remoteAddr(): Deno.Addr {
    return clientAddress(this.#target);
  }

  get completed(): Promise<void> {
    // In-process requests have no such promise, and fw applications handle that.
    return this.#target.connection?.completed as Promise<void>;
  }
}

/**
 * Returns the peer's address, or the client's address if trusted proxies report it. In the second case, the port is not
 * known.
 */
function clientAddress(target: RequestTarget): Deno.Addr {
  const peer = target.connection?.remoteAddr;
  const hostname = remoteAddr(target);
  return peer !== undefined && hostname === peerAddress(target.connection)
    ? peer
    : { transport: "tcp", hostname, port: 0 };
}
