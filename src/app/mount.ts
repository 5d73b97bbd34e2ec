/**
 * Other fetch applications inside of this one.
 *
 * @module
 */

import { isThenable } from "../base/thenable.ts";
import { peerAddress } from "../context/client/peer_address.ts";
import { remoteAddr } from "../context/client/remote_addr.ts";
import { requestOrigin } from "../context/client/request_scheme.ts";
import { type Context, exchangeOf } from "../context/context.ts";
import { bodyOf, type Exchange } from "../context/exchange.ts";
import { handOut } from "../context/hand_out.ts";
import type { Handler } from "../context/handler.ts";
import type { RequestTarget } from "../context/request_target.ts";
import { encodePath } from "../http/canonical_path.ts";
import { encodedPath, rawPath, searchOf } from "../http/request_url.ts";
import { type HandedBody, handedBody } from "../input/handed_body.ts";

/**
 * What serves a request: the `fetch` of another application, or a function of one's own. Its second argument is what
 * `Deno.serve` gives to a handler, with the client's address as `ctx.RemoteAddr()` tells it.
 */
export type ForeignFetch = (request: Request, info: Deno.ServeHandlerInfo) => Response | Promise<Response>;

/** Methods whose requests have no body for the platform. */
const withoutBody: ReadonlySet<string> = new Set(["GET", "HEAD"]);
/** Methods that no request may be created with. */
const reserved: ReadonlySet<string> = new Set(["CONNECT", "TRACE", "TRACK"]);

/**
 * Creates a handler from a function from `Request` to `Response`. The request has the method, the URL and the body that
 * `ctx` has: behind `rewrite` the new path, behind a trusted proxy the client's scheme and host. The body that the
 * function reads is counted: the limits of this application hold.
 *
 * @param fetch The function.
 * @returns The handler.
 *
 * @example A function as a route
 * ```ts
 * import * as fw from "@fw/web";
 *
 * const app = fw.New();
 * app.Get("/time", fw.FromFetch(() => Response.json({ hours: 7 })));
 * const response = await app.fetch(new Request("http://localhost/time"));
 * await response.json(); // → { hours: 7 }
 * ```
 */
export function FromFetch(fetch: ForeignFetch): Handler {
  return (ctx) => forward(ctx, fetch, valuePath(exchangeOf(ctx).target));
}

/**
 * Hands requests to another application with the first part of their path cut off.
 *
 * @param depth How many segments are cut off.
 * @param fetch The application.
 */
export function mounted(depth: number, fetch: ForeignFetch): Handler {
  return function mount(ctx) {
    const path = encodedPath(exchangeOf(ctx).target);
    let start = 0;
    for (let at = 0; at < depth && start >= 0; at++) start = path.indexOf("/", start + 1);
    return forward(ctx, fetch, start < 0 ? "/" : path.slice(start));
  };
}

/** The path with the repeated slashes that values of parameters keep. */
function valuePath(target: RequestTarget): string {
  return target.path === "" ? rawPath(target) : encodePath(target.text);
}

function forward(ctx: Context, fetch: ForeignFetch, path: string): Response | Promise<Response> {
  const exchange = exchangeOf(ctx);
  const { target } = exchange;
  const url = requestOrigin(target) + path + searchOf(target);
  // Asked for first: it keeps the address, which an upgrade takes from the connection.
  const sent = handOut(exchange);
  const info = new ForeignInfo(target);
  if (isUpgrade(target) || reserved.has(target.method)) return fetch(sameRequest(sent, url, target.method), info);
  if (withoutBody.has(target.method)) {
    const isSame = url === sent.url && target.method === sent.method;
    return fetch(isSame ? sent : requestWith(exchange, url, null), info);
  }
  const body = handedBody(bodyOf(exchange));
  return isThenable(body)
    ? body.then((read) => fetch(requestWith(exchange, url, read), info))
    : fetch(requestWith(exchange, url, body), info);
}

/**
 * The very request of the platform under another URL. An upgrade is bound to it, and a request of some methods cannot
 * be created: a request that inherits from it is both.
 */
function sameRequest(request: Request, url: string, method: string): Request {
  return Object.create(request, { url: { value: url, enumerable: true }, method: { value: method, enumerable: true } });
}

function requestWith(exchange: Exchange<Context>, url: string, body: HandedBody): Request {
  const { request, method } = exchange;
  const headers = body === null ? request.headers : headersFor(exchange, body);
  const built = new Request(url, { method, headers, body });
  // Read on demand: every signal costs time, and Deno warns about its use.
  return Object.defineProperty(built, "signal", { get: () => request.signal });
}

/** The headers of the request, as far as they are true of the body that is handed on. */
function headersFor(exchange: Exchange<Context>, body: HandedBody): Headers {
  const { headers } = exchange.request;
  const isUnpacked = bodyOf(exchange).isUnpacked;
  if (body instanceof ReadableStream && !isUnpacked) return headers;
  const changed = new Headers(headers);
  changed.delete("content-length");
  changed.delete("transfer-encoding");
  if (isUnpacked) changed.delete("content-encoding");
  // The platform writes the form anew, with a boundary of its own.
  if (body instanceof FormData) changed.delete("content-type");
  if (body instanceof Uint8Array) changed.set("content-length", String(body.length));
  return changed;
}

/** Only this upgrade needs the platform's request; what others ask for, such as `h2c` of curl, no application does. */
function isUpgrade({ method, request }: RequestTarget): boolean {
  return method === "GET" && /(?:^|,)\s*websocket\s*(?:,|$)/i.test(request.headers.get("upgrade") ?? "");
}

/** What another application learns of the connection: the client, as this application knows it. */
class ForeignInfo implements Deno.ServeHandlerInfo {
  readonly #target: RequestTarget;
  #address: Deno.Addr | undefined = undefined;

  constructor(target: RequestTarget) {
    this.#target = target;
  }

  get remoteAddr(): Deno.Addr {
    return this.#address ??= clientAddress(this.#target);
  }

  get completed(): Promise<void> {
    // A request in process has none, and an application of fw reads that as such.
    return this.#target.connection?.completed as Promise<void>;
  }
}

/** The peer's address, or that of the client where trusted proxies name it: their port is not known. */
function clientAddress(target: RequestTarget): Deno.Addr {
  const peer = target.connection?.remoteAddr;
  const hostname = remoteAddr(target);
  return peer !== undefined && hostname === peerAddress(target.connection)
    ? peer
    : { transport: "tcp", hostname, port: 0 };
}
