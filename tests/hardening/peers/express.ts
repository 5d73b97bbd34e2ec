/**
 * The routes of the subject in Express 5, written idiomatically, as far as Express supports them.
 *
 * @module
 */

import express from "npm:express@5.2.1";
import session from "npm:express-session@1.18.2";
import cookieParser from "npm:cookie-parser@1.4.7";
import multer from "npm:multer@2.0.2";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { createServer as createSecureServer } from "node:https";
import { secret, smuggled } from "../expect.ts";
import {
  type Grounds,
  inodeOf,
  layGrounds,
  listUploads,
  processorTime,
  serveUntilParentGoes,
  uploadFolder,
  usedMemory,
} from "../grounds.ts";

/** The parts of Express that are used here. The types from npm would include Node's, which differ from Deno's. */
interface Application {
  (request: IncomingMessage, response: ServerResponse): void;
  use(handler: Handler): void;
  use(handler: FailureHandler): void;
  use(path: string, handler: Handler | Application): void;
  get(path: string, ...handlers: Handler[]): void;
  post(path: string, ...handlers: Handler[]): void;
  delete(path: string, ...handlers: Handler[]): void;
  set(name: string, value: string): void;
}

interface Request {
  readonly path: string;
  readonly host: string;
  readonly ip: string;
  readonly secure: boolean;
  readonly params: Readonly<Record<string, string | string[]>>;
  readonly query: Readonly<Record<string, unknown>>;
  readonly cookies: Readonly<Record<string, string>>;
  readonly body: Record<string, unknown> & { readonly length: number } | undefined;
  readonly file: Uploaded | undefined;
  readonly files: readonly Uploaded[] | undefined;
  readonly session: Session;
  get(name: string): string | undefined;
}

interface Response {
  send(body: unknown): void;
  json(value: unknown): void;
  sendStatus(status: number): void;
  set(name: string, value: string): Response;
  cookie(name: string, value: string, options?: Readonly<Record<string, unknown>>): void;
  clearCookie(name: string): Response;
  redirect(url: string): void;
  write(text: string): void;
  sendFile(path: string, options?: { root: string }): void;
  download(path: string, name: string, options: { root: string }): void;
}

interface Uploaded {
  readonly originalname: string;
  readonly size: number;
}

interface Session extends Record<string, unknown> {
  regenerate(done: (error?: Error) => void): void;
  destroy(done: (error?: Error) => void): void;
}

type Next = (error?: Error) => void;
type Handler = (request: Request, response: Response, next: Next) => unknown;
type FailureHandler = (error: Failure, request: Request, response: Response, next: Next) => void;

interface Failure {
  readonly status?: number;
  readonly name?: string;
}

const doors: Record<string, number> = {};
const has = [
  "cookies",
  "etags",
  "files",
  "folders",
  "forms",
  "guards",
  "joined files",
  "json",
  "limits",
  "mounts",
  "own etags",
  "owned folders",
  "owned parameters",
  "owned prefixes",
  "rest of paths",
  "rooted files",
  "sent files",
  "sessions",
  "uploads",
];
const tls = new URL("../../testdata/tls/", import.meta.url);

function newApp(grounds: Grounds): Application {
  const app: Application = express();
  app.set("env", "production");
  app.use(cookieParser());
  addBasics(app);
  addGuards(app);
  addCrossings(app, grounds);
  addFiles(app, grounds);
  addForms(app);
  addUploads(app, grounds);
  addHeaders(app);
  addSessions(app);
  // The default handler responds in the same way but writes the error to the console.
  app.use((error: Failure, _request: Request, response: Response, _next: Next) => {
    response.sendStatus(error.name === "MulterError" ? 400 : error.status ?? 500);
  });
  return app;
}

function addBasics(app: Application): void {
  app.get("/", (_request, response) => response.send("root"));
  app.get("/ping", (_request, response) => response.send("pong"));
  app.get("/features", (_request, response) => response.json({ doors, has }));
  app.get("/cpu", (_request, response) => response.send(String(processorTime())));
  app.get("/memory", (_request, response) => response.send(String(usedMemory())));
  app.get("/smuggled", (_request, response) => response.send(smuggled));
  app.post("/smuggled", (_request, response) => response.send(smuggled));
  app.get("/public/a", (_request, response) => response.send("public"));
  app.get("/inner", (_request, response) => response.send(secret));
  app.get("/where", (request, response) => {
    response.cookie("place", "here", { secure: request.secure });
    response.json({ host: request.host, address: request.ip, path: request.path });
  });
  app.post("/echo", express.raw({ type: () => true }), (request, response) => response.send(request.body));
  app.get("/param/:name", (request, response) => response.json({ name: request.params.name }));
  app.get("/int/:n", (request, response) => response.json({ n: Number(request.params.n) }));
  app.get("/float/:n", (request, response) => response.json({ n: Number(request.params.n) }));
  app.get("/mail/:m", (request, response) => response.json({ m: request.params.m }));
  app.get("/throw", () => {
    throw new Error(`${secret} in /home/deploy/app.ts`);
  });
  app.get("/reject", async () => {
    await Promise.resolve();
    throw new TypeError(`${secret} is not a function`);
  });
  app.get("/throw-text", () => Promise.reject(secret));
  app.get("/stray", (_request, response) => {
    Promise.reject(new Error(secret));
    response.send("fine");
  });
}

function addGuards(app: Application): void {
  app.use((request, response, next) => {
    if (request.path.startsWith("/staff") && request.get("x-key") !== "open") return response.sendStatus(403);
    next();
  });
  app.get("/staff", (_request, response) => response.send(secret));
  app.get("/staff/:name", (_request, response) => response.send(secret));
  app.get("/staff/*rest", (_request, response) => response.send(secret));
  const admin: Application = express.Router();
  admin.use((request, response, next) => {
    if (request.get("x-key") !== "open") return response.sendStatus(403);
    next();
  });
  admin.get("/", (_request, response) => response.send(secret));
  admin.get("/keys", (_request, response) => response.send(secret));
  admin.get("/keys/:id", (_request, response) => response.send(secret));
  admin.post("/keys", (_request, response) => response.send(secret));
  admin.delete("/keys", (_request, response) => response.send(secret));
  app.use("/admin", admin);
  app.get("/readonly", (_request, response) => response.send("read"));
}

/** Adds guards for prefixes next to routes that match paths below them, and files with joined paths. */
function addCrossings(app: Application, grounds: Grounds): void {
  for (const prefix of ["/owned/admin", "/single/admin", "/mounted/admin", "/grove/sub"]) {
    app.use(prefix, (request, response, next) => {
      if (request.get("x-key") !== "open") return response.sendStatus(403);
      next();
    });
  }
  const secretBelow = (path: string) => /^admin(?:\/|$)/.test(path) ? secret : "open";
  app.get("/owned/*f", (request, response) => response.send(secretBelow(rest(request))));
  app.get("/single/:a", (request, response) => response.send(secretBelow(String(request.params.a))));
  app.get("/single/:a/:b", (request, response) => response.send(secretBelow(String(request.params.a))));
  app.use("/grove", express.static(grounds.publicFolder));
  app.use("/mounted", (request: Request, response: Response) => {
    response.send(/^\/+admin(?:\/|$)/.test(request.path) ? secret : request.path);
  });
  for (const path of ["/joined", "/joined/sent"]) {
    app.get(path, (request, response) => response.sendFile(`${grounds.publicFolder}/${String(request.query.f)}`));
  }
}

function addFiles(app: Application, grounds: Grounds): void {
  const root = grounds.publicFolder;
  app.get("/inode", async (_request, response) => response.send(String(await inodeOf(grounds, "a.txt"))));
  app.get("/files/*f", (request, response) => response.sendFile(rest(request), { root }));
  app.get("/own-tag", (_request, response) => response.set("etag", '"own"').sendFile("a.txt", { root }));
  app.get("/known", (_request, response) => response.set("content-language", "de").send("known"));
  app.get("/pieces", (_request, response) => response.write("first piece"));
  app.get("/file/:f", (request, response) => response.sendFile(String(request.params.f), { root }));
  app.get("/sent/*f", (request, response) => response.download(rest(request), rest(request), { root }));
  app.get("/download", (request, response) => response.download("a.txt", String(request.query.name), { root }));
  app.use("/static/sub", (request, response, next) => {
    if (request.get("x-key") !== "open") return response.sendStatus(403);
    next();
  });
  app.use("/static", express.static(root));
  app.use("/vault/admin", (_request: Request, response: Response) => response.sendStatus(403));
  app.get("/vault/*f", (request, response) => response.send(rest(request) === "admin/keys" ? secret : "open"));
  app.use("/rooted", express.static(root));
  app.get("/file-error", (_request, response) => response.sendFile("/proc/1/mem"));
}

function rest(request: Request): string {
  return ([] as string[]).concat(request.params.f ?? "").join("/");
}

function addForms(app: Application): void {
  const forms = [express.urlencoded({ extended: true }), multer().any()];
  app.post("/form", ...forms, (request, response) => response.json(lists(request.body ?? {})));
  app.post("/readform", ...forms, (request, response) => {
    response.json({ value: request.body ?? {}, polluted: probe() });
  });
  app.get("/query", (request, response) => response.json(lists(request.query)));
  app.get("/readquery", (request, response) => response.json({ value: request.query, polluted: probe() }));
  app.post("/json", express.json(), (request, response) => {
    if (request.body === undefined) return response.sendStatus(415);
    response.json({ kind: typeof request.body, polluted: probe() });
  });
  app.post("/strict", express.json({ strict: false }), (request, response) => {
    if (typeof request.body !== "number") return response.sendStatus(422);
    response.json({ value: request.body });
  });
  app.post("/limited", express.raw({ type: () => true, limit: 1000 }), (request, response) => {
    response.send(String(request.body?.length));
  });
  app.post("/truth", ...forms, (request, response) => response.json(Number(request.body?.n)));
}

function addUploads(app: Application, grounds: Grounds): void {
  const storage = multer.diskStorage({
    destination(request: Request, _file: Uploaded, done: (error: null, folder: string) => void) {
      const { inner } = uploadFolder(grounds, String(request.query.to));
      Deno.mkdirSync(inner, { recursive: true });
      done(null, inner);
    },
    filename(_request: Request, file: Uploaded, done: (error: null, name: string) => void) {
      done(null, file.originalname);
    },
  });
  app.post("/upload", multer({ storage }).any(), (request, response) => {
    const { files } = request;
    if (files === undefined || files.length === 0) return response.sendStatus(400);
    response.json({ bytes: files.reduce((sum, file) => sum + file.size, 0) });
  });
  app.get("/tree", async (request, response) => {
    response.json(await listUploads(grounds, String(request.query.to)));
  });
  app.post("/filename", multer().single("file"), (request, response) => {
    if (request.file === undefined) return response.sendStatus(400);
    response.json({ name: request.file.originalname });
  });
}

function addHeaders(app: Application): void {
  app.get("/redirect", (request, response) => response.redirect(String(request.query.to)));
  app.get("/set-header", (request, response) => {
    response.set(String(request.query.name ?? "x-name"), String(request.query.value));
    response.send("set");
  });
  app.get(
    "/set-type",
    (request, response) => response.set("content-type", String(request.query.value)).send("set"),
  );
  app.get("/set-cookie", (request, response) => {
    const { name = "c", value = "", domain, path } = request.query;

    response.cookie(String(name), String(value), {
      ...domain !== undefined && { domain },
      ...path !== undefined && { path },
    });
    response.send("set");
  });
  app.get("/cookie", (request, response) => {
    response.json({ value: request.cookies[String(request.query.name ?? "__Host-id")] ?? "" });
  });
}

function addSessions(app: Application): void {
  app.use(
    "/session",
    session({
      name: "sid",
      secret: "a secret of the test",
      resave: false,
      saveUninitialized: false,
      cookie: { sameSite: "lax", maxAge: 60_000, secure: "auto" },
    }),
  );
  app.get("/session", (request, response) => {
    response.json({ user: request.session.user ?? "nobody" });
  });
  app.get("/session/login", (request, response, next) => {
    request.session.regenerate((error) => {
      if (error) return next(error);
      request.session.user = request.query.user;
      response.send("in");
    });
  });
  app.get("/session/logout", (request, response, next) => {
    request.session.destroy((error) => {
      if (error) return next(error);
      response.clearCookie("sid").send("out");
    });
  });
  app.get("/session/set", (request, response) => {
    const kept = request.session;
    kept[String(request.query.key)] = request.query.value;
    response.json({ value: kept[String(request.query.key)] ?? null, polluted: probe() });
  });
  app.get("/session/get", (request, response) => {
    const { cookie: _, ...all } = request.session;
    response.json({ value: request.session[String(request.query.key)] ?? null, all });
  });
}

function lists(body: Record<string, unknown>): Record<string, unknown> {
  const all: Record<string, unknown> = Object.create(null);
  for (const [name, value] of Object.entries(body)) all[name] = Array.isArray(value) ? value : [value];
  return all;
}

function probe(): unknown {
  return Reflect.get({}, "polluted") ?? null;
}

async function listen(name: string, server: Server): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  server.listen(0, "127.0.0.1", resolve);
  await promise;
  const address = server.address();
  if (address !== null && typeof address === "object") doors[name] = address.port;
}

globalThis.addEventListener("unhandledrejection", (event) => event.preventDefault());
const grounds = await layGrounds();
Deno.chdir(grounds.root);
const app = newApp(grounds);
const trusting = newApp(grounds);
trusting.set("trust proxy", "loopback");
const keys = {
  cert: await Deno.readTextFile(new URL("localhost.crt", tls)),
  key: await Deno.readTextFile(new URL("localhost.key", tls)),
};
await listen("plain", createServer(app));
await listen("trusting", createServer(trusting));
await listen("tls", createSecureServer(keys, app));
await serveUntilParentGoes({ doors, has });
// Windows does not remove the current folder.
Deno.chdir(new URL(".", import.meta.url));
await grounds[Symbol.asyncDispose]();
Deno.exit(0);
