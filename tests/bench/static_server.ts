/**
 * The server for the `static` benchmark. Every candidate serves the same folder and the same JSON, and is selected over
 * a control port. The arguments are the folder and, optionally, the path of a bundle of the @std/http file server.
 *
 * @module
 */

import { eTag, ifNoneMatch } from "@std/http/etag";
import * as fw from "@fw/web";
import * as compress from "@fw/web/middleware/compress";
import { Hono } from "npm:hono@4.13.17";
import { compress as honoCompress } from "npm:hono@4.13.17/compress";
import { serveStatic } from "npm:hono@4.13.17/deno";
import { etag } from "npm:hono@4.13.17/etag";
import type { Serve } from "./candidates.ts";

const [folder = "", bundle = ""] = Deno.args;
const items = Array.from({ length: 85 }, (_, id) => ({
  id,
  name: `Darjeeling ${id * 7919 % 977}`,
  price: id * 37 % 100,
  tags: ["tea", id % 2 === 0 ? "green" : "black"],
  isSold: id % 3 === 0,
}));

/** Serves a file without a framework. It opens the file and determines its length and entity tag like fw. */
async function rawFile(request: Request): Promise<Response> {
  const file = await Deno.open(folder + new URL(request.url).pathname);
  const info = await file.stat();
  const tag = await eTag(info) ?? "";
  if (!ifNoneMatch(request.headers.get("if-none-match"), tag)) {
    file.close();
    return new Response(null, { status: 304, headers: { etag: tag } });
  }
  const headers = { "content-length": String(info.size), "content-type": "application/octet-stream", etag: tag };
  return new Response(file.readable, { headers });
}

function rawJSON(): Response {
  return Response.json(items);
}

function fwApp(): fw.Application {
  const app = fw.New();
  app.HandleDir("/", folder);
  return app;
}

function fwServeFile(): fw.Application {
  const app = fw.New();
  app.Get("/{name:file}", (ctx) => ctx.ServeFile(ctx.Params().Get("name"), { Root: folder }));
  return app;
}

function fwJSON(): fw.Application {
  const app = fw.New();
  app.UseRouter(compress.New());
  app.Get("/items", (ctx) => ctx.JSON(items));
  return app;
}

function honoFiles(isTagged: boolean): Serve {
  const app = new Hono();
  if (isTagged) app.use(etag());
  app.use("/*", serveStatic({ root: folder }));
  return (request) => app.fetch(request);
}

function honoJSON(): Serve {
  const app = new Hono();
  app.use(honoCompress());
  app.get("/items", (c) => c.json(items));
  return (request) => app.fetch(request);
}

async function stdFiles(): Promise<Serve> {
  const { serveDir } = await import(bundle);
  return (request) => serveDir(request, { fsRoot: folder, quiet: true });
}

const files: Record<string, Serve> = {
  raw: rawFile,
  "fw HandleDir": fwApp().fetch,
  "fw ServeFile": fwServeFile().fetch,
  hono: honoFiles(false),
  ...bundle !== "" && { std: await stdFiles() },
};
const scenarios: Readonly<Record<string, Readonly<Record<string, Serve>>>> = {
  file: files,
  // Hono's middleware adds the entity tags, because its files do not have any.
  known: { ...files, hono: honoFiles(true) },
  json: { raw: rawJSON, automatic: rawJSON, fw: fwJSON().fetch, hono: honoJSON() },
};

let current: Serve = rawJSON;

const place = { port: 0, hostname: "127.0.0.1", onListen(): void {} };
const server = Deno.serve(place, (request, info) => current(request, info));
// The types of the oldest supported Deno version do not declare this option yet.
const automatic = { automaticCompression: true };
const compressing = Deno.serve({ ...place, ...automatic }, (request, info) => current(request, info));
const control = Deno.serve(place, async (request) => {
  const [scenario, name] = await request.json() as [string, string];
  const chosen = scenarios[scenario]?.[name];
  if (chosen === undefined) return new Response("unknown", { status: 404 });
  current = chosen;
  return new Response(`ok ${(name === "automatic" ? compressing : server).addr.port}`);
});

await Deno.stdout.write(new TextEncoder().encode(`${server.addr.port} ${control.addr.port}\n`));
