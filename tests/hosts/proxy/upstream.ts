/**
 * An upstream server that reports what it receives, and an application in front of it.
 *
 * @module
 */

import * as fw from "../../../mod.ts";

/** A request as the upstream server has received it. */
export interface Reported {
  readonly method: string;
  readonly url: string;
  readonly headers: Record<string, string>;
  readonly body: string;
}

/** Serves an application and its upstream server while a function runs. */
export async function behindProxy(
  serve: (request: Request, info: Deno.ServeHandlerInfo) => Response | Promise<Response>,
  register: (app: fw.Application, upstream: string) => void,
  run: (origin: string, proxy: { app: fw.Application; lines: string[]; upstream: Deno.HttpServer }) => Promise<void>,
): Promise<void> {
  const upstream = Deno.serve({ hostname: "127.0.0.1", port: 0, onListen() {} }, serve);
  const { port } = upstream.addr as Deno.NetAddr;
  const lines: string[] = [];
  const app = fw.New();
  app.Logger().SetTimeFormat("").SetOutput((line) => lines.push(line));
  register(app, `http://127.0.0.1:${port}`);
  const front = Deno.serve({ hostname: "127.0.0.1", port: 0, onListen() {} }, app.fetch);
  try {
    await run(`http://127.0.0.1:${(front.addr as Deno.NetAddr).port}`, { app, lines, upstream });
  } finally {
    await front.shutdown();
    await upstream.shutdown();
  }
}

/** Reports a request as JSON. */
export async function report(request: Request): Promise<Response> {
  const { pathname, search } = new URL(request.url);
  return Response.json({
    method: request.method,
    url: pathname + search,
    headers: Object.fromEntries(request.headers),
    body: await request.text(),
  });
}

/** Sends bytes over a connection and returns everything that the server sends until it closes the connection. */
export async function raw(origin: string, text: string): Promise<string> {
  const { hostname, port } = new URL(origin);
  using connection = await Deno.connect({ hostname, port: Number(port) });
  await connection.write(new TextEncoder().encode(text));
  return await new Response(connection.readable).text().catch(() => "");
}
