/**
 * IP address and network lists, such as trusted proxies.
 *
 * @module
 */

import { FrameworkError } from "../errors/errors.ts";

/** A list of IP networks. */
export interface AddressList {
  /** Reports whether the address belongs to one of the networks. Returns `false` for an invalid address. */
  has(address: string): boolean;
}

interface Network {
  readonly first: bigint;
  readonly last: bigint;
}

const bits = 128n;
// IPv4 addresses are compared in their IPv6-mapped form, so "10.0.0.1" and "::ffff:10.0.0.1" are the same client.
const mapped = 0xffffn << 32n;

/**
 * Parses a list of addresses and networks.
 *
 * @param entries The entries, each an address or `address/prefix`.
 * @param noun The name of an entry in error messages.
 * @returns The parsed list.
 * @throws {FrameworkError} If an entry is neither an address nor a network.
 */
export function addressList(entries: readonly string[], noun = "trusted proxy"): AddressList {
  const networks = entries.map((entry) => readNetwork(entry, noun));
  return {
    has(address: string): boolean {
      const value = readAddress(address);
      return value !== undefined && networks.some((network) => value >= network.first && value <= network.last);
    },
  };
}

/**
 * Reports whether a string is an IP address.
 *
 * @param text The string to check.
 * @returns `true` for an IPv4 or IPv6 address without brackets or port.
 */
export function isAddress(text: string): boolean {
  return readAddress(text) !== undefined;
}

/**
 * Returns the network that identifies a client. This is the address itself for IPv4, and the /64 network for IPv6,
 * where one client can use any address in its /64.
 *
 * @param address The client's address. A string that is not an address is returned unchanged.
 * @returns A string shared by all addresses in the network, regardless of their spelling.
 */
export function clientNetwork(address: string): string {
  if (!address.includes(":")) return address;
  const value = readIPv6(address);
  if (value === undefined) return address;
  if (value >> 32n === mapped >> 32n) return readableIPv4(value);
  return `${(value >> 64n).toString(16).padStart(16, "0").replace(/(.{4})(?=.)/g, "$1:")}::/64`;
}

function readableIPv4(value: bigint): string {
  return [24n, 16n, 8n, 0n].map((shift) => value >> shift & 255n).join(".");
}

function readNetwork(entry: string, noun: string): Network {
  const slash = entry.indexOf("/");
  const address = slash < 0 ? entry : entry.slice(0, slash);
  const value = readAddress(address);
  const width = address.includes(":") ? 128 : 32;
  const prefix = slash < 0 ? String(width) : entry.slice(slash + 1);
  if (value === undefined || !/^\d{1,3}$/.test(prefix) || Number(prefix) > width) {
    throw new FrameworkError("FW_CONFIG", `Cannot read the ${noun} "${entry}": it is not an IP address or network`);
  }
  const size = 1n << (BigInt(width) - BigInt(prefix));
  const first = value - value % size;
  return { first, last: first + size - 1n };
}

function readAddress(text: string): bigint | undefined {
  return text.includes(":") ? readIPv6(text) : readIPv4(text);
}

function readIPv4(text: string): bigint | undefined {
  const match = /^(\d{1,3})\.(\d{1,3})\.(\d{1,3})\.(\d{1,3})$/.exec(text);
  if (match === null) return undefined;
  let value = 0n;
  for (const part of match.slice(1)) {
    if (Number(part) > 255) return undefined;
    value = value << 8n | BigInt(part);
  }
  return mapped | value;
}

function readIPv6(text: string): bigint | undefined {
  // The platform's URL parser validates the syntax and normalizes the address to hexadecimal groups.
  if (!/^[0-9A-Fa-f:.]+$/.test(text)) return undefined;
  const url = URL.parse(`http://[${text}]/`);
  if (url === null) return undefined;
  const [head = "", tail] = url.hostname.slice(1, -1).split("::");
  const left = groups(head);
  const right = groups(tail ?? "");
  const zeros = new Array<string>(8 - left.length - right.length).fill("0");
  return [...left, ...zeros, ...right].reduce((sum, group) => sum << 16n | BigInt(`0x${group}`), 0n) % (1n << bits);
}

function groups(text: string): string[] {
  return text === "" ? [] : text.split(":");
}
