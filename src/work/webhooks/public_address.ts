/**
 * Finds the public addresses of a host, so that a URL from a stranger cannot reach the server's own network.
 *
 * @module
 */

import { addressList, isAddress } from "../../base/text/addresses.ts";

/** Returns the addresses of a host name. */
export type Resolver = (host: string) => Promise<readonly string[]>;

// An IPv4 address that is mapped to IPv6 is treated like the IPv4 address. Of all other IPv6 addresses, only those in
// 2000::/3 are global.
const global = addressList(["0.0.0.0/0", "2000::/3"]);
/**
 * The special networks of the IANA registries: private, local, shared, reserved, and wrapped IPv4 addresses. The last
 * one is the metadata service of Azure, which has a public address.
 */
const special = addressList([
  ...["0.0.0.0/8", "10.0.0.0/8", "100.64.0.0/10", "127.0.0.0/8", "169.254.0.0/16", "172.16.0.0/12", "192.0.0.0/24"],
  ...["192.0.2.0/24", "192.88.99.0/24", "192.168.0.0/16", "198.18.0.0/15", "198.51.100.0/24", "203.0.113.0/24"],
  ...["224.0.0.0/3", "2001::/23", "2001:db8::/32", "2002::/16", "3fff::/20", "168.63.129.16"],
]);

/** Reports whether an address belongs to the public internet. */
export function isPublic(address: string): boolean {
  return global.has(address) && !special.has(address);
}

/**
 * Resolves the host of a URL. Connect only to the returned addresses, because a second resolution may differ.
 *
 * @param url The URL. Its parser has already normalized addresses such as `0x7f.1`.
 * @param allowed Reports whether an address is allowed.
 * @param resolve Resolves host names.
 * @returns The addresses, or `undefined` if one of them is not allowed.
 */
export async function addressesOf(
  url: URL,
  allowed: (address: string) => boolean,
  resolve: Resolver,
): Promise<readonly string[] | undefined> {
  const host = url.hostname.replace(/^\[|\]$/g, "");
  const addresses = isAddress(host) ? [host] : await resolve(host);
  if (!Array.isArray(addresses)) throw new TypeError("The option Resolve must return an array of addresses");
  return addresses.length > 0 && addresses.every(allowed) ? addresses : undefined;
}
