/**
 * The part of the subject that forwards requests to another server.
 *
 * @module
 */

import * as fw from "@fw/web";
import { secret, smuggled } from "./expect.ts";

/** The features that this part adds to the subject. */
export const proxyFeatures: readonly string[] = ["reverse proxy"];

/** Adds the routes, and starts the upstream server. */
export function addProxy(app: fw.Application): void {
  const { port } = Deno.serve({ hostname: "127.0.0.1", port: 0, onListen() {} }, serve).addr;
  const upstream = `http://127.0.0.1:${port}`;
  const party = app.Party("/proxied");
  party.Use((ctx) => {
    // This guard compares the path, and the next one is that of a party.
    if (ctx.Path().startsWith("/proxied/staff") && ctx.GetHeader("x-key") !== "open") return ctx.StopWithStatus(403);
    return ctx.Next();
  });
  party.Any("/{path:path}", fw.Proxy(upstream, { Timeout: 2_000, MaxResponse: 1 << 20 }));
  const admin = party.Party(
    "/admin",
    (ctx) => ctx.GetHeader("x-key") === "open" ? ctx.Next() : ctx.StopWithStatus(403),
  );
  admin.Any("/", fw.Proxy(`${upstream}/admin`));
  admin.Any("/{path:path}", fw.Proxy(`${upstream}/admin`));
  app.Get("/proxied-item/{id}", fw.Proxy(upstream));
  app.Get("/proxied-nowhere", fw.Proxy(`http://127.0.0.1:1/${secret}`));
}

/** Serves the routes of the upstream server, which decodes the whole path before it reads it, like many others. */
async function serve(request: Request): Promise<Response> {
  const url = new URL(request.url);
  const path = new URL(decodeURIComponent(url.pathname).replaceAll(";", "/"), "http://upstream").pathname;
  if (path.startsWith("/smuggled")) return new Response(smuggled);
  if (path.startsWith("/admin") || path.startsWith("/staff")) return new Response(secret);
  if (request.headers.get("x-original-url") ?? request.headers.get("x-rewrite-url")) return new Response(secret);
  if (path === "/echo") return new Response(await request.bytes());
  if (path === "/headers") return Response.json(Object.fromEntries(request.headers));
  if (path === "/go") return new Response(null, { status: 302, headers: { location: `${url.origin}/login` } });
  if (path === "/endless") return new Response(endless());
  if (request.headers.get("upgrade") === "websocket") return new Response("no", { status: 403 });
  return new Response("pong");
}

function endless(): ReadableStream<Uint8Array> {
  return new ReadableStream({ pull: (controller) => controller.enqueue(new Uint8Array(65_536)) });
}
