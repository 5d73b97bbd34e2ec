import { assertEquals } from "@std/assert";
import * as fw from "../../../mod.ts";
import * as mcp from "../../../src/api/mcp/mod.ts";
import * as answers from "../../../src/live/answers/mod.ts";
import * as live from "../../../src/live/hub/mod.ts";
import * as websocket from "../../../src/live/websocket/mod.ts";
import * as auth from "../../../src/middleware/login/mod.ts";
import * as sessions from "../../../src/state/sessions/mod.ts";
import type { Store } from "../../../src/state/sessions/store.ts";
import { testEachSideBySide } from "./stores.ts";

/** A process of an application: its sessions are in a store that it shares with others. */
interface Process extends AsyncDisposable {
  readonly origin: string;
  readonly manager: sessions.Sessions;
}

/** Starts an application. A store object of its own makes it notice the others only through the stored rows. */
function start(shared: Store): Process {
  const Store: Store = { Load: (id) => shared.Load(id), Create: (...args) => shared.Create(...args) };
  const manager = sessions.New({ Cookie: "sid", Store });
  const hub = live.New();
  const app = fw.New();
  const chat = answers.New({ Hub: hub });
  app.Use(auth.Session({ Sessions: manager, Load: (id) => ({ ID: id, Name: id, Roles: [], Method: "test" }) }));
  app.Post("/login", (ctx) => auth.Login(ctx, { ID: "ada" }));
  app.Post("/logout", (ctx) => auth.Logout(ctx));
  app.Post("/regenerate", (ctx) => void sessions.Get(ctx)?.Regenerate());
  app.Get("/me", (ctx) => ctx.WriteString(ctx.User()?.ID ?? "nobody"));
  app.Get("/events", (ctx) => ctx.Events((_, signal) => endless(signal)));
  app.Get("/answer", (ctx) => chat.Start(ctx, "talk", (answer) => endless(answer.Signal)));
  app.Get("/socket", websocket.Handler(websocket.New({ Hub: hub })));
  mcp.New(app, { Name: "tools", Routes: (route) => route.Path === "/me" });
  const server = Deno.serve({ hostname: "127.0.0.1", port: 0, onListen() {} }, app.fetch);
  return {
    origin: `http://127.0.0.1:${server.addr.port}`,
    manager,
    async [Symbol.asyncDispose]() {
      await chat.Close();
      await app.Shutdown();
      await server.shutdown();
      await hub.Close();
    },
  };
}

async function* endless(signal: AbortSignal): AsyncGenerator<string> {
  yield "first";
  await new Promise((resolve) => signal.addEventListener("abort", resolve, { once: true }));
}

async function logIn({ origin }: Process): Promise<string> {
  const response = await fetch(`${origin}/login`, { method: "POST" });
  await response.body?.cancel();
  return response.headers.get("set-cookie")?.split(";")[0] ?? "";
}

/** Opens a stream. The promise resolves when the server ends the stream. */
async function openStream(url: string, cookie: string, init: RequestInit = {}): Promise<{ ended: Promise<void> }> {
  const headers = new Headers({ ...init.headers as Record<string, string>, cookie });
  const response = await fetch(url, { ...init, headers });
  assertEquals(response.status, 200, await (response.status === 200 ? "" : response.text()));
  const reader = (response.body as ReadableStream<Uint8Array>).getReader();
  await reader.read();
  const read = async () => {
    try {
      while (!(await reader.read()).done);
    } catch {
      // An answer is broken off.
    }
  };
  return { ended: read() };
}

async function openSocket(origin: string, cookie: string): Promise<{ closed: Promise<number> }> {
  const socket = new WebSocket(`${origin.replace("http", "ws")}/socket`, {
    protocols: ["fw.live.1"],
    headers: { cookie },
  } as unknown as string[]);
  const closed = new Promise<number>((resolve) => socket.addEventListener("close", ({ code }) => resolve(code)));
  await new Promise((resolve, reject) => {
    socket.addEventListener("open", resolve, { once: true });
    socket.addEventListener("error", reject, { once: true });
  });
  return { closed };
}

/** Begins a protocol session, and opens its stream. */
async function openTools(origin: string, cookie: string): Promise<{ id: string; ended: Promise<void> }> {
  const id = (await sendTool(origin, cookie, "", {
    id: 1,
    method: "initialize",
    params: { protocolVersion: "2025-06-18", capabilities: {}, clientInfo: { name: "test", version: "1" } },
  })).headers.get("mcp-session-id") ?? "";
  const headers = { accept: "text/event-stream", "mcp-session-id": id };
  const controller = await fetch(`${origin}/mcp`, { headers: { ...headers, cookie } });
  assertEquals(controller.status, 200);
  const ended = (async () => void await controller.text())();
  return { id, ended };
}

async function sendTool(origin: string, cookie: string, session: string, message: object): Promise<Response> {
  const response = await fetch(`${origin}/mcp`, {
    method: "POST",
    headers: {
      "content-type": "application/json",
      accept: "application/json, text/event-stream",
      cookie,
      ...session !== "" && { "mcp-session-id": session },
    },
    body: JSON.stringify({ jsonrpc: "2.0", ...message }),
  });
  await response.text();
  return response;
}

for (const place of ["the same process", "another process"] as const) {
  testEachSideBySide(
    `UserSessions.EndAll() ends sockets, event streams, answers and tools in ${place}`,
    async (store) => {
      await using one = start(store);
      await using other = start(store);
      const cookie = await logIn(one);
      const [events, answer, socket, tools] = [
        await openStream(`${one.origin}/events`, cookie),
        await openStream(`${one.origin}/answer`, cookie),
        await openSocket(one.origin, cookie),
        await openTools(one.origin, cookie),
      ];
      const ender = place === "the same process" ? one : other;
      assertEquals(await ender.manager.Of("ada").EndAll(), 1);
      await within(Promise.all([events.ended, answer.ended, tools.ended]));
      assertEquals(await within(socket.closed), 4401);
      // Another login of the same user does not continue the session of the tools.
      const ping = { id: 2, method: "ping" };
      assertEquals((await sendTool(one.origin, await logIn(one), tools.id, ping)).status, 404);
    },
  );
}

testEachSideBySide(
  "Session.Regenerate() ends the streams with the old ID once, and those with the new ID stay open",
  async (store) => {
    await using one = start(store);
    await using other = start(store);
    const cookie = await logIn(one);
    const [events, socket] = [await openStream(`${one.origin}/events`, cookie), await openSocket(one.origin, cookie)];
    const response = await fetch(`${other.origin}/regenerate`, { method: "POST", headers: { cookie } });
    await response.body?.cancel();
    const next = response.headers.get("set-cookie")?.split(";")[0] ?? "";
    assertEquals(await within(socket.closed), 4409);
    await within(events.ended);
    const again = await openStream(`${one.origin}/events`, next);
    const first = await Promise.race([again.ended.then(() => "ended"), sleep(3_000).then(() => "open")]);
    assertEquals(first, "open");
    await one.manager.Of("ada").EndAll();
    await within(again.ended);
  },
);

// A watch that is left behind keeps a timer, which the sanitizer reports.
Deno.test("Context.Events() does not wait for the end of the session if its options are invalid", async () => {
  const manager = sessions.New();
  const app = fw.New();
  app.Logger().SetLevel("disable");
  app.Use(manager.Handler());
  app.Get("/set", (ctx) => void sessions.Get(ctx)?.Set("a", 1));
  app.Get("/events", (ctx) => ctx.Events([], { Heartbeat: -1 }));
  const cookie = (await app.fetch(new Request("http://localhost/set"))).headers.get("set-cookie")?.split(";")[0] ?? "";
  assertEquals((await app.fetch(new Request("http://localhost/events", { headers: { cookie } }))).status, 500);
});

Deno.test("auth.Logout() ends the event streams of the session, and not those of others", async () => {
  await using process = start(sessions.NewMemory());
  const [cookie, kept] = [await logIn(process), await logIn(process)];
  const [one, other] = [
    await openStream(`${process.origin}/events`, cookie),
    await openStream(`${process.origin}/events`, kept),
  ];
  const response = await fetch(`${process.origin}/logout`, { method: "POST", headers: { cookie } });
  await response.body?.cancel();
  await within(one.ended);
  const first = await Promise.race([other.ended.then(() => "ended"), sleep(100).then(() => "open")]);
  assertEquals(first, "open");
});

/** Fails if a promise is not settled within the promised five seconds. */
async function within<T>(promise: Promise<T>): Promise<T> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<never>((_, reject) => timer = setTimeout(() => reject(new Error("Too late")), 5_000));
  return await Promise.race([promise, late]).finally(() => clearTimeout(timer));
}

function sleep(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
