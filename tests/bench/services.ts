/** A small application for the rows of the table, written idiomatically for each candidate. */

import { Elysia } from "npm:elysia@1.4.30";
import { Hono } from "npm:hono@4.13.17";
import { getCookie } from "npm:hono@4.13.17/cookie";
import type * as Web from "../../mod.ts";
import type * as MVC from "../../mvc/mod.ts";
import type * as Sessions from "../../src/state/sessions/mod.ts";
import type { Serve } from "./candidates.ts";

/** The request for one row. If there is a body, it is a POST request. */
export interface Row {
  readonly path: string;
  readonly body?: string;
  /** The difference between the candidates, if their work is not the same. */
  readonly differs?: string;
}

const layers = 5;
const fields = Array.from({ length: 10 }, (_, n) => [`field${n}`, `value ${n}`]);

/** The rows by name. */
export const rows: Readonly<Record<string, Row>> = {
  "plain text": { path: "/ping" },
  "JSON": { path: "/json" },
  "one parameter": { path: "/user/123" },
  "5 sync middlewares": { path: "/sync" },
  "5 async middlewares": { path: "/async", differs: "Elysia runs hooks one after the other, which do not nest" },
  "async handler": { path: "/handler" },
  "controller": { path: "/users/42" },
  "controller, async dependency": { path: "/accounts/42" },
  "session read": { path: "/visits" },
  "form of 10 fields": {
    path: "/form",
    body: new URLSearchParams(fields).toString(),
    differs: "fw limits the size and the number of fields",
  },
};

interface User {
  readonly id: number;
  readonly name: string;
}

class Users {
  find(id: number): User {
    return { id, name: "Ada" };
  }
}

/** Simulates a database query. */
async function findAccount(): Promise<User> {
  return await Promise.resolve({ id: 7, name: "Ada" });
}

/** A checkout of fw. */
export interface Build {
  readonly fw: typeof Web;
  readonly mvc: typeof MVC;
  readonly sessions: typeof Sessions;
}

/** Loads fw from a checkout. Its imports are resolved with the configuration of this checkout. */
export async function loadBuild(folder: string): Promise<Build> {
  const { default: { exports } } = await import(`${folder}/deno.json`, { with: { type: "json" } });
  const load = (entry: string) => import(`${folder}/${exports[entry]}`);
  return { fw: await load("."), mvc: await load("./mvc"), sessions: await load("./sessions") };
}

/** Creates the application with fw. */
export function fwService({ fw, mvc, sessions }: Build): Serve {
  const app = fw.New();
  app.Get("/ping", (ctx) => ctx.WriteString("pong"));
  app.Get("/json", (ctx) => ctx.JSON({ message: "Hello" }));
  app.Get("/user/{id}", (ctx) => ctx.WriteString(ctx.Params().Get("id")));
  app.Get("/handler", async (ctx) => {
    await Promise.resolve();
    ctx.WriteString("pong");
  });
  const sync = app.Party("/sync");
  const async = app.Party("/async");
  for (let layer = 0; layer < layers; layer++) {
    sync.Use((ctx) => ctx.Next());
    async.Use(async (ctx) => {
      await ctx.Next();
    });
  }
  sync.Get("/", (ctx) => ctx.WriteString("pong"));
  async.Get("/", (ctx) => ctx.WriteString("pong"));
  class UserController {
    users: Users = mvc.Inject(Users);
    GetBy(id = 0n): User {
      return this.users.find(Number(id));
    }
  }
  mvc.New(app.Party("/users")).Register(new Users()).Handle(UserController);
  const account = async (_ctx: Web.Context): Promise<User> => await findAccount();
  class AccountController {
    user: User = mvc.Inject(account) as User;
    GetBy(id = 0n): User {
      return { ...this.user, id: Number(id) };
    }
  }
  mvc.New(app.Party("/accounts")).Register(account).Handle(AccountController);
  const manager = sessions.New({ Cookie: "sid" });
  app.Get("/login", async (ctx) => {
    const session = await manager.Start(ctx);
    session.Set("visits", 1);
    ctx.WriteString("ok");
  });
  app.Get("/visits", (ctx) => {
    const session = manager.Start(ctx);
    if (session instanceof Promise) return session.then((it) => ctx.WriteString(String(it.Get("visits"))));
    ctx.WriteString(String(session.Get("visits")));
  });
  app.Post("/form", async (ctx) => {
    ctx.JSON({ name: await ctx.PostValue("field1"), last: await ctx.PostValue("field9") });
  });
  return app.fetch;
}

// Candidates without built-in sessions store them in a map, by the ID in a cookie.
const visits = new Map([["0123456789abcdef0123456789abcdef", { visits: 1 }]]);
const cookie = "sid=0123456789abcdef0123456789abcdef";
/** The headers with which fw keeps a user's page out of shared caches. All candidates send them. */
const privateHeaders = { "cache-control": "private", vary: "Cookie" };
/** Controllers reject IDs that are not integers, so all candidates do. */
const integer = /^\d+$/;

/** Creates the hand-written application that the others are compared to. */
export function rawService(): Serve {
  const users = new Users();
  const layered = nest(() => Promise.resolve(new Response("pong")));
  return function (request) {
    const { method, url } = request;
    const start = url.indexOf("/", 8);
    const path = url.slice(start);
    if (method === "POST") return rawForm(request);
    switch (path) {
      case "/ping":
      case "/sync":
        return new Response("pong");
      case "/json":
        return Response.json({ message: "Hello" });
      case "/async":
        return layered();
      case "/handler":
        return Promise.resolve().then(() => new Response("pong"));
      case "/login":
        return new Response("ok", { headers: { "set-cookie": cookie } });
      case "/visits": {
        const [, id = ""] = /(?:^|; )sid=(\w+)/.exec(request.headers.get("cookie") ?? "") ?? [];
        return new Response(String(visits.get(id)?.visits), { headers: privateHeaders });
      }
    }
    if (path.startsWith("/user/")) return new Response(path.slice(6));
    if (path.startsWith("/users/") && integer.test(path.slice(7))) {
      return Response.json(users.find(Number(path.slice(7))));
    }
    if (path.startsWith("/accounts/") && integer.test(path.slice(10))) return rawAccount(Number(path.slice(10)));
    return new Response("Not Found", { status: 404 });
  };
}

function nest(last: () => Promise<Response>): () => Promise<Response> {
  let below = last;
  for (let layer = 0; layer < layers; layer++) {
    const inner = below;
    below = async () => await inner();
  }
  return below;
}

async function rawForm(request: Request): Promise<Response> {
  const form = await request.formData();
  return Response.json({ name: form.get("field1"), last: form.get("field9") });
}

async function rawAccount(id: number): Promise<Response> {
  return Response.json({ ...await findAccount(), id });
}

/** Creates the application with Hono. */
export function honoService(): Serve {
  const users = new Users();
  const app = new Hono<{ Variables: { user: User } }>();
  app.get("/ping", (c) => c.text("pong"));
  app.get("/json", (c) => c.json({ message: "Hello" }));
  app.get("/user/:id", (c) => c.text(c.req.param("id")));
  app.get("/handler", async (c) => {
    await Promise.resolve();
    return c.text("pong");
  });
  for (let layer = 0; layer < layers; layer++) {
    app.use("/sync", (_c, next) => next());
    app.use("/async", async (_c, next) => {
      await next();
    });
  }
  app.get("/sync", (c) => c.text("pong"));
  app.get("/async", (c) => c.text("pong"));
  app.get("/users/:id{[0-9]+}", (c) => c.json(users.find(Number(c.req.param("id")))));
  app.use("/accounts/*", async (c, next) => {
    c.set("user", await findAccount());
    await next();
  });
  app.get("/accounts/:id{[0-9]+}", (c) => c.json({ ...c.get("user"), id: Number(c.req.param("id")) }));
  app.get("/login", (c) => c.text("ok", 200, { "set-cookie": cookie }));
  app.get("/visits", (c) => c.text(String(visits.get(getCookie(c, "sid") ?? "")?.visits), 200, privateHeaders));
  app.post("/form", async (c) => {
    const form = await c.req.parseBody();
    return c.json({ name: form["field1"], last: form["field9"] });
  });
  return (request) => app.fetch(request);
}

/** Creates the application with Elysia. */
export function elysiaService(): Serve {
  const users = new Users();
  const app = new Elysia();
  app.get("/ping", () => "pong");
  app.get("/json", () => ({ message: "Hello" }));
  app.get("/user/:id", ({ params }) => params.id);
  app.get("/handler", async () => {
    await Promise.resolve();
    return "pong";
  });
  app.get("/sync", () => "pong", { beforeHandle: Array.from({ length: layers }, () => () => {}) });
  app.get("/async", () => "pong", {
    beforeHandle: Array.from({ length: layers }, () => async () => {
      await Promise.resolve();
    }),
  });
  app.get("/users/:id", ({ params, status }) => integer.test(params.id) ? users.find(Number(params.id)) : status(404));
  app.get(
    "/accounts/:id",
    async ({ params, status }) =>
      integer.test(params.id) ? { ...await findAccount(), id: Number(params.id) } : status(404),
  );
  app.get("/login", ({ set }) => {
    set.headers["set-cookie"] = cookie;
    return "ok";
  });
  app.get("/visits", ({ cookie: { sid }, set }) => {
    set.headers["cache-control"] = privateHeaders["cache-control"];
    set.headers.vary = privateHeaders.vary;
    return String(visits.get(String(sid?.value))?.visits);
  });
  app.post("/form", ({ body }) => {
    const form = body as Record<string, unknown>;
    return { name: form["field1"], last: form["field9"] };
  });
  return (request) => app.fetch(request);
}

/** Returns a candidate by name. `before` is fw in another checkout. */
export async function serviceOf(name: string, folder: string): Promise<Serve> {
  if (name === "raw") return rawService();
  if (name === "hono") return honoService();
  if (name === "elysia") return elysiaService();
  return fwService(await loadBuild(name === "before" ? folder : "../.."));
}

/** Logs in if a row requires it, and returns the headers for its requests. */
export async function headersOf(serve: Serve, row: Row): Promise<Record<string, string>> {
  if (row.body !== undefined) return { "content-type": "application/x-www-form-urlencoded" };
  if (row.path !== "/visits") return {};
  const response = await serve(new Request("http://localhost/login"));
  return { cookie: (response.headers.get("set-cookie") ?? "").split(";", 1)[0] ?? "" };
}
