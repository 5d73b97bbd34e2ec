/**
 * Parses listen addresses.
 *
 * @module
 */

import { FrameworkError } from "../../base/errors/errors.ts";

/** A listen address in the form that `Deno.serve` accepts. */
interface ListenAddress {
  /** A host name or IP address. IPv6 addresses have no brackets. */
  readonly hostname: string;
  /** The port, or `0` for any free port. */
  readonly port: number;
}

const ALL_INTERFACES = "0.0.0.0";
const DEFAULT_PORT = 8080;

/** A bracketed IPv6 host or a host without colons, followed by the port. */
const HOST_AND_PORT = /^(?:\[([^[\]]*)\]|([^:[\]]*)):([^:]*)$/;

/**
 * Parses a listen address: `host:port`, `:port`, `[::1]:port`, a port, or an empty string for `:8080`.
 *
 * @param given The address. If the host is empty, the server listens on all interfaces.
 * @returns The host and the port.
 * @throws {FrameworkError} If the address is not valid.
 */
export function parseAddress(given: string): ListenAddress {
  // Another kind of value, such as a missing environment variable, is reported like an address without a port.
  const address = String(given);
  if (address === "") return { hostname: ALL_INTERFACES, port: DEFAULT_PORT };
  if (/^\d+$/.test(address)) return { hostname: ALL_INTERFACES, port: parsePort(address, address) };
  const parts = HOST_AND_PORT.exec(address);
  if (parts === null) throw unreadable(address, shapeProblem(address));
  const [, bracketed, plain = "", port = ""] = parts;
  if (bracketed !== undefined && !isIPv6(bracketed)) {
    throw unreadable(address, `"${bracketed}" is not an IPv6 address`);
  }
  if (plain !== "" && !isHost(plain)) throw unreadable(address, `"${plain}" is not a host name or an IP address`);
  return { hostname: bracketed ?? (plain || ALL_INTERFACES), port: parsePort(port, address) };
}

function parsePort(text: string, address: string): number {
  if (text === "") throw unreadable(address, "the port after the colon is missing");
  if (!/^\d+$/.test(text)) throw unreadable(address, `port "${text}" is not a number`);
  const port = Number(text);
  if (port > 65535) throw unreadable(address, `port "${text}" is not between 0 and 65535`);
  return port;
}

function shapeProblem(address: string): string {
  if (address.includes("://")) return 'it has a scheme; use only the host and the port, as in "localhost:8080"';
  if (!address.includes(":")) return `it has no port; use "${address}:8080", for example`;
  return 'an IPv6 host must be in brackets, as in "[::1]:8080"';
}

function isIPv6(host: string): boolean {
  const withoutZone = host.replace(/%.+$/, "");
  return /^[\da-f:.]+$/i.test(withoutZone) && URL.canParse(`http://[${withoutZone}]/`);
}

// The URL parser alone would accept "a/b" as the host "a" with a path, and "me@host" as a user name and host.
function isHost(host: string): boolean {
  return /^[^\s/?#@\\%]+$/.test(host) && URL.canParse(`http://${host}/`);
}

function unreadable(address: string, why: string): FrameworkError {
  return new FrameworkError("FW_ADDRESS", `Cannot read listen address "${address}": ${why}`);
}
