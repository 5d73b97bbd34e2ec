/** The same five small services, written idiomatically for each candidate. */

import * as fw from "@fw/web";
import { Elysia } from "npm:elysia@1.4.30";
import { Hono } from "npm:hono@4.13.17";

/** A function that serves a request. There is no connection if it is called in process. */
export type Serve = (request: Request, info?: Deno.ServeHandlerInfo) => Response | Promise<Response>;

/** A service: its path, and each candidate's implementation. */
export interface Scenario {
  readonly path: string;
  readonly serve: Readonly<Record<string, Serve>>;
}

const noPaths: readonly string[] = [];
/** Sixty paths of a fictional shop. Half of them have a parameter. */
const shop = [
  ...["users", "orders", "items", "carts", "invoices", "payments", "reviews", "tags", "stocks", "brands"],
].flatMap((name) => [
  `/${name}`,
  `/${name}/{id}`,
  `/${name}/{id}/history`,
  `/${name}/search`,
  `/${name}/{id}/notes/{note}`,
  `/admin/${name}`,
]);

/** All scenarios by name. */
export const scenarios: Readonly<Record<string, Scenario>> = {
  "plain text": {
    path: "/ping",
    serve: {
      raw: rawSwitch,
      fw: fwText(noPaths),
      hono: honoText(noPaths),
      elysia: elysiaText(noPaths),
    },
  },
  "JSON": {
    path: "/hello",
    serve: { raw: rawSwitch, fw: fwText(noPaths), hono: honoText(noPaths), elysia: elysiaText(noPaths) },
  },
  "one parameter": {
    path: "/user/123",
    serve: { raw: rawSwitch, fw: fwText(noPaths), hono: honoText(noPaths), elysia: elysiaText(noPaths) },
  },
  "one parameter, Host unchecked": {
    path: "/user/123",
    serve: {
      raw: rawSwitch,
      fw: fwText(noPaths, fw.WithoutHostCheck),
      hono: honoText(noPaths),
      elysia: elysiaText(noPaths),
    },
  },
  "60 routes": {
    path: "/reviews/42/notes/7",
    serve: { raw: rawShop, fw: fwText(shop), hono: honoText(shop), elysia: elysiaText(shop) },
  },
  "five middlewares": {
    path: "/guarded",
    serve: { raw: rawSwitch, fw: fwText(noPaths), hono: honoText(noPaths), elysia: elysiaText(noPaths) },
  },
};

/** Serves requests without a framework by switching on the method and path. */
function rawSwitch(request: Request): Response {
  const { method, url } = request;
  const start = url.indexOf("/", 8);
  const query = url.indexOf("?", start);
  const path = query < 0 ? url.slice(start) : url.slice(start, query);
  if (method === "GET") {
    switch (path) {
      case "/ping":
        return new Response("pong");
      case "/hello":
        return Response.json({ message: "Hello" });
      case "/guarded":
        return new Response("pong");
    }
    if (path.startsWith("/user/")) return new Response(path.slice(6));
  }
  return new Response("Not Found", { status: 404 });
}

function rawShop(request: Request): Response {
  const { method, url } = request;
  const start = url.indexOf("/", 8);
  const query = url.indexOf("?", start);
  const path = query < 0 ? url.slice(start) : url.slice(start, query);
  if (method === "GET" && path.startsWith("/reviews/")) {
    const parts = path.split("/");
    if (parts.length === 5 && parts[3] === "notes") return new Response(parts[4]);
  }
  return new Response("Not Found", { status: 404 });
}

function fwText(paths: readonly string[], ...configurators: fw.Configurator[]): Serve {
  const app = fw.New().Configure(...configurators);
  app.Get("/ping", (ctx) => ctx.WriteString("pong"));
  app.Get("/hello", (ctx) => ctx.JSON({ message: "Hello" }));
  app.Get("/user/{id}", (ctx) => ctx.WriteString(ctx.Params().Get("id")));
  for (const path of paths) {
    const last = /\{(\w+)\}(?!.*\{)/.exec(path)?.[1] ?? "";
    app.Get(path, (ctx) => ctx.WriteString(ctx.Params().Get(last)));
  }
  const guarded = app.Party("/guarded");
  for (let i = 0; i < 5; i++) guarded.Use((ctx) => ctx.Next());
  guarded.Get("/", (ctx) => ctx.WriteString("pong"));
  return app.fetch;
}

function honoText(paths: readonly string[]): Serve {
  const app = new Hono();
  app.get("/ping", (c) => c.text("pong"));
  app.get("/hello", (c) => c.json({ message: "Hello" }));
  app.get("/user/:id", (c) => c.text(c.req.param("id")));
  for (const path of paths) {
    const last = /\{(\w+)\}(?!.*\{)/.exec(path)?.[1] ?? "";
    app.get(path.replaceAll(/\{(\w+)\}/g, ":$1"), (c) => c.text(c.req.param(last) ?? ""));
  }
  for (let i = 0; i < 5; i++) app.use("/guarded", (_c, next) => next());
  app.get("/guarded", (c) => c.text("pong"));
  return (request) => app.fetch(request);
}

function elysiaText(paths: readonly string[]): Serve {
  const app = new Elysia();
  app.get("/ping", () => "pong");
  app.get("/hello", () => ({ message: "Hello" }));
  app.get("/user/:id", ({ params }) => params.id);
  for (const path of paths) {
    const last = /\{(\w+)\}(?!.*\{)/.exec(path)?.[1] ?? "";
    app.get(path.replaceAll(/\{(\w+)\}/g, ":$1"), ({ params }) => (params as Record<string, string>)[last] ?? "");
  }
  app.get("/guarded", () => "pong", { beforeHandle: Array.from({ length: 5 }, () => () => {}) });
  return (request) => app.fetch(request);
}
