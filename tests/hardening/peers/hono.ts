/**
 * The routes of the subject in Hono 4, written idiomatically, as far as Hono supports them.
 *
 * @module
 */

import { AsyncLocalStorage } from "node:async_hooks";
import { Hono } from "npm:hono@4.13.17";
import { basicAuth } from "npm:hono@4.13.17/basic-auth";
import { bodyLimit } from "npm:hono@4.13.17/body-limit";
import { cache } from "npm:hono@4.13.17/cache";
import { getCookie, setCookie } from "npm:hono@4.13.17/cookie";
import { cors } from "npm:hono@4.13.17/cors";
import { csrf } from "npm:hono@4.13.17/csrf";
import { getConnInfo, serveStatic } from "npm:hono@4.13.17/deno";
import { etag } from "npm:hono@4.13.17/etag";
import { HTTPException } from "npm:hono@4.13.17/http-exception";
import { requestId } from "npm:hono@4.13.17/request-id";
import { NONCE, secureHeaders, type SecureHeadersVariables } from "npm:hono@4.13.17/secure-headers";
import { stream } from "npm:hono@4.13.17/streaming";
import { validator } from "npm:hono@4.13.17/validator";
import { secret, smuggled } from "../expect.ts";
import { endless } from "../endless.ts";
import { type Grounds, inodeOf, layGrounds, processorTime, serveUntilParentGoes, usedMemory } from "../grounds.ts";

const doors: Record<string, number> = {};
const has = [
  "basic auth",
  "contexts",
  "cookies",
  "cors",
  "csrf",
  "etags",
  "files",
  "folders",
  "forms",
  "guards",
  "http2",
  "json",
  "limits",
  "mounts",
  "owned folders",
  "owned parameters",
  "owned prefixes",
  "rest of paths",
  "rooted files",
  "secure headers",
  "shared cache",
];
const tls = new URL("../../testdata/tls/", import.meta.url);

function newApp(grounds: Grounds): Hono {
  const app = new Hono();
  // The default handler responds in the same way but writes the error to the console.
  app.onError((error, c) =>
    error instanceof HTTPException ? error.getResponse() : c.text("Internal Server Error", 500)
  );
  addBasics(app);
  addGuards(app);
  addContexts(app);
  addCrossings(app, grounds);
  addFiles(app, grounds);
  addForms(app);
  addHeaders(app);
  addMiddleware(app);
  addShared(app);
  return app;
}

function addContexts(app: Hono): void {
  const users = new AsyncLocalStorage<string>();
  app.get("/contexts/start", (c) => c.text(users.getStore() ?? "nobody"));
  app.use("/contexts/named/*", (c, next) => users.run(c.req.header("x-user") ?? "", next));
  app.post("/contexts/named/form", async (c) => c.text(`${(await c.req.parseBody()).name};${users.getStore()}`));
  app.get("/contexts/named/stream", (c) =>
    stream(c, async (body) => {
      for (let i = 0; i < 3; i++) {
        await body.write(`${users.getStore()};`);
        await body.sleep(5 * i);
      }
    }));
}

function addBasics(app: Hono): void {
  app.get("/", (c) => c.text("root"));
  app.get("/ping", (c) => c.text("pong"));
  app.get("/features", (c) => c.json({ doors, has }));
  app.get("/cpu", (c) => c.text(String(processorTime())));
  app.get("/memory", (c) => c.text(String(usedMemory())));
  app.get("/smuggled", (c) => c.text(smuggled));
  app.post("/smuggled", (c) => c.text(smuggled));
  app.get("/public/a", (c) => c.text("public"));
  app.get("/inner", (c) => c.text(secret));
  app.get("/where", (c) => {
    setCookie(c, "place", "here");
    const { host } = new URL(c.req.url);
    return c.json({ host, address: getConnInfo(c).remote.address, path: c.req.path });
  });
  app.post("/echo", async (c) => c.body(await c.req.arrayBuffer()));
  app.get("/param/:name", (c) => c.json({ name: c.req.param("name") }));
  app.get("/int/:n{[0-9]+}", (c) => c.json({ n: Number(c.req.param("n")) }));
  app.get("/float/:n", (c) => c.json({ n: Number(c.req.param("n")) }));
  app.get("/mail/:m{.+@.+}", (c) => c.json({ m: c.req.param("m") }));
  app.get("/throw", () => {
    throw new Error(`${secret} in /home/deploy/app.ts`);
  });
  app.get("/reject", async () => {
    await Promise.resolve();
    throw new TypeError(`${secret} is not a function`);
  });
  app.get("/throw-text", () => Promise.reject(secret));
  app.get("/stray", (c) => {
    Promise.reject(new Error(secret));
    return c.text("fine");
  });
}

function addGuards(app: Hono): void {
  app.use("*", async (c, next) => {
    if (c.req.path.startsWith("/staff") && c.req.header("x-key") !== "open") return c.text("Forbidden", 403);
    await next();
  });
  app.get("/staff", (c) => c.text(secret));
  app.get("/staff/:name", (c) => c.text(secret));
  app.get("/staff/*", (c) => c.text(secret));
  app.use("/admin/*", async (c, next) => {
    if (c.req.header("x-key") !== "open") return c.text("Forbidden", 403);
    await next();
  });
  app.get("/admin", (c) => c.text(secret));
  app.get("/admin/keys", (c) => c.text(secret));
  app.get("/admin/keys/:id", (c) => c.text(secret));
  app.post("/admin/keys", (c) => c.text(secret));
  app.delete("/admin/keys", (c) => c.text(secret));
  app.get("/readonly", (c) => c.text("read"));
}

/** Adds guards for prefixes, which are patterns in Hono, next to routes that match paths below them. */
function addCrossings(app: Hono, grounds: Grounds): void {
  for (const prefix of ["/owned/admin", "/single/admin", "/mounted/admin", "/grove/sub"]) {
    app.use(`${prefix}/*`, async (c, next) => {
      if (c.req.header("x-key") !== "open") return c.text("Forbidden", 403);
      await next();
    });
  }
  const secretBelow = (path: string) => /^admin(?:\/|$)/.test(path) ? secret : "open";
  app.get("/owned/:f{.+}", (c) => c.text(secretBelow(c.req.param("f"))));
  app.get("/single/:a", (c) => c.text(secretBelow(c.req.param("a"))));
  app.get("/single/:a/:b", (c) => c.text(secretBelow(c.req.param("a"))));
  app.get("/grove/*", serveStatic({ root: grounds.publicFolder, rewriteRequestPath: (path) => path.slice(6) }));
  app.mount("/mounted", (request) => {
    const { pathname } = new URL(request.url);
    return new Response(/^\/+admin(?:\/|$)/.test(pathname) ? secret : pathname);
  });
}

function addFiles(app: Hono, grounds: Grounds): void {
  const folder = (prefix: string) =>
    serveStatic({ root: grounds.publicFolder, rewriteRequestPath: (path) => path.slice(prefix.length) });
  app.use("/static/sub/*", async (c, next) => {
    if (c.req.header("x-key") !== "open") return c.text("Forbidden", 403);
    await next();
  });
  app.get("/static/*", folder("/static"));
  app.use("/vault/admin/*", (c) => Promise.resolve(c.text("Forbidden", 403)));
  app.get("/vault/:f{.+}", (c) => c.text(c.req.param("f") === "admin/keys" ? secret : "open"));
  app.get("/inode", async (c) => c.text(String(await inodeOf(grounds, "a.txt"))));
  app.get("/files/*", folder("/files"));
  app.get("/rooted/*", folder("/rooted"));
}

function addForms(app: Hono): void {
  app.post("/form", async (c) => c.json(lists(await c.req.parseBody({ all: true }))));
  app.post("/readform", async (c) => c.json({ value: await c.req.parseBody({ all: true }), polluted: probe() }));
  app.get("/query", (c) => c.json(c.req.queries()));
  app.get("/readquery", (c) => c.json({ value: c.req.query(), polluted: probe() }));
  app.post("/json", validator("json", (value) => value), (c) => {
    return c.json({ kind: typeof c.req.valid("json"), polluted: probe() });
  });
  app.post(
    "/strict",
    validator("json", (value, c) => typeof value === "number" ? value : c.text("A number", 422)),
    (c) => {
      return c.json({ value: c.req.valid("json") });
    },
  );
  app.post("/limited", bodyLimit({ maxSize: 1000 }), async (c) => {
    return c.text(String((await c.req.arrayBuffer()).byteLength));
  });
  app.post("/truth", async (c) => c.json(Number((await c.req.parseBody()).n)));
}

function addHeaders(app: Hono): void {
  app.get("/redirect", (c) => c.redirect(c.req.query("to") ?? "/"));
  app.get("/set-header", (c) => {
    c.header(c.req.query("name") ?? "x-name", c.req.query("value"));
    return c.text("set");
  });
  app.get("/set-type", (c) => c.body("set", 200, { "content-type": c.req.query("value") ?? "" }));
  app.get("/set-cookie", (c) => {
    const domain = c.req.query("domain");
    const path = c.req.query("path");
    setCookie(c, c.req.query("name") ?? "c", c.req.query("value") ?? "", {
      ...domain !== undefined && { domain },
      ...path !== undefined && { path },
    });
    return c.text("set");
  });
  app.get("/cookie", (c) => c.json({ value: getCookie(c, c.req.query("name") ?? "__Host-id") ?? "" }));
}

function addMiddleware(app: Hono): void {
  const isShop = (origin: string) => /^https:\/\/([a-z0-9-]+\.)*shop\.example$/.test(origin) ? origin : null;
  app.use("/cors", cors({ origin: isShop, credentials: true }));
  app.get("/cors", (c) => c.text("shared"));
  app.use("/csrf/*", csrf());
  app.post("/csrf/transfer", (c) => c.text("done"));
  app.delete("/csrf/transfer", (c) => c.text("done"));
  app.get("/csrf/socket", (c) => c.text(secret));
  app.use("/basic", basicAuth({ username: "ann", password: "sesame" }));
  app.get("/basic", (c) => c.text(secret));
  app.use("/secure", secureHeaders());
  app.use("/secure/*", secureHeaders());
  app.get("/secure", (c) => c.html("<script></script>"));
  app.get("/secure/throw", () => {
    throw new Error(secret);
  });
}

/** Adds pages behind a cache, with outer middleware that sets something specific to each client. */
function addShared(app: Hono): void {
  const shared = new Hono<{ Variables: SecureHeadersVariables }>();
  shared.use(requestId(), secureHeaders({ contentSecurityPolicy: { scriptSrc: [NONCE] } }));
  shared.use(async (c, next) => {
    setCookie(c, "visitor", crypto.randomUUID());
    await next();
  });
  shared.use(cache({ cacheName: crypto.randomUUID(), wait: true, cacheControl: "max-age=60" }));
  shared.get("/page", (c) => c.text("page"));
  shared.get("/nonce", (c) => c.html(`<script nonce="${c.get("secureHeadersNonce")}"></script>`));
  app.route("/shared", shared);
  app.get("/known", etag(), (c) => c.text("known", 200, { "content-language": "de" }));
  app.get("/pieces", etag(), (c) => c.body(endless()));
}

function lists(body: Record<string, unknown>): Record<string, unknown[]> {
  const all: Record<string, unknown[]> = Object.create(null);
  for (const [name, value] of Object.entries(body)) all[name] = Array.isArray(value) ? value : [value];
  return all;
}

function probe(): unknown {
  return Reflect.get({}, "polluted") ?? null;
}

globalThis.addEventListener("unhandledrejection", (event) => event.preventDefault());
const grounds = await layGrounds();
Deno.chdir(grounds.root);
const app = newApp(grounds);
const plain = Deno.serve({ hostname: "127.0.0.1", port: 0, onListen() {} }, app.fetch);
const secure = Deno.serve({
  hostname: "127.0.0.1",
  port: 0,
  onListen() {},
  cert: await Deno.readTextFile(new URL("localhost.crt", tls)),
  key: await Deno.readTextFile(new URL("localhost.key", tls)),
}, app.fetch);
doors.plain = plain.addr.port;
doors.tls = secure.addr.port;
await serveUntilParentGoes({ doors, has });
// Windows does not remove the current folder.
Deno.chdir(new URL(".", import.meta.url));
await grounds[Symbol.asyncDispose]();
Deno.exit(0);
