/**
 * A process that serves every candidate of the table. The candidate is selected over a control port, so that all of
 * them are measured in the same process. It also measures them in process, without the network.
 *
 * The optional argument is another checkout of fw.
 */

import type { Serve } from "./candidates.ts";
import { allServices, headersOf, type Row, rows } from "./services.ts";

/** A selected candidate. */
interface Choice {
  readonly row: string;
  readonly name: string;
  /** The number of requests to send in process instead of listening. */
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

/**
 * Returns the time per request in process, in nanoseconds. The requests are created in advance and are not included.
 */
async function time(
  serve: Serve,
  { path, body }: Row,
  { headers, requests }: { headers: Record<string, string>; requests: number },
): Promise<number> {
  const init = body === undefined ? { headers } : {
    // Clients over a socket send this header too.
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
