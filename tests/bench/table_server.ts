/**
 * One process that serves every candidate of the table: which one is chosen over a control port, so that all of them are
 * measured in one address space. It also measures them in process, where the network has no part in it.
 *
 * Started with another checkout of fw as its only argument, or without.
 */

import type { Serve } from "./candidates.ts";
import { allServices, headersOf, type Row, rows } from "./services.ts";

/** What is told of a candidate. */
interface Choice {
  readonly row: string;
  readonly name: string;
  /** How many requests to send in process instead of listening for them. */
  readonly requests?: number;
}

const services = await allServices(Deno.args[0] ?? "");
let current: Serve = () => new Response("none is chosen", { status: 503 });

const server = Deno.serve({ port: 0, hostname: "127.0.0.1", onListen() {} }, (request, info) => current(request, info));
const control = Deno.serve({ port: 0, hostname: "127.0.0.1", onListen() {} }, async (request) => {
  const { row: rowName, name, requests } = await request.json() as Choice;
  const [serve, row] = [services.get(name), rows[rowName]];
  if (serve === undefined || row === undefined) return new Response("unknown", { status: 404 });
  current = serve;
  const headers = await headersOf(serve, row);
  return Response.json(requests === undefined ? headers : await time(serve, row, { headers, requests }));
});

/** Nanoseconds per request in process; the requests are created beforehand and are not counted. */
async function time(
  serve: Serve,
  { path, body }: Row,
  { headers, requests }: { headers: Record<string, string>; requests: number },
): Promise<number> {
  const init = body === undefined ? { headers } : {
    // As a client over a socket does.
    headers: { ...headers, "content-length": String(body.length) },
    method: "POST",
    body,
  };
  const all = Array.from({ length: requests }, () => new Request(`http://localhost:8080${path}`, init));
  const begin = performance.now();
  for (const request of all) {
    const response = serve(request);
    if (response instanceof Promise) await response;
  }
  return (performance.now() - begin) / requests * 1e6;
}

await Deno.stdout.write(new TextEncoder().encode(`${server.addr.port} ${control.addr.port}\n`));
