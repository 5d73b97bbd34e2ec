/**
 * Connects the WebSocket of a client with one of the upstream server.
 *
 * @module
 */

import { HTTPError } from "../../base/errors/errors.ts";
import { type Context, exchangeOf } from "../../core/context/context.ts";
import { beforeSending } from "../../core/exchange/ending/end_tasks.ts";
import { type Exchange, outermostExchange } from "../../core/exchange/exchange.ts";
import { stoppingApps } from "../../core/exchange/peer/outer_call.ts";
import { whenSessionEnds } from "../../core/exchange/stream_terms.ts";
import { checkHandshake, offeredProtocols, type Refusal } from "../../middleware/handshake.ts";
import type { Upstream } from "./options.ts";

/** The maximum number of bytes that wait for a slow receiver. */
const MAX_BUFFERED = 16 << 20;
/** The maximum number of messages that wait until the client's socket is open, and the time for that. */
const [MAX_EARLY, OPENING_MS] = [1_000, 10_000];
/** The interval of the pings to the client, in seconds. */
const PING_SECONDS = 30;

/**
 * Opens a WebSocket to the upstream server and accepts that of the client.
 *
 * @param ctx The context of the handshake.
 * @param url The URL of the upstream server.
 * @param headers The headers for the upstream server.
 * @param upstream The upstream server, with its time limit and the allowed origins.
 * @returns The response to the handshake.
 */
export async function bridge(ctx: Context, url: URL, headers: Headers, upstream: Upstream): Promise<Response> {
  const exchange = exchangeOf(ctx);
  const refusal = checkHandshake(ctx, exchange.request.headers, upstream.origins);
  if (refusal !== undefined) throw refused(ctx, refusal);
  const apps = stoppingApps(exchange.target);
  if (apps.some(({ leaving }) => leaving.signal.aborted)) throw new HTTPError(503, "The server is shutting down");
  const inner = newSocket(url, headers, offeredProtocols(exchange.request.headers));
  // The server may send messages as soon as the connection is open.
  const pair = new Bridge(inner);
  await pair.connected(upstream.settings.Timeout);
  try {
    const { socket, response } = upgrade(exchange, inner.protocol);
    const drain = () => pair.drain();
    for (const app of apps) app.drains.add(drain);
    const forget = whenSessionEnds(exchange, () => pair.end(4401, "The session has ended"));
    pair.use(socket, () => {
      forget();
      for (const app of apps) app.drains.delete(drain);
    });
    return response;
  } catch (error) {
    inner.close();
    throw error;
  }
}

function refused(ctx: Context, { status, message, headers = {} }: Refusal): HTTPError {
  for (const [name, value] of Object.entries(headers)) ctx.Header(name, value);
  return new HTTPError(status, message);
}

/** Upgrades the request of the client. */
function upgrade(exchange: Exchange<Context>, protocol: string): Deno.WebSocketUpgrade {
  const options = { idleTimeout: PING_SECONDS, ...protocol !== "" && { protocol } };
  const upgraded = Deno.upgradeWebSocket(outermostExchange(exchange).request, options);
  upgraded.socket.binaryType = "arraybuffer";
  // Deno sends an upgrade response unchanged, so the cookies of middleware are added here.
  beforeSending(exchange, () => {
    for (const [name, value] of exchange.draft.headers ?? []) {
      if (name === "set-cookie") upgraded.response.headers.append(name, value);
    }
  });
  return upgraded;
}

/** Creates a WebSocket to the upstream server. */
function newSocket(url: URL, headers: Headers, protocols: string[]): WebSocket {
  const address = new URL(url);
  address.protocol = address.protocol.replace("http", "ws");
  // The platform sends its own name.
  for (const name of ["accept-encoding", "user-agent"]) headers.delete(name);
  // In programs for browsers, the type of the global does not include Deno's options.
  const socket = new WebSocket(address, { protocols, headers: [...headers] } as unknown as string[]);
  socket.binaryType = "arraybuffer";
  return socket;
}

/** Two connected WebSockets. */
class Bridge {
  readonly #inner: WebSocket;
  readonly #opened = Promise.withResolvers<void>();
  readonly #ended = Promise.withResolvers<void>();
  #outer: WebSocket | undefined = undefined;
  #released: (() => void) | undefined = undefined;
  #opening: ReturnType<typeof setTimeout> | undefined = undefined;
  /** The messages that arrived before the client's socket was open. */
  #early: (string | ArrayBuffer)[] | undefined = [];
  #ending: readonly [code: number, reason: string] | undefined = undefined;

  constructor(inner: WebSocket) {
    this.#inner = inner;
    inner.onmessage = ({ data }) => this.#toClient(data);
    // Without a listener, an error would end the process.
    inner.onerror = (event) => this.#opened.reject(new Error((event as ErrorEvent).message ?? "Cannot connect"));
    inner.onopen = () => this.#opened.resolve();
    inner.onclose = ({ code, reason }) => {
      this.#opened.reject(new Error("The connection was closed during the handshake"));
      this.end(code, reason);
    };
  }

  /** Waits for the handshake of the upstream server. */
  async connected(timeout: number): Promise<void> {
    const late = new DOMException(`No handshake within ${timeout} ms`, "TimeoutError");
    const timer = setTimeout(() => this.#opened.reject(late), timeout);
    try {
      await this.#opened.promise;
    } catch (error) {
      this.#closeInner(1000, "");
      throw new HTTPError(error === late ? 504 : 502, "", { cause: error });
    } finally {
      clearTimeout(timer);
    }
  }

  /** Sets the client's socket. */
  use(outer: WebSocket, released: () => void): void {
    this.#outer = outer;
    outer.onopen = () => this.#open();
    outer.onmessage = ({ data }) => this.#toServer(data);
    outer.onclose = ({ code, reason }) => this.#close(code || 1006, reason);
    outer.onerror = () => {};
    this.#released = released;
    // The platform does not report a client that disconnects before its socket is open.
    this.#opening = setTimeout(() => {
      this.end(1006, "");
      this.#close(1006, "");
    }, OPENING_MS);
  }

  /** Closes both sockets because the application shuts down. */
  drain(): Promise<void> {
    this.end(1012, "The server is shutting down");
    return this.#ended.promise;
  }

  #open(): void {
    clearTimeout(this.#opening);
    const early = this.#early ?? [];
    this.#early = undefined;
    for (const data of early) this.#toClient(data);
    if (this.#ending !== undefined) this.#closeOuter(this.#ending);
  }

  #toServer(data: string | ArrayBuffer): void {
    if (this.#inner.readyState !== WebSocket.OPEN) return;
    if (this.#inner.bufferedAmount > MAX_BUFFERED) return this.end(1013, "The server is too slow");
    this.#inner.send(data);
  }

  #close(code: number, reason: string): void {
    this.#ending ??= [code, reason];
    clearTimeout(this.#opening);
    this.#released?.();
    this.#ended.resolve();
    this.#closeInner(code, reason);
  }

  #toClient(data: string | ArrayBuffer): void {
    if (this.#early !== undefined) {
      this.#early.push(data);
      return this.#early.length > MAX_EARLY ? this.end(1013, "The client is too slow") : undefined;
    }
    if ((this.#outer?.bufferedAmount ?? 0) > MAX_BUFFERED) return this.end(1013, "The client is too slow");
    if (this.#outer?.readyState === WebSocket.OPEN) this.#outer.send(data);
  }

  /** Closes both sockets. */
  end(code: number, reason: string): void {
    if (this.#ending !== undefined) return;
    this.#ending = [sentCode(code), reason];
    this.#closeInner(code, reason);
    if (this.#early === undefined) this.#closeOuter(this.#ending);
  }

  #closeOuter([code, reason]: readonly [number, string]): void {
    // If other messages have arrived in the same read, Deno would drop the connection without a close frame.
    setTimeout(() => {
      const outer = this.#outer;
      if (outer !== undefined && outer.readyState < WebSocket.CLOSING) outer.close(code, reason);
    }, 0);
  }

  #closeInner(code: number, reason: string): void {
    if (this.#inner.readyState >= WebSocket.CLOSING) return;
    // Clients may only send these codes.
    if (code === 1000 || code >= 3000 && code <= 4999) this.#inner.close(code, reason);
    else this.#inner.close();
  }
}

/** Returns the code for the client. Those for a missing code and a lost connection are never sent. */
function sentCode(code: number): number {
  if (code === 1005) return 1000;
  return code === 0 || code === 1006 || code === 1015 ? 1014 : code;
}
