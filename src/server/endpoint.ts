/**
 * Opens what a runner describes, and opens it again when it breaks.
 *
 * @module
 */

import { FrameworkError } from "../base/errors.ts";
import { LazyRoom } from "../base/promises.ts";
import { type AddrRunner, parseAddress, type Runner, type TLSRunner, type UnixRunner } from "./runner.ts";
import type { Fetch } from "./drain_gate.ts";
import { sleep } from "./lifetime.ts";

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
