/**
 * The application under attack. It uses fw idiomatically and runs in a separate process.
 *
 * It starts several servers with different configurations, prints one line with their ports, and exits when its
 * standard input is closed.
 *
 * @module
 */

import * as fw from "@fw/web";
import * as mvc from "@fw/web/mvc";
import * as sessions from "@fw/web/sessions";
import * as websocket from "@fw/web/websocket";
import * as socketio from "@fw/web/websocket/socketio";
import { fromFileUrl } from "@std/path";
import { secret, smuggled } from "./expect.ts";
import { addAnswers, answerFeatures } from "./subject_answers.ts";
import { addContexts, contextFeatures } from "./subject_contexts.ts";
import { addCrossings, crossingFeatures } from "./subject_crossings.ts";
import { addFormats, formatFeatures } from "./subject_formats.ts";
import { addMiddleware, guardFeatures } from "./subject_guards.ts";
import { addIdentity, identityFeatures } from "./subject_identity.ts";
import { addOneRoute, oneRouteFeatures } from "./subject_one_route.ts";
import { addJobs, jobFeatures } from "./subject_jobs.ts";
import { addOutside, outsideFeatures } from "./subject_outside.ts";
import { addMounts, mountFeatures } from "./subject_mounts.ts";
import { addProxy, proxyFeatures } from "./subject_proxy.ts";
import { addPublished, publishedFeatures } from "./subject_published.ts";
import { addShared, sharedFeatures } from "./subject_shared.ts";
import { addSocketCalls, socketFeatures } from "./subject_sockets.ts";
import { addTools, toolFeatures } from "./subject_tools.ts";
import {
  type Grounds,
  inodeOf,
  layGrounds,
  listUploads,
  processorTime,
  serveUntilParentGoes,
  uploadFolder,
  usedMemory,
} from "./grounds.ts";

const certificate = fromFileUrl(new URL("../testdata/tls/localhost.crt", import.meta.url));
const key = fromFileUrl(new URL("../testdata/tls/localhost.key", import.meta.url));
const doors: Record<string, number> = {};
const has = [
  ...answerFeatures,
  ...contextFeatures,
  ...crossingFeatures,
  ...formatFeatures,
  ...guardFeatures,
  ...identityFeatures,
  ...jobFeatures,
  ...oneRouteFeatures,
  ...mountFeatures,
  ...proxyFeatures,
  ...publishedFeatures,
  ...outsideFeatures,
  ...sharedFeatures,
  ...socketFeatures,
  ...toolFeatures,
  "controllers",
  "compressed bodies",
  "cookies",
  "file listings",
  "files",
  "folders",
  "forms",
  "guards",
  "http2",
  "json",
  "json suffix",
  "large files",
  "limits",
  "rest of paths",
  "rooted files",
  "sent files",
  "sessions",
  "sessions for one host",
  "subdomains",
  "typed fields",
  "unique uploads",
  "checked uploads",
  "uploads",
  "views",
  "websocket",
];

/** Adds WebSocket connections whose handlers fail, and a room that not everyone may join. */
function addSockets(app: fw.Application): void {
  const server = websocket.New({ MaxMessage: 10_000, MaxPerAddress: 200 });
  server.On("echo", (_conn, data) => data);
  server.On("fail", () => {
    throw new Error(secret);
  });
  server.On(websocket.OnRoomJoin, (_conn, room) => room !== "closed");
  // This namespace refuses all clients, so its messages must not reach any of them.
  server.Namespace("staff").On(websocket.OnNamespaceConnect, async (conn) => {
    await conn.Join("plans");
    return false;
  });
  server.On("tell staff", async () => {
    await server.To("plans", { Namespace: "staff" }).Emit("plan", secret);
    await server.Broadcast(null, "plan", secret, { Namespace: "staff" });
  });
  app.Get("/ws", websocket.Handler(server));
  const kept = app.Party("/kept-ws", (ctx) => ctx.GetHeader("x-key") === "open" ? ctx.Next() : ctx.StopWithStatus(403));
  kept.Get("/", websocket.Handler(server));
  app.Get("/rss", (ctx) => ctx.WriteString(String(Deno.memoryUsage().rss)));
  app.Any("/socket.io", socketio.Handler(server));
}

/** Creates the application. */
function newApp(grounds: Grounds): fw.Application {
  const app = fw.New();
  app.Logger().SetLevel("disable");
  app.RegisterView(fw.HTML(grounds.views));
  addBasics(app);
  addGuards(app);
  addFiles(app, grounds);
  addForms(app);
  addUploads(app, grounds);
  addHeaders(app);
  addSessions(app);
  addPages(app);
  addContexts(app, grounds);
  addCrossings(app, grounds);
  addMounts(app);
  addFormats(app);
  addMiddleware(app);
  addIdentity(app);
  addJobs(app);
  addProxy(app);
  addPublished(app);
  addShared(app);
  addOneRoute(app, grounds);
  addTools(app);
  addAnswers(app);
  addOutside(app);
  addSockets(app);
  addSocketCalls(app);
  mvc.Configure(app.Party("/users"), (m) => {
    m.Handle(UserController);
  });
  return app;
}

class UserController {
  Ctx!: fw.Context;

  GetBy(id = 0n) {
    return { id };
  }

  GetByWildcard(rest = "") {
    return { rest };
  }

  PostNote() {
    return "noted";
  }

  constructorSecret() {
    return secret;
  }
}

function addBasics(app: fw.Application): void {
  app.Get("/", (ctx) => ctx.WriteString("root"));
  app.Get("/ping", (ctx) => ctx.WriteString("pong"));
  app.Get("/features", (ctx) => ctx.JSON({ doors, has }));
  app.Get("/cpu", (ctx) => ctx.WriteString(String(processorTime())));
  app.Get("/memory", (ctx) => ctx.WriteString(String(usedMemory())));
  app.Get("/smuggled", (ctx) => ctx.WriteString(smuggled));
  app.Post("/smuggled", (ctx) => ctx.WriteString(smuggled));
  app.Get("/public/a", (ctx) => ctx.WriteString("public"));
  app.Get("/inner", (ctx) => ctx.WriteString(secret));
  app.Get("/where", (ctx) => {
    ctx.SetCookie("place", "here");
    ctx.JSON({ host: ctx.Host(), subdomain: ctx.Subdomain(), address: ctx.RemoteAddr(), path: ctx.Path() });
  });
  app.Post("/echo", async (ctx) => {
    const [bytes, error] = await ctx.GetBody();
    if (error !== null) throw error;
    ctx.Write(bytes);
  });
  app.Get("/param/{name}", (ctx) => ctx.JSON({ name: ctx.Params().Get("name") }));
  app.Get("/int/{n:int}", (ctx) => ctx.JSON({ n: ctx.Params().GetIntDefault("n", -1) }));
  app.Get("/float/{n}", (ctx) => ctx.JSON({ n: ctx.Params().GetFloat64Default("n", -1) }));
  app.Get("/mail/{m:mail}", (ctx) => ctx.JSON({ m: ctx.Params().Get("m") }));
  app.Party("admin.").Get("/", (ctx) => ctx.WriteString("subdomain admin"));
}

/** Adds two guards: one on a party, which the router applies, and one that compares the path itself. */
function addGuards(app: fw.Application): void {
  app.UseRouter((ctx) => {
    if (ctx.Path().startsWith("/staff") && ctx.GetHeader("x-key") !== "open") return ctx.StopWithStatus(403);
    return ctx.Next();
  });
  app.Get("/staff", (ctx) => ctx.WriteString(secret));
  app.Get("/staff/{name}", (ctx) => ctx.WriteString(secret));
  app.Get("/staff/{rest:path}", (ctx) => ctx.WriteString(secret));
  const admin = app.Party("/admin");
  admin.Use((ctx) => ctx.GetHeader("x-key") === "open" ? ctx.Next() : ctx.StopWithStatus(403));
  admin.Get("/", (ctx) => ctx.WriteString(secret));
  admin.Get("/keys", (ctx) => ctx.WriteString(secret));
  admin.Get("/keys/{id}", (ctx) => ctx.WriteString(secret));
  admin.Post("/keys", (ctx) => ctx.WriteString(secret));
  admin.Delete("/keys", (ctx) => ctx.WriteString(secret));
  app.Get("/readonly", (ctx) => ctx.WriteString("read"));
}

function addFiles(app: fw.Application, grounds: Grounds): void {
  const rooted: fw.FileOptions & { Root: string } = { Root: grounds.publicFolder };
  app.Get("/files/{f:path}", (ctx) => ctx.ServeFile(`public/${ctx.Params().Get("f")}`));
  app.Get("/file/{f}", (ctx) => ctx.ServeFile(`public/${ctx.Params().Get("f")}`));
  app.Get("/sent/{f:path}", (ctx) => ctx.SendFile(`public/${ctx.Params().Get("f")}`));
  app.Get("/rooted/{f:path}", (ctx) => ctx.ServeFile(ctx.Params().Get("f"), rooted));
  app.Get("/inode", async (ctx) => ctx.WriteString(String(await inodeOf(grounds, "a.txt"))));
  app.Get("/large", (ctx) => ctx.ServeFile(`${grounds.root}/large.bin`));
  app.HandleDir("/static", grounds.publicFolder, { ShowList: true });
  const kept = app.Party("/static/sub");
  kept.Use((ctx) => ctx.GetHeader("x-key") === "open" ? ctx.Next() : ctx.StopWithStatus(403));
  kept.HandleDir("/", `${grounds.publicFolder}/sub`);
  app.Get("/vault/{f:path}", (ctx) => ctx.WriteString(ctx.Params().Get("f") === "admin/keys" ? secret : "open"));
  const vault = app.Party("/vault/admin");
  vault.Use((ctx) => ctx.StopWithStatus(403));
  vault.Get("/{f:path}", (ctx) => ctx.WriteString(secret));
  app.Get("/download", (ctx) => ctx.SendFile("public/a.txt", ctx.URLParam("name")));
}

function addForms(app: fw.Application): void {
  app.Post("/form", async (ctx) => ctx.JSON(await ctx.FormValues()));
  app.Post("/readform", async (ctx) => {
    const [value, error] = await ctx.ReadForm();
    if (error !== null) throw error;
    ctx.JSON({ value, polluted: probe("polluted") });
  });
  app.Get("/query", (ctx) => ctx.JSON(ctx.URLParams()));
  app.Get("/readquery", async (ctx) => {
    const [value] = await ctx.ReadQuery();
    ctx.JSON({ value, polluted: probe("polluted") });
  });
  app.Post("/json", async (ctx) => {
    const [value, error] = await ctx.ReadJSON();
    if (error !== null) throw error;
    ctx.JSON({ kind: typeof value, polluted: probe("polluted") });
  });
  app.Post("/strict", async (ctx) => {
    const [value, error] = await ctx.ReadJSON(numberSchema);
    if (error !== null) throw error;
    ctx.JSON({ value });
  });
  app.Post("/limited", fw.LimitRequestBodySize(1000), async (ctx) => {
    const [bytes, error] = await ctx.GetBody();
    if (error !== null) throw error;
    ctx.WriteString(String(bytes.length));
  });
  app.Post("/unpacked", fw.LimitRequestBodySize(1_000_000), async (ctx) => {
    ctx.CompressReader();
    const [bytes, error] = await ctx.GetBody();
    if (error !== null) throw error;
    ctx.WriteString(String(bytes.length));
  });
  app.Post("/number", async (ctx) => {
    const [value, error] = await ctx.PostValueInt("n");
    ctx.JSON({ value, failed: error !== null });
  });
  app.Post("/truth", async (ctx) => ctx.JSON(await ctx.PostValueFloat64Default("n", -1)));
}

function addUploads(app: fw.Application, grounds: Grounds): void {
  app.Post("/upload", async (ctx) => {
    const { inner } = uploadFolder(grounds, ctx.URLParam("to"));
    const [bytes, error] = await ctx.UploadFormFiles(inner);
    if (error === fw.ErrMissingFile) return ctx.StopWithStatus(400);
    if (error !== null) throw error;
    ctx.JSON({ bytes });
  });
  app.Post("/upload-checked", async (ctx) => {
    const { inner } = uploadFolder(grounds, ctx.URLParam("to"));
    const [bytes, error] = await ctx.UploadFormFiles(inner, (_ctx, { Filename }) => {
      if (Filename.endsWith(".html")) throw new fw.HTTPError(415, "pages are not accepted");
    });
    if (error !== null) throw error;
    ctx.JSON({ bytes });
  });
  app.Get("/tree", async (ctx) => ctx.JSON(await listUploads(grounds, ctx.URLParam("to"))));
  app.Post("/filename", async (ctx) => {
    const [, header, error] = await ctx.FormFile("file");
    if (error === fw.ErrMissingFile) return ctx.StopWithStatus(400);
    if (error !== null) throw error;
    ctx.JSON({ name: header?.Filename });
  });
}

function addHeaders(app: fw.Application): void {
  app.Get("/redirect", (ctx) => ctx.Redirect(ctx.URLParam("to")));
  app.Get("/set-header", (ctx) => {
    ctx.Header(ctx.URLParamDefault("name", "x-name"), ctx.URLParam("value"));
    ctx.WriteString("set");
  });
  app.Get("/set-type", (ctx) => {
    ctx.ContentType(ctx.URLParam("value"));
    ctx.WriteString("set");
  });
  app.Get("/set-cookie", (ctx) => {
    const domain = ctx.URLParam("domain");
    const path = ctx.URLParam("path");
    ctx.SetCookie(ctx.URLParamDefault("name", "c"), ctx.URLParam("value"), {
      ...domain !== "" && { Domain: domain },
      ...path !== "" && { Path: path },
    });
    ctx.WriteString("set");
  });
  app.Get("/cookie", (ctx) => ctx.JSON({ value: ctx.GetCookie(ctx.URLParamDefault("name", "__Host-id")) }));
}

function addSessions(app: fw.Application): void {
  const manager = sessions.New({ Cookie: "sid", Expires: 60_000 });
  const hosted = sessions.New({ Cookie: "__Host-sid", Expires: 60_000 });
  app.Get("/session", async (ctx) => {
    const session = await manager.Start(ctx);
    ctx.JSON({ user: session.GetStringDefault("user", "nobody"), isNew: session.IsNew() });
  });
  app.Get("/session/login", async (ctx) => {
    const session = await manager.Start(ctx);
    session.Regenerate();
    session.Set("user", ctx.URLParam("user"));
    ctx.WriteString("in");
  });
  app.Get("/session/logout", async (ctx) => {
    await manager.Destroy(ctx);
    ctx.WriteString("out");
  });
  app.Get("/session/set", async (ctx) => {
    const session = await manager.Start(ctx);
    session.Set(ctx.URLParam("key"), ctx.URLParam("value"));
    ctx.JSON({ value: session.Get(ctx.URLParam("key")) ?? null, polluted: probe("polluted") });
  });
  app.Get("/session/get", async (ctx) => {
    const session = await manager.Start(ctx);
    ctx.JSON({ value: session.Get(ctx.URLParam("key")) ?? null, all: session.GetAll() });
  });
  app.Get("/session/hosted", async (ctx) => {
    const session = await hosted.Start(ctx);
    session.Set("user", "hosted");
    ctx.WriteString("in");
  });
}

function addPages(app: fw.Application): void {
  app.Get("/page", (ctx) => ctx.View("page", { Name: ctx.URLParam("name") }));
  app.Get("/view", (ctx) => ctx.View(ctx.URLParam("view"), { Name: "x" }));
  app.Post("/deep", async (ctx) => {
    const [value, error] = await ctx.ReadJSON();
    if (error !== null) throw error;
    return ctx.View("deep", value);
  });
  app.Get("/throw", () => {
    throw new Error(`${secret} in /home/deploy/app.ts`);
  });
  app.Get("/reject", async () => {
    await Promise.resolve();
    throw new TypeError(`${secret} is not a function`);
  });
  app.Get("/throw-text", () => Promise.reject(secret));
  app.Get("/stray", (ctx) => {
    Promise.reject(new Error(secret));
    ctx.WriteString("fine");
  });
  app.Get("/file-error", (ctx) => ctx.ServeFile("/proc/1/mem"));
}

/** Returns a property that every object would have if a prototype had been changed. */
function probe(name: string): unknown {
  return Reflect.get({}, name) ?? null;
}

const numberSchema: fw.StandardSchema<number> = {
  "~standard": {
    version: 1,
    vendor: "test",
    validate: (value) => typeof value === "number" ? { value } : { issues: [{ message: "Wants a number" }] },
  },
};

async function open(app: fw.Application, name: string, runner: fw.Runner, ...more: fw.Configurator[]): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const listening = fw.WithOnListen((addr) => {
    if ("port" in addr) doors[name] = addr.port;
    resolve();
  });
  void app.Run(runner, fw.WithoutStartupLog, fw.WithoutInterruptHandler, listening, ...more);
  await promise;
}

const grounds = await layGrounds();
Deno.chdir(grounds.root);
await open(newApp(grounds), "plain", fw.Addr("127.0.0.1:0"));
await open(newApp(grounds), "tls", fw.TLS("127.0.0.1:0", certificate, key));
await open(newApp(grounds), "trusting", fw.Addr("127.0.0.1:0"), fw.WithProxy({ Trust: ["127.0.0.0/8"] }));
await open(
  newApp(grounds),
  "impatient",
  fw.Addr("127.0.0.1:0"),
  fw.WithBodyTimeout({ MinRate: 1000, Grace: 200, Total: 500 }),
);
await open(
  newApp(grounds),
  "impatient",
  fw.Addr("127.0.0.1:0"),
  fw.WithBodyTimeout({ Grace: 200, MinRate: 10_000_000, Total: 1_000 }),
  fw.WithMaxBody(100_000),
);
await serveUntilParentGoes({ doors, has });
// Windows does not remove the current folder.
Deno.chdir(new URL(".", import.meta.url));
await grounds[Symbol.asyncDispose]();
Deno.exit(0);
