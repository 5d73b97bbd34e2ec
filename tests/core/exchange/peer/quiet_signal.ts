/**
 * A program that watches its clients in every way, and sends itself a request for each.
 *
 * @module
 */

// deno-lint-ignore-file no-console
import * as fw from "@fw/web";
import * as live from "@fw/web/live";
import * as mcp from "@fw/web/mcp";
import * as websocket from "@fw/web/websocket";
import * as socketio from "@fw/web/websocket/socketio";

// The signal of a request is read after 100 ms, which a busy machine may need for any response. Timers therefore take
// longer here, so that a response is ready "soon" regardless of the load.
const { setTimeout: start } = globalThis;
globalThis.setTimeout = Object.assign(
  (task: () => void, ms = 0) => start(task, ms === 100 ? 30_000 : ms),
  start,
);

const port = Promise.withResolvers<number>();
const app = fw.New().Configure(fw.WithoutPathCorrectionRedirection);
const server = websocket.New({ Hub: live.New() });
app.Get("/signal", async (ctx) => {
  await fetch(`http://127.0.0.1:${await port.promise}/plain`, { signal: ctx.Signal() }).then((found) => found.text());
  ctx.WriteString("signal");
});
app.Get("/close", async (ctx) => {
  ctx.OnConnectionClose(() => {});
  await Promise.resolve();
  ctx.WriteString("close");
});
app.Get("/stream", (ctx) => {
  ctx.OnConnectionClose(() => {});
  ctx.Stream(["a", "b"]);
});
app.Get("/failed", () => Promise.reject(new DOMException("stopped", "AbortError")));
app.Get("/plain", (ctx) => ctx.WriteString("plain")).SetName("plain");
app.Mount("/mounted", (request: Request) => new Response(String(new Request(request).signal.aborted)));
app.Mount("/inner", inner());
app.Any("/socket.io", socketio.Handler(server));
mcp.New(app, { Name: "quiet", Routes: ({ Name }) => Name === "plain" });
app.Logger().SetLevel("disable");
const running = app.Run(
  fw.Addr("127.0.0.1:0"),
  fw.WithoutStartupLog,
  fw.WithOnListen(async (address) => {
    const front = fw.New();
    front.HandleMany("GET", "/{rest:path}", fw.Proxy(`http://127.0.0.1:${(address as Deno.NetAddr).port}`));
    const proxy = Deno.serve({ hostname: "127.0.0.1", port: 0, onListen() {} }, front.fetch);
    port.resolve((address as Deno.NetAddr).port);
    await visit(`http://127.0.0.1:${(address as Deno.NetAddr).port}`, `http://127.0.0.1:${proxy.addr.port}`);
    await proxy.shutdown();
    await server.Close();
    await app.Shutdown();
  }),
);
await running;

function inner(): fw.Application {
  const inner = fw.New();
  inner.Get("/signal", async (ctx) => {
    await Promise.resolve(ctx.Signal());
    ctx.WriteString("inner");
  });
  return inner;
}

async function visit(origin: string, proxied: string): Promise<void> {
  const paths = ["/signal", "/close", "/stream", "/failed", "/mounted/x", "/inner/signal"];
  for (const path of paths) await show(path, await fetch(origin + path));
  await show("proxy", await fetch(`${proxied}/plain`));
  const session = `${origin}/socket.io?EIO=4&transport=polling`;
  const { sid } = JSON.parse((await (await fetch(session)).text()).slice(1));
  const poll = fetch(`${session}&sid=${sid}`);
  await show("post", await fetch(`${session}&sid=${sid}`, { method: "POST", body: "40" }));
  const polled = await poll;
  console.log("poll", polled.status, (await polled.text()).slice(0, 2));
  const headers = { accept: "application/json, text/event-stream", "content-type": "application/json" };
  const params = { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "x", version: "1" } };
  const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "initialize", params });
  const called = await fetch(`${origin}/mcp`, { method: "POST", headers, body });
  console.log("mcp", called.status, (await called.text()).includes("serverInfo"));
}

async function show(name: string, response: Response): Promise<void> {
  console.log(name, response.status, await response.text());
}
