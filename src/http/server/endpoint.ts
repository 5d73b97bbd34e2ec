/**
 * Opens the endpoint for a runner.
 *
 * @module
 */

import { LazyModule } from "../../base/async/lazy_module.ts";
import { FrameworkError } from "../../base/errors/errors.ts";
import type { ServeHandler } from "./drain_gate.ts";
import { parseAddress } from "./listen_address.ts";
import type { AddrRunner, Runner, TLSRunner, UnixRunner } from "./runner.ts";

// This module is loaded on first use, because most servers listen on plain TCP and the port is free.
const listenErrors = new LazyModule(() => import("./listen_error.ts"));
const pem = new LazyModule(() => import("./pem.ts"));
const unixSockets = new LazyModule(() => import("./unix_socket.ts"));

/** The options that every kind of runner passes to `Deno.serve`. */
export interface Wiring {
  /** Serves requests. */
  readonly handler: ServeHandler;
  /** Creates the response if the handler throws. */
  readonly onError: (error: unknown) => Response;
  /** Closes every connection immediately. */
  readonly signal: AbortSignal;
  /** Whether several processes can listen on the same port. */
  readonly reusePort: boolean;
}

/** An open server. */
export interface Endpoint {
  /** Deno's server handle. */
  readonly server: Deno.HttpServer<Deno.Addr>;
  /** The URL of the server, for display. */
  readonly url: string;
  /** Removes everything that must not outlive the server. */
  readonly remove: () => void;
}

/**
 * Listens on the address that a runner describes.
 *
 * @param runner The address to listen on.
 * @param wiring The options for `Deno.serve`.
 * @returns The open server.
 * @throws {FrameworkError} If the server cannot listen, with a one-line reason.
 */
export async function openEndpoint(runner: Runner, wiring: Wiring): Promise<Endpoint> {
  if (runner.Kind === "unix") return await openUnix(runner, wiring);
  if (wiring.reusePort) demandPortSharing(runner.Address);
  return await (runner.Kind === "tls" ? openTLS(runner, wiring) : openAddr(runner, wiring));
}

/**
 * Replaces port `0` with the port that was chosen, so that the same address can be opened again.
 *
 * @param runner The original runner.
 * @param address The open address.
 * @returns A runner for the exact address.
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
  const { readPEM } = await pem.get();
  const cert = await readPEM("certificate", runner.Certificate);
  const key = await readPEM("key", runner.Key);
  const options = { ...wiring, ...address, cert, key, onListen: stayQuiet };
  const server = await listen(runner, () => Deno.serve(options, wiring.handler));
  return { server, url: urlOf("https", server.addr), remove: nothing };
}

async function openUnix(runner: UnixRunner, wiring: Wiring): Promise<Endpoint> {
  const { freeSocket, ownSocket } = await unixSockets.get();
  await freeSocket(runner.Path);
  const { handler, onError, signal } = wiring;
  const options = { path: runner.Path, onError, signal, onListen: stayQuiet };
  const server = await listen(runner, () => Deno.serve(options, handler));
  if (runner.Mode !== undefined) await Deno.chmod(runner.Path, runner.Mode);
  return { server, url: `unix:${runner.Path}`, remove: ownSocket(runner.Path) };
}

async function listen<T>(runner: Runner, open: () => T): Promise<T> {
  try {
    return open();
  } catch (error) {
    const { listenError } = await listenErrors.get();
    throw listenError(runner, error);
  }
}

// Without the flag, Deno does not throw but exits with code 70.
function demandPortSharing(address: string): void {
  if ("listenDatagram" in Deno) return;
  throw new FrameworkError(
    "FW_LISTEN",
    `Cannot share "${address}" between processes: Deno requires the flag --unstable-net`,
  );
}

/**
 * Returns the URL of an address for display.
 *
 * @param scheme `http` or `https`.
 * @param address The address.
 * @returns The URL. If the server listens on all interfaces, the host is `localhost`.
 */
export function urlOf(scheme: string, address: Deno.Addr): string {
  if (!("hostname" in address)) return scheme;
  const { hostname, port } = address;
  if (hostname === "0.0.0.0" || hostname === "::") return `${scheme}://localhost:${port}`;
  return `${scheme}://${hostname.includes(":") ? `[${hostname}]` : hostname}:${port}`;
}

// Without a callback, Deno would print its own line.
function stayQuiet(): void {}

function nothing(): void {}
