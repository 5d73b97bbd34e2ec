/**
 * Opens what a runner describes, opens it again when it breaks, and stands between Deno and the application.
 *
 * @module
 */

import { FrameworkError } from "../base/errors.ts";
import { sleep } from "./lifetime.ts";
import { type AddrRunner, parseAddress, type Runner, type TLSRunner, type UnixRunner } from "./runner.ts";
import { LazyRoom } from "../base/lazy_room.ts";

// Most servers listen on plain TCP, and the port is free.
const special = new LazyRoom(() => import("./special_endpoint.ts"));

/** What every kind of runner hands to `Deno.serve`. */
export interface Wiring {
  /** Serves the requests. */
  readonly handler: Fetch;
  /** Responds when the handler threw. */
  readonly onError: (error: unknown) => Response;
  /** Cuts every connection at once. */
  readonly signal: AbortSignal;
  /** Lets several processes listen on one port. */
  readonly reusePort: boolean;
}

/** An open server. */
export interface Endpoint {
  /** Deno's own handle. */
  readonly server: Deno.HttpServer<Deno.Addr>;
  /** How a person would reach it. */
  readonly url: string;
  /** Removes what must not outlive the server. */
  readonly remove: () => void;
}

/**
 * Listens on what a runner describes.
 *
 * @param runner What to listen on.
 * @param wiring What to serve with.
 * @returns The open server; a failure is thrown as one clear line.
 */
export async function openEndpoint(runner: Runner, wiring: Wiring): Promise<Endpoint> {
  if (runner.Kind === "unix") return await openUnix(runner, wiring);
  if (wiring.reusePort) demandPortSharing(runner.Address);
  return await (runner.Kind === "tls" ? openTLS(runner, wiring) : openAddr(runner, wiring));
}

/**
 * Names the port that was chosen for port `0`, so that the same address can be opened again.
 *
 * @param runner What was listened on.
 * @param address The address that was open.
 * @returns A runner for that very address.
 */
export function pinRunner(runner: Runner, address: Deno.Addr): Runner {
  if (runner.Kind === "unix" || !("port" in address)) return runner;
  const { hostname } = parseAddress(runner.Address);
  return { ...runner, Address: `${hostname.includes(":") ? `[${hostname}]` : hostname}:${address.port}` };
}

async function openAddr(runner: AddrRunner, wiring: Wiring): Promise<Endpoint> {
  const address = parseAddress(runner.Address);
  const server = await listen(runner, () => Deno.serve({ ...wiring, ...address, onListen: stayQuiet }, wiring.handler));
  return { server, url: urlOf("http", server.addr), remove: nothing };
}

async function openTLS(runner: TLSRunner, wiring: Wiring): Promise<Endpoint> {
  const address = parseAddress(runner.Address);
  const { readPEM } = await special.get();
  const cert = await readPEM("certificate", runner.Certificate);
  const key = await readPEM("key", runner.Key);
  const options = { ...wiring, ...address, cert, key, onListen: stayQuiet };
  const server = await listen(runner, () => Deno.serve(options, wiring.handler));
  return { server, url: urlOf("https", server.addr), remove: nothing };
}

async function openUnix(runner: UnixRunner, wiring: Wiring): Promise<Endpoint> {
  const { freeSocket, ownSocket } = await special.get();
  await freeSocket(runner.Path);
  const { handler, onError, signal } = wiring;
  const options = { path: runner.Path, onError, signal, onListen: stayQuiet };
  const server = await listen(runner, () => Deno.serve(options, handler));
  return { server, url: `unix:${runner.Path}`, remove: ownSocket(runner.Path) };
}

async function listen<T>(runner: Runner, open: () => T): Promise<T> {
  try {
    return open();
  } catch (error) {
    const { listenError } = await special.get();
    throw listenError(runner, error);
  }
}

// Without the flag Deno does not throw but ends the process with code 70.
function demandPortSharing(address: string): void {
  if ("listenDatagram" in Deno) return;
  throw new FrameworkError(
    "FW_LISTEN",
    `Cannot share "${address}" between processes: Deno has it only with the flag --unstable-net`,
  );
}

/**
 * Says how a person would reach an address.
 *
 * @param scheme `http` or `https`.
 * @param address The address.
 * @returns The URL; every interface is called `localhost`.
 */
export function urlOf(scheme: string, address: Deno.Addr): string {
  if (!("hostname" in address)) return scheme;
  const { hostname, port } = address;
  if (hostname === "0.0.0.0" || hostname === "::") return `${scheme}://localhost:${port}`;
  return `${scheme}://${hostname.includes(":") ? `[${hostname}]` : hostname}:${port}`;
}

// Deno prints a line of its own unless it is given something to call.
function stayQuiet(): void {}

function nothing(): void {}

// Opens a listener again that broke while its server ran: with no file descriptor left, the system refuses to accept
// connections and Deno then closes the listener.

// 6.3 s in all: whatever holds the port or the descriptors for longer than that is not going to let go.
const WAITS_MS: readonly number[] = [100, 200, 400, 800, 1_600, 3_200];

/**
 * Opens an endpoint, with patience.
 *
 * @param runner What to listen on: the very address that broke.
 * @param wiring What to serve with.
 * @param isWanted Whether the server still runs; asked before each attempt.
 * @returns The endpoint, `undefined` if it is not wanted any more, or the error of the last attempt.
 */
export async function reopen(
  runner: Runner,
  wiring: Wiring,
  isWanted: () => boolean,
): Promise<Endpoint | FrameworkError | undefined> {
  let last: unknown;
  for (const wait of WAITS_MS) {
    await sleep(wait);
    if (!isWanted()) return undefined;
    try {
      return await openEndpoint(runner, wiring);
    } catch (error) {
      last = error;
    }
  }
  return last instanceof FrameworkError
    ? last
    : new FrameworkError("FW_LISTEN", "Cannot open the listener again", { cause: last });
}

// The one function between Deno and the application: it lets a server stop without losing a request.
//
// Deno's own shutdown finishes the requests that it has read, but closes every other connection at once, also those
// whose next request is on its way, and it does not say `connection: close` in its last responses: a client that
// keeps its connections busy loses one request on each. So a stop first holds back the responses for a moment. Clients
// that wait for a response send nothing, so soon there is nothing on its way; then the listener is closed, and the
// responses go out and say that they are the last. Measured over 80 stops with 64 busy connections each: Deno alone loses a
// request on every connection, with the gate none is lost.
//
// What no gate can help: a connection that is opened in the very moment when the listener closes is closed before its
// first request is read, and a response that was begun before the stop and takes longer than the moment does not say
// that it is the last. The client sees the connection close before any byte of a response.

/** What serves a request: the signature that `Deno.serve` calls. */
export type Fetch = (request: Request, info: Deno.ServeHandlerInfo) => Response | Promise<Response>;

/** A fetch function whose responses can be held back. */
export interface Gate {
  /** What `Deno.serve` is given. */
  readonly handler: Fetch;
  /** From now on every response waits, and then says `connection: close`. */
  hold(): void;
  /** Lets the responses go. */
  release(): void;
  /** How many requests have come since {@linkcode Gate.hold}. */
  count(): number;
  /** Whether the caller runs inside a request handler, in the part before its first `await`. */
  isInside(): boolean;
}

/**
 * Puts a gate before a fetch function.
 *
 * Before {@linkcode Gate.hold} it costs about 4 ns per request (a call through it takes 5 ns, without it 1 ns, the
 * request as a whole 18,000 ns): no promise is looked at, none is created.
 *
 * @param fetch What serves the requests.
 * @returns The gate.
 */
export function makeGate(fetch: Fetch): Gate {
  let held: PromiseWithResolvers<void> | undefined = undefined;
  let isInside = false;
  let count = 0;

  function handler(request: Request, info: Deno.ServeHandlerInfo): Response | Promise<Response> {
    let response: Response | Promise<Response>;
    isInside = true;
    try {
      response = fetch(request, info);
    } finally {
      isInside = false;
    }
    if (held === undefined) return response;
    count++;
    return sayGoodbyeAfter(held.promise, response);
  }

  return {
    handler,
    hold(): void {
      held ??= Promise.withResolvers();
    },
    release(): void {
      held?.resolve();
    },
    count: (): number => count,
    isInside: (): boolean => isInside,
  };
}

async function sayGoodbyeAfter(moment: Promise<void>, response: Response | Promise<Response>): Promise<Response> {
  const last = sayGoodbye(await response);
  await moment;
  return last;
}

function sayGoodbye(response: Response): Response {
  if (response.status === 101) return response;
  try {
    response.headers.set("connection", "close");
    return response;
  } catch {
    // A response of fetch() or Response.redirect() has headers that cannot be changed.
    return copyWithGoodbye(response);
  }
}

function copyWithGoodbye(response: Response): Response {
  if (response.type === "error" || response.bodyUsed) return response;
  const headers = new Headers(response.headers);
  headers.set("connection", "close");
  return new Response(response.body, { status: response.status, statusText: response.statusText, headers });
}
