/**
 * Returns the client's properties as seen by an application behind proxies.
 *
 * @module
 */

import type * as fw from "../../../../mod.ts";
import { quiet } from "../../../serving.ts";

/** Returns the response of an application to a peer that sends headers. */
export async function seenFrom(
  peer: string,
  headers: Record<string, string>,
  ...configurators: fw.Configurator[]
): Promise<{ addr: string; host: string }> {
  const app = quiet().Configure(...configurators);
  app.Get("/", (ctx) => ctx.JSON({ addr: ctx.RemoteAddr(), host: ctx.Host() }));
  const remoteAddr: Deno.NetAddr = { transport: "tcp", hostname: peer, port: 1 };
  const response = await app.fetch(new Request("http://asked.example/", { headers }), { remoteAddr });
  return await response.json();
}
