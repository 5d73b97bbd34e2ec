/**
 * Sends requests to addresses that have been checked.
 *
 * @module
 */

import { lookup } from "node:dns/promises";
import { type ClientRequest, type IncomingMessage, request as requestHTTP, type RequestOptions } from "node:http";
import { request as requestHTTPS } from "node:https";
import type { Duplex } from "node:stream";

/** Resolves a host name as the operating system does. */
export async function resolveHost(host: string): Promise<string[]> {
  return (await lookup(host, { all: true })).map(({ address }) => address);
}

/** Sends a request to one of the addresses. `fetch` would resolve the host again, so another client is needed. */
export function post(
  url: URL,
  addresses: readonly string[],
  options: RequestOptions,
  body: string,
  maxSize: number,
): Promise<number> {
  const { promise, resolve, reject } = Promise.withResolvers<number>();
  const pinned: RequestOptions["lookup"] = (_host, { all }, answer) => {
    const list = addresses.map((address) => ({ address, family: address.includes(":") ? 6 : 4 }));
    if (all) answer(null, list);
    else answer(null, list[0]?.address ?? "", list[0]?.family);
  };
  const send = url.protocol === "https:" ? requestHTTPS : requestHTTP;
  const sent: ClientRequest = send(
    url,
    { ...options, method: "POST", agent: false, lookup: pinned },
    (response: IncomingMessage) => {
      let size = 0;
      const end = () => resolve(response.statusCode ?? 0);
      response.on("data", (chunk: Uint8Array) => {
        size += chunk.length;
        if (size > maxSize) sent.destroy();
      });
      response.on("close", end).on("end", end).on("error", end);
    },
  );
  // Without this, a receiver that switches protocols would keep the job running forever.
  sent.on("upgrade", ({ statusCode = 0 }: IncomingMessage, socket: Duplex) => {
    socket.destroy();
    resolve(statusCode);
  });
  sent.on("error", reject).end(body);
  return promise;
}
