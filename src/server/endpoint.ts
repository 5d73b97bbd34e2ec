/**
 * Opens what a runner describes.
 *
 * @module
 */

import { FrameworkError } from "../base/errors.ts";
import { LazyRoom } from "../base/lazy_room.ts";
import type { ServeHandler } from "./drain_gate.ts";
import { parseAddress } from "./listen_address.ts";
import type { AddrRunner, Runner, TLSRunner, UnixRunner } from "./runner.ts";

// Most servers listen on plain TCP, and the port is free.
const listenErrors = new LazyRoom(() => import("./listen_error.ts"));
const pem = new LazyRoom(() => import("./pem.ts"));
const unixSockets = new LazyRoom(() => import("./unix_socket.ts"));

/** What every kind of runner hands to `Deno.serve`. */
export interface Wiring {
  /** Serves the requests. */
  readonly handler: ServeHandler;
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
