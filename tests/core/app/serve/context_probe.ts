/**
 * A program that sends bob's first request for each feature, and then requests on the same and on other connections. It
 * prints the users in whose asynchronous context these requests start.
 *
 * @module
 */

import { AsyncLocalStorage } from "node:async_hooks";
import * as fw from "../../../../mod.ts";
import * as mvc from "../../../../mvc/mod.ts";
import * as websocket from "../../../../src/live/websocket/mod.ts";
import * as auth from "../../../../src/middleware/auth.ts";
import * as sessions from "../../../../src/state/sessions/mod.ts";

const users = new AsyncLocalStorage<string>();

/** Bob's request for a feature. */
interface Feature {
  readonly handle?: (ctx: fw.Context) => unknown;
  readonly set?: (app: fw.Application, folder: string) => void;
  readonly request?: RequestInit;
  readonly path?: string;
}

const form = new FormData();
form.set("name", "tea");
form.set("file", new File(["leaves"], "tea.txt"));

function posted(type: string, body: BodyInit): RequestInit {
  return { method: "POST", headers: { "content-type": type }, body };
}

async function gzip(text: string): Promise<Uint8Array<ArrayBuffer>> {
  return new Uint8Array(
    await new Response(new Blob([text]).stream().pipeThrough(new CompressionStream("gzip"))).arrayBuffer(),
  );
}

class Later {
  name = "later";
}

class TeaController {
  later = mvc.Inject(Later);
  *Get() {
    yield "tea";
    yield this.later.name;
  }
}

const folder = await Deno.makeTempDir();
await Deno.writeTextFile(`${folder}/tea.html`, "<p>tea</p>");

/** The features that load code, open connections or start timers in the first request that needs them. */
const features: Readonly<Record<string, Feature>> = {
  form: {
    handle: (ctx) => ctx.PostValue("name").then((name) => ctx.WriteString(name)),
    request: { method: "POST", body: new URLSearchParams({ name: "tea" }) },
  },
  multipart: {
    handle: (ctx) => ctx.PostValue("name").then((name) => ctx.WriteString(name)),
    request: { method: "POST", body: form },
  },
  upload: {
    handle: async (ctx) => void await ctx.UploadFormFiles(folder),
    request: { method: "POST", body: form },
  },
  compressedBody: {
    handle: async (ctx) => {
      ctx.CompressReader();
      const [bytes] = await ctx.GetBody();
      ctx.Write(bytes as Uint8Array<ArrayBuffer>);
    },
    request: {
      method: "POST",
      headers: { "content-encoding": "gzip", "content-type": "text/plain" },
      body: await gzip("tea"),
    },
  },
  readXML: { handle: async (ctx) => void await ctx.ReadXML(), request: posted("application/xml", "<tea>green</tea>") },
  readYAML: { handle: async (ctx) => void await ctx.ReadYAML(), request: posted("application/yaml", "tea: green") },
  readMsgPack: {
    handle: async (ctx) => void await ctx.ReadMsgPack(),
    request: posted("application/msgpack", Uint8Array.of(0x81, 0xa1, 0x61, 1)),
  },
  readJSONStream: {
    handle: async (ctx) => {
      for await (const each of ctx.ReadJSONStream()) ctx.WriteString(String(each));
    },
    request: posted("application/json", "[1, 2]"),
  },
  file: { handle: (ctx) => ctx.ServeFile(`${folder}/tea.html`) },
  folder: { set: (app) => app.HandleDir("/files", folder), path: "/files/tea.html" },
  controller: { set: (app) => void mvc.New(app.Party("/teas")).Register(Later).Handle(TeaController), path: "/teas" },
  asynchronousSingleton: {
    set: (app) => {
      const late = async () => {
        await Promise.resolve();
        return new Later();
      };
      mvc.New(app.Party("/teas")).Register(mvc.Provide(Later, late)).Handle(TeaController);
    },
    path: "/teas",
  },
  stream: { handle: (ctx) => ctx.Stream(["tea"]) },
  events: { handle: (ctx) => ctx.Events(["tea"]) },
  view: {
    set: (app) => app.RegisterView(fw.HTML(folder, ".html")),
    handle: (ctx) => ctx.View("tea"),
  },
  missingView: {
    set: (app) => app.RegisterView(fw.HTML(folder, ".html")),
    handle: (ctx) => ctx.View("nowhere"),
  },
  xml: { handle: (ctx) => ctx.XML({ tea: "green" }) },
  yaml: { handle: (ctx) => ctx.YAML({ tea: "green" }) },
  msgpack: { handle: (ctx) => ctx.MsgPack({ tea: "green" }) },
  markdown: { handle: (ctx) => ctx.Markdown("# tea") },
  compression: { set: (app) => app.Use(fw.Compression), request: { headers: { "accept-encoding": "gzip" } } },
  session: {
    handle: (() => {
      const manager = sessions.New();
      return async (ctx: fw.Context) => (await manager.Start(ctx)).Set("name", "bob");
    })(),
  },
  password: { handle: async (ctx) => ctx.WriteString(await auth.HashPassword("secret")) },
  error: {
    handle: () => {
      throw new Error("no tea");
    },
  },
  development: {
    set: (app) => app.Configure(fw.WithDevelopment),
    handle: () => {
      throw new Error("no tea");
    },
    request: { headers: { accept: "text/html" } },
  },
  timeout: {
    set: (app) => app.Configure(fw.WithHandlerTimeout(5)),
    handle: (ctx) => new Promise((resolve) => ctx.Signal().addEventListener("abort", resolve)),
  },
  onSend: { handle: (ctx) => ctx.Recorder().OnSend(() => void ctx.Header("x-tea", "green")) },
  socket: {
    set: (app) => {
      const server = websocket.New();
      server.On(websocket.OnNativeMessage, (conn, data) => conn.Write(String(data)));
      app.Get("/socket", websocket.Handler(server));
    },
    path: "/socket",
  },
};

/** The status of bob's request, and the users in whose context the requests of the feature started. */
interface Outcome {
  readonly status: number;
  readonly starts: readonly string[];
}

const [same, other] = [Deno.createHttpClient({}), Deno.createHttpClient({})];

async function run({ set, handle, path = "/feature", request = {} }: Feature): Promise<Outcome> {
  const app = fw.New();
  app.Logger().SetLevel("disable");
  const starts = new Set<string>();
  app.UseRouter((ctx) => {
    starts.add(users.getStore() ?? "nobody");
    const user = ctx.GetHeader("x-user");
    return user === "" ? ctx.Next() : users.run(user, () => ctx.Next());
  });
  set?.(app, folder);
  app.Any("/feature", (handle ?? ((ctx: fw.Context) => ctx.WriteString("tea"))) as fw.Handler);
  app.Get("/plain", (ctx) => ctx.WriteString("plain"));
  const server = Deno.serve({ hostname: "127.0.0.1", port: 0, onListen() {} }, app.fetch);
  const url = `http://127.0.0.1:${server.addr.port}`;
  async function get(path: string, client: Deno.HttpClient, init: RequestInit = {}): Promise<number> {
    const response = await fetch(url + path, { ...init, client });
    await response.arrayBuffer();
    return response.status;
  }
  await get("/plain", same);
  const headers = new Headers(request.headers);
  headers.set("x-user", "bob");
  const status = path === "/socket" ? await talk(url + path) : await get(path, same, { ...request, headers });
  for (const client of [same, other, same, other]) await get("/plain", client);
  await get(path, other, request);
  await get("/plain", same);
  await server.shutdown();
  return { status, starts: [...starts] };
}

/** Sends a message as bob and waits for the reply. */
async function talk(url: string): Promise<number> {
  const socket = new WebSocket(url.replace("http", "ws"), { headers: { "x-user": "bob" } } as unknown as string[]);
  await new Promise((resolve) => socket.onopen = resolve);
  socket.send("tea");
  await new Promise((resolve) => socket.onmessage = resolve);
  socket.close();
  await new Promise((resolve) => socket.onclose = resolve);
  return 101;
}

const outcomes: Record<string, Outcome> = {};
for (const [name, feature] of Object.entries(features)) outcomes[name] = await run(feature);
same.close();
other.close();
await Deno.remove(folder, { recursive: true });
await Deno.stdout.write(new TextEncoder().encode(JSON.stringify(outcomes)));
Deno.exit();
