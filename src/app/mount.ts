/**
 * Runs other fetch-based applications inside this one.
 *
 * @module
 */

import { type HandedBody, handedBody } from "../accessors/handed_body.ts";
import { loadModule } from "../async/lazy_module.ts";
import { type Context, exchangeOf } from "../context/context.ts";
import type { Handler } from "../context/handler.ts";
import { FrameworkError } from "../errors/errors.ts";
import { bodyOf, type Exchange, watchOf } from "../exchange/exchange.ts";
import { handOut } from "../exchange/hand_out.ts";
import { basePath } from "../exchange/peer/base_path.ts";
import { type OuterCall, outerCallOf, passOn, stoppingApps } from "../exchange/peer/outer_call.ts";
import { peerAddress } from "../exchange/peer/peer_address.ts";
import { remoteAddr } from "../exchange/peer/remote_addr.ts";
import { requestOrigin, requestScheme } from "../exchange/peer/request_scheme.ts";
import { homePath } from "../exchange/public_url.ts";
import type { RequestTarget } from "../exchange/request_target.ts";
import { encodePath } from "../http/canonical_path.ts";
import { trimFinalSlashes } from "../http/path.ts";
import { encodedPath, rawPath, searchOf } from "../http/request_url.ts";
import { proxySettings, type ReverseProxyOptions } from "../proxy/options.ts";
import { headersWithCookies } from "../response/cookies.ts";
import { isResponse } from "../response/platform_response.ts";

/**
 * A function that serves requests, such as the `fetch` function of another application. Its second argument is the
 * connection info that `Deno.serve` passes to handlers. The client's address in it is the one returned by
 * `ctx.RemoteAddr()`.
 */
export type ForeignFetch = (request: Request, info: Deno.ServeHandlerInfo) => Response | Promise<Response>;

/** The methods whose requests cannot have a body on this platform. */
const withoutBody: ReadonlySet<string> = new Set(["GET", "HEAD"]);
/** The methods that `new Request` does not accept. */
const reserved: ReadonlySet<string> = new Set(["CONNECT", "TRACE", "TRACK"]);

/**
 * Creates a handler from a function that takes a `Request` and returns a `Response`. The request has the effective
 * method, URL and body. For example, it has the new path after a `rewrite`, and the client's scheme and host behind a
 * trusted proxy. The body limits of this application apply.
 *
 * @param fetch The function.
 * @returns The handler.
 *
 * @example Use a fetch function as a handler
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
  return (ctx) => forward(ctx, fetch, { path: valuePath(exchangeOf(ctx).target), removed: "" });
}

/**
 * Creates a handler that forwards requests to another server, for example
 * `app.Party("/api").Any("/{path:path}", fw.Proxy("http://127.0.0.1:9000/v1"))`. The prefix of the party is replaced
 * by the path of the URL. Guards of the party run first.
 *
 * Bodies are streamed in both directions, and WebSockets are connected. Headers that belong to a connection are
 * removed. `X-Forwarded-For`, `-Host`, `-Proto` and `-Prefix` describe the client as this application sees it, so that
 * a client cannot forge them. Paths that other servers may read differently from the guards, such as those with a
 * semicolon, are refused with 400. If the server cannot be reached, the client receives 502, and 504 if it does not
 * respond in time. The reason is logged.
 *
 * @param url The URL of the server, without a query string.
 * @param options The timeouts, limits and headers.
 * @returns The handler.
 *
 * @example Forward requests
 * ```ts
 * import * as fw from "@fw/web";
 *
 * const inner = Deno.serve({ port: 0, onListen() {} }, (request) => new Response(new URL(request.url).pathname));
 *
 * const app = fw.New();
 * app.Party("/api").Any("/{path:path}", fw.Proxy(`http://127.0.0.1:${inner.addr.port}/v1`));
 * const response = await app.fetch(new Request("http://localhost/api/users/7"));
 * await response.text(); // → "/v1/users/7"
 * await inner.shutdown();
 * ```
 */
export function Proxy(url: string | URL, options: ReverseProxyOptions = {}): Handler {
  const [base, settings] = [upstreamURL(url), proxySettings(options)];
  let loaded: Promise<(ctx: Context, depth: number) => Promise<Response>> | undefined;
  return async function proxy(ctx) {
    loaded ??= loadModule(() => import("../proxy/forward.ts")).then(({ forward, upstreamOf }) => {
      const upstream = upstreamOf(base, settings);
      return (ctx, depth) => forward(ctx, upstream, depth);
    });
    const { prefix } = exchangeOf(ctx).route.party;
    return (await loaded)(ctx, prefix.split("/").filter((segment) => segment !== "").length);
  };
}

function upstreamURL(url: string | URL): URL {
  const base = URL.canParse(url) ? new URL(url) : undefined;
  const isPlain = base !== undefined && /^https?:$/.test(base.protocol) && base.search + base.hash === "";
  if (isPlain && base.username + base.password === "") return base;
  throw new FrameworkError(
    "FW_CONFIG",
    `Cannot forward requests to "${url}": the URL must begin with http:// or https://, without credentials and a query`,
  );
}

/**
 * Passes requests to another application, removing the first segments of the path.
 *
 * @param depth The number of segments to remove.
 * @param fetch The application.
 */
export function mounted(depth: number, fetch: ForeignFetch): Handler {
  return function mount(ctx) {
    const path = encodedPath(exchangeOf(ctx).target);
    let start = 0;
    for (let at = 0; at < depth && start >= 0; at++) start = path.indexOf("/", start + 1);
    const removed = start < 0 ? path : path.slice(0, start);
    return forward(ctx, fetch, { path: path.slice(removed.length) || "/", removed });
  };
}

/**
 * Passes requests to another application that serves their host.
 *
 * @param fetch The application.
 * @param host The host that the application sees, with its port if there is one. Defaults to that of the request.
 * @param site The position of the application among the others that see this host.
 */
export function switched(fetch: ForeignFetch, host: string | undefined, site: string): Handler {
  return (ctx) => forward(ctx, fetch, { path: rawPath(exchangeOf(ctx).target), removed: "", host, site });
}

/** A path that is passed on, and the part before it that was removed. */
interface CutPath {
  readonly path: string;
  readonly removed: string;
  /** The host to pass on instead of the request's own. */
  readonly host?: string | undefined;
  readonly site?: string;
}

/** Returns the path including the repeated slashes that are part of parameter values. */
function valuePath(target: RequestTarget): string {
  return target.path === "" ? rawPath(target) : encodePath(target.text);
}

async function forward(ctx: Context, fetch: ForeignFetch, { path, removed, host, site }: CutPath): Promise<Response> {
  const exchange = exchangeOf(ctx);
  const { target } = exchange;
  const origin = host === undefined ? requestOrigin(target) : `${requestScheme(target)}://${host}`;
  const url = origin + path + searchOf(target);
  // This must come first, because it stores the address. An upgrade removes the address from the connection.
  const sent = handOut(exchange);
  const info = new ForeignInfo(target, recordOf(exchange, removed, host === undefined ? undefined : site));
  const request = isUpgrade(target) || reserved.has(target.method)
    ? sameRequest(exchange, sent, url)
    : requestWith(exchange, url, withoutBody.has(target.method) ? null : await handedBody(bodyOf(exchange)));
  const returned: unknown = await fetch(request, info);
  if (isResponse(returned)) return returned;
  // Without a response, the client would receive an empty 200.
  throw exchange.notResponse("a function", returned);
}

/** Creates the record for the application that receives the request. */
function recordOf(exchange: Exchange<Context>, removed: string, site?: string): OuterCall {
  const { target } = exchange;
  return passOn({
    ...outerCallOf(target.connection),
    apps: stoppingApps(exchange),
    prefix: homePath(target) + trimFinalSlashes(removed),
    base: outerCallOf(target.connection)?.base ?? basePath(target),
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
  return withSignal(exchange, new Request(url, { method, headers, body }));
}

/** Gives a request the signal of the call, which is also aborted by a timeout. */
function withSignal(exchange: Exchange<Context>, request: Request): Request {
  // The signal is read on demand, because every signal takes time and Deno warns about its use.
  return Object.defineProperty(request, "signal", { get: () => watchOf(exchange).signal });
}

/** Returns the request headers, except for those that do not match the body that is passed on. */
function headersFor(exchange: Exchange<Context>, body: HandedBody): Headers {
  const { headers } = exchange.request;
  const isUnpacked = bodyOf(exchange).isUnpacked;
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
function isUpgrade({ method, request }: RequestTarget): boolean {
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
