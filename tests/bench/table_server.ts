/**
 * A process that serves one candidate of the table, over a socket. It also measures the candidate in process, without
 * the network, when asked to over a control port.
 *
 * The arguments are the name of the candidate and, for `before`, another checkout of fw.
 */

import { processorTime } from "../growth.ts";
import { headersOf, type Row, rows, serviceOf } from "./services.ts";

const [name = "raw", folder = ""] = Deno.args;
const serve = await serviceOf(name, folder);
const server = Deno.serve({ port: 0, hostname: "127.0.0.1", onListen() {} }, (request, info) => serve(request, info));
const control = Deno.serve({ port: 0, hostname: "127.0.0.1", onListen() {} }, async (request) => {
  const row = rows[decodeURIComponent(new URL(request.url).pathname.slice(1))];
  if (row === undefined) return new Response("unknown", { status: 404 });
  const headers = await headersOf(serve, row);
  const runs: number[] = [];
  for (let run = 0; run < 150; run++) runs.push(await time(row, headers));
  // The first runs are for warming up. V8 optimizes the code of a controller only after about 20,000 requests.
  const [least = NaN] = runs.slice(100).sort((a, b) => a - b);
  return Response.json({ headers, least });
});

/** Returns the CPU time per request in process, in nanoseconds. The requests are created in advance. */
async function time({ path, body }: Row, headers: Record<string, string>): Promise<number> {
  const init = body === undefined ? { headers } : {
    // Clients over a socket send this header too.
    headers: { ...headers, "content-length": String(body.length) },
    method: "POST",
    body,
  };
  const all = Array.from({ length: 300 }, () => new Request(`http://localhost:8080${path}`, init));
  const begin = processorTime();
  for (const request of all) {
    const response = serve(request);
    if (response instanceof Promise) await response;
  }
  return (processorTime() - begin) / all.length * 1e6;
}

await Deno.stdout.write(new TextEncoder().encode(`${server.addr.port} ${control.addr.port}\n`));
