/**
 * The client's IP address, taken from the connection or from trusted proxies.
 *
 * @module
 */

import { forwardedClient, isFromProxy } from "./forwarding.ts";
import { peerAddress, peerOf, type Sender } from "./peer_address.ts";

/** Returns the client's IP address without the port: the peer's address, or the address that trusted proxies report. */
export function remoteAddr(sender: Sender): string {
  return peerOf(sender).address ??= findAddress(sender);
}

function findAddress(sender: Sender): string {
  const { config, proxies } = sender.runtime;
  const peer = peerAddress(sender.connection);
  const headers = config.RemoteAddrHeaders;
  if (headers.length === 0 || !isFromProxy(sender)) return peer;
  for (const header of headers) {
    const client = forwardedClient(proxies, header, sender.request.headers.get(header) ?? "");
    if (client !== undefined) return client;
  }
  return peer;
}
