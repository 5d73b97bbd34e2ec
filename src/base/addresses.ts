/**
 * Lists of internet addresses and networks, such as the proxies one trusts.
 *
 * @module
 */

import { FrameworkError } from "./errors.ts";

/** A list of networks that can be asked whether an address lies in one of them. */
export interface AddressList {
  /** Reports whether the address is in the list; a text that is not an address never is. */
  has(address: string): boolean;
}

interface Network {
  readonly first: bigint;
  readonly last: bigint;
}

const bits = 128n;
// An IPv4 address is compared as its mapped IPv6 form, so "10.0.0.1" and "::ffff:10.0.0.1" are one client.
const mapped = 0xffffn << 32n;

/**
 * Reads a list of addresses and networks.
 *
 * @param entries Each an address or `address/prefix`.
 * @param noun What an entry is, for messages.
 * @returns The list.
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
 * Reports whether a text is an internet address.
 *
 * @param text The text.
 * @returns True for an IPv4 or IPv6 address without brackets or port.
 */
export function isAddress(text: string): boolean {
  return readAddress(text) !== undefined;
}

/**
 * The network that one client chooses its addresses from: an IPv4 address itself, of an IPv6 address the first 64 bits.
 *
 * @param address The address; a text that is not one stays as it is.
 * @returns A text that is the same for all addresses of the network, however they are written.
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
    throw new FrameworkError("FW_CONFIG", `Cannot read the ${noun} "${entry}": it is not an address or network`);
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
  // The platform's URL parser is the judge of the syntax and writes the address in hexadecimal groups.
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
