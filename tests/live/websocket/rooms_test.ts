/** Rooms and broadcasts: who receives what, also if connections, handlers and the backplane get in each other's way. */

import { assert, assertEquals, assertRejects, assertThrows } from "@std/assert";
import type * as fw from "../../../mod.ts";
import { FrameworkError } from "../../../src/base/errors/errors.ts";
import type { Listener, Log, Retention } from "../../../src/live/hub/backplane.ts";
import { innerHub } from "../../../src/live/hub/hub.ts";
import { newMemory } from "../../../src/live/hub/memory.ts";
import * as live from "../../../src/live/hub/mod.ts";
import { Live } from "../../../src/live/websocket/client/live.ts";
import * as websocket from "../../../src/live/websocket/mod.ts";
import { readPackets } from "../../../src/live/websocket/wire/packet.ts";
import * as sessions from "../../../src/state/sessions/mod.ts";
import * as httptest from "../../../src/tools/httptest/mod.ts";
import { logged, overSocket, quiet } from "../../serving.ts";

function serve(...servers: websocket.Server[]): { app: fw.Application; test: httptest.Client } {
  const app = quiet();
  for (const [at, server] of servers.entries()) app.Get(`/${at}`, websocket.Handler(server));
  return { app, test: httptest.New(app) };
}

/** Returns the list of packets that a client receives from now on. */
function listen(socket: httptest.TestSocket): string[] {
  const messages: string[] = [];
  const receive = socket.received.bind(socket);
  socket.received = (message) => {
    for (const packet of readPackets(String(message)) ?? []) messages.push(JSON.stringify(packet));
    receive(message);
  };
  return messages;
}

function pass(ms = 20): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}

/** A backplane that waits before it responds, like one on another machine. */
class Distant implements live.Backplane {
  readonly IsLossless = false;
  readonly #memory = newMemory();
  readonly #gate: () => Promise<unknown>;

  constructor(gate: () => Promise<unknown>) {
    this.#gate = gate;
  }

  async Publish(channel: string, payload: string, retention: Retention): Promise<live.Position> {
    await this.#gate();
    return this.#memory.Publish(channel, payload, retention);
  }

  async Read(channel: string, after: number, limit: number): Promise<Log> {
    await this.#gate();
    return this.#memory.Read(channel, after, limit);
  }

  async Listen(channel: string, listener: Listener): Promise<void> {
    await this.#gate();
    await this.#memory.Listen(channel, listener);
  }

  Unlisten(channel: string): void {
    this.#memory.Unlisten(channel);
  }

  async Renew(node: string, lifetime: number): Promise<void> {
    await this.#gate();
    await this.#memory.Renew(node, lifetime);
  }

  async Put(table: string, node: string, field: string, value: string | null): Promise<void> {
    await this.#gate();
    await this.#memory.Put(table, node, field, value);
  }

  async Rows(table: string): Promise<ReadonlyMap<string, string>> {
    await this.#gate();
    return await this.#memory.Rows(table);
  }

  async Claim(key: string, value: string, lifetime: number): Promise<string | null> {
    await this.#gate();
    return await this.#memory.Claim(key, value, lifetime);
  }

  async Settle(key: string, value: string, lifetime: number): Promise<void> {
    await this.#gate();
    await this.#memory.Settle(key, value, lifetime);
  }

  async Close(): Promise<void> {
    await this.#memory.Close();
  }
}

Deno.test("Conn.Join() reaches neither the rooms of other namespaces nor fw's own channels", async () => {
  const manager = sessions.New();
  await using hub = live.New();
  const server = websocket.New({ Hub: hub, Sessions: manager, Presence: true });
  server.On(websocket.OnRoomJoin, () => true);
  server.On("echo", (_conn, data) => data);
  server.On("relay", (conn, { room, event, data }) => conn.To(room).Emit(event, data));
  const admin = server.Namespace("admin");
  admin.On(websocket.OnNamespaceConnect, () => false);
  server.Namespace("a").On(websocket.OnRoomJoin, () => true);
  const { app, test } = serve(server);
  app.UseGlobal(manager.Handler());
  app.Get("/login", (ctx) => void manager.Get(ctx)?.Set("name", "Ada"));
  app.Get("/logout", (ctx) => manager.Destroy(ctx));
  const eve = await test.WebSocket("/0");
  const heard = listen(eve);
  const names = [
    "admin/secret",
    "admin,secret",
    "admin:secret",
    "/admin/secret",
    "websocket:control",
    "websocket:all:",
  ];
  for (const name of [...names, "presence:secret", "__proto__", "constructor", "nodes", " "]) await eve.Join(name);
  for (const name of ["", "admin\nsecret", "\ncontrol\n", "\nall\n0", "\npresence\nsecret", "\0", "\u{85}", "\ud800"]) {
    await assertRejects(() => eve.Join(name), Error, "A room name must");
    await assertRejects(() => eve.Ask("relay", { room: name, event: "disconnect", data: "ada" }), Error);
  }
  await assertRejects(() => eve.Join("x".repeat(257)), Error);
  const ada = httptest.New(app);
  await ada.GET("/login").Expect().Status(200);
  const other = await ada.WebSocket("/0");
  await ada.GET("/logout").Expect().Status(200);
  await other.ExpectClose(4401);
  heard.length = 0;
  for (const name of ["secret", "b/secret"]) {
    await server.To(name, { Namespace: "admin" }).Emit("plan", "secret plan");
    await server.To(name, { Namespace: "a" }).Emit("plan", "secret plan");
    await server.Presence(name, { Namespace: "admin" }).Add("id", "secret member");
  }
  server.Broadcast(null, "plan", "secret plan", { Namespace: "admin" });
  await eve.ExpectReply("echo", 1, 1);
  assertEquals(heard.filter((message) => /plan|secret|session|changed/.test(message)), []);
  await eve.Close();
});

Deno.test("Hub.Topic() shares its messages with the room of its namespace only, and rejects reserved names", async () => {
  await using hub = live.New();
  const server = websocket.New({ Hub: hub });
  for (const name of ["", "chat"]) {
    server.Namespace(name).On(websocket.OnRoomJoin, () => true);
    server.Namespace(name).On("echo", (_conn, data) => data);
  }
  const { test } = serve(server);
  const [inside, outside] = [hub.Topic("tea", { Namespace: "chat" }), hub.Topic("tea")];
  const socket = await test.WebSocket("/0");
  await socket.Join("tea");
  await socket.Join("tea", { Namespace: "chat" });
  const heard = listen(socket);
  await inside.Publish("said", 1);
  await outside.Publish("said", 2);
  await socket.ExpectReply("echo", 0, 0);
  assertEquals(heard.slice(0, 2), ['[2,"chat","tea",1,"said",1]', '[2,"","tea",1,"said",2]']);
  for (const name of ["\ncontrol\n", "a\nb", "\0", "\udfff"]) {
    assertThrows(() => hub.Topic(name), FrameworkError, "control characters");
    assertThrows(() => hub.Topic("x", { Namespace: name }), FrameworkError, "control characters");
    assertThrows(() => server.Namespace(name), FrameworkError, "namespace name");
  }
  assertThrows(() => hub.Topic("tea").Publish("a\nevent: gap"), FrameworkError, "line break");
  await socket.Close();
});

Deno.test("Server.Broadcast() does not reach the connections of other servers", async () => {
  const hub = live.New();
  const servers = [websocket.New({ Hub: hub }), websocket.New({ Hub: hub }), websocket.New(), websocket.New()];
  const named = [websocket.New({ Hub: hub, Name: "news" }), websocket.New({ Hub: hub, Name: "news" })];
  for (const server of [...servers, ...named]) server.On("echo", (_conn, data) => data);
  const { test } = serve(...servers, ...named);
  const sockets = [];
  for (let at = 0; at < 6; at++) {
    sockets.push(await test.WebSocket(`/${at}`));
    await sockets[at]?.ExpectReply("echo", 1, 1);
  }
  const heard = sockets.map(listen);
  for (const [at, server] of servers.entries()) await server.Broadcast(null, "news", at);
  await named[0]?.Broadcast(null, "news", "named");
  for (const socket of sockets) await socket.ExpectReply("echo", 2, 2);
  assertEquals(heard.map((messages) => messages.filter((message) => message.includes("news"))), [
    ...[0, 1, 2, 3].map((at) => [`[1,0,"","news",${at}]`]),
    ...[0, 1].map(() => ['[1,0,"","news","named"]']),
  ]);
  // A namespace that is added later receives broadcasts too.
  servers[0]?.Namespace("late").On("echo", (_conn, data) => data);
  await sockets[0]?.Connect("late");
  await servers[0]?.Broadcast(null, "later", 5, { Namespace: "late" });
  await sockets[0]?.ExpectEvent("later", 5);
  for (const socket of sockets) await socket.Close();
});

Deno.test("OnNamespaceConnect undoes the joins of its handler if it refuses", async () => {
  await using hub = live.New();
  const server = websocket.New({ Hub: hub, Presence: true });
  const left: string[] = [];
  let late: Promise<void> | undefined;
  for (const [name, refuse] of [["false", () => false], ["throws", () => Promise.reject(new Error("No"))]] as const) {
    const namespace = server.Namespace(name);
    namespace.On(websocket.OnNamespaceConnect, async (conn) => {
      await conn.Join("private");
      late = pass(5).then(() => conn.Join("later"));
      return refuse();
    });
    namespace.On(websocket.OnRoomLeft, (_conn, room) => void left.push(`${name} ${room}`));
    namespace.On(websocket.OnNamespaceDisconnect, () => void left.push("disconnected"));
  }
  server.On("echo", (_conn, data) => data);
  const { test } = serve(server);
  const socket = await test.WebSocket("/0");
  const heard = listen(socket);
  for (const name of ["false", "throws"]) {
    await assertRejects(() => socket.Connect(name));
    await late;
    await server.To("private", { Namespace: name }).Emit("plan", 1);
    await server.To("later", { Namespace: name }).Emit("plan", 1);
    assertEquals(await server.Presence("private", { Namespace: name }).List(), []);
  }
  await socket.ExpectReply("echo", 1, 1);
  assertEquals(heard.filter((message) => message.includes("plan")), []);
  assertEquals(left, ["false private", "throws private"]);
  await socket.Close();
  await pass();
  assertEquals([innerHub(hub).channels, innerHub(hub).presences.size], [0, 0]);
});

Deno.test("Conn.Join() leaves nothing behind if the client leaves or disconnects before it has completed", async () => {
  // The backplane lets the given number of calls through and then holds the next ones.
  for (let free = 0; free < 8; free++) {
    for (const way of ["leaves", "disconnects", "closes"]) {
      let calls = 0;
      let isOpen = true;
      const held = Promise.withResolvers<void>();
      const hub = live.New({ Backplane: new Distant(() => isOpen || calls++ < free ? pass(0) : held.promise) });
      const server = websocket.New({ Hub: hub, Presence: true });
      const counts = { joined: 0, left: 0 };
      server.On(websocket.OnRoomJoin, () => true);
      server.On(websocket.OnRoomJoined, () => void counts.joined++);
      server.On(websocket.OnRoomLeft, () => void counts.left++);
      let joining: Promise<void> | undefined;
      server.On("both", (conn) => {
        joining = conn.Join("tea");
        return conn.Leave("tea");
      });
      server.On("echo", (_conn, data) => data);
      server.On("close", (conn) => conn.Close());
      const { test } = serve(server);
      const socket = await test.WebSocket("/0");
      await socket.Ask("echo");
      await pass(5);
      isOpen = false;
      if (way === "leaves") await socket.Ask("both");
      else socket.Write('[7,9,"","tea"]');
      await pass(2);
      if (way === "disconnects") await socket.Close();
      if (way === "closes") await socket.Close(1001);
      await pass(2);
      isOpen = true;
      held.resolve();
      await joining;
      if (way === "leaves") await socket.Close();
      await pass(30);
      const name = `after ${free} calls, the client ${way}`;
      assertEquals(innerHub(hub).channels, 0, name);
      assertEquals(innerHub(hub).presences.size, 0, name);
      assertEquals(await hub.Presence("tea").List(), [], name);
      assertEquals(counts.joined, counts.left, name);
      await hub.Close();
    }
  }
});

Deno.test("Conn.Join() is undone if the presence or OnRoomJoined fails", async () => {
  const { app, lines } = logged();
  await using hub = live.New();
  let isFailing = true;
  const server = websocket.New({
    Hub: hub,
    Presence: () => {
      if (isFailing) throw new Error("secret presence");
      return 1;
    },
  });
  server.On(websocket.OnRoomJoin, () => true);
  server.On(websocket.OnRoomJoined, (_conn, room) => {
    if (room === "broken") throw new Error("secret join");
  });
  server.On("echo", (_conn, data) => data);
  app.Get("/ws", websocket.Handler(server));
  const socket = await httptest.New(app).WebSocket("/ws");
  const heard = listen(socket);
  await assertRejects(() => socket.Join("tea"), Error, "Internal Server Error");
  isFailing = false;
  await assertRejects(() => socket.Join("broken"), Error, "Internal Server Error");
  for (const room of ["tea", "broken"]) {
    await server.To(room).Emit("plan", 1);
    assertEquals(await hub.Presence(room).List(), []);
  }
  await socket.ExpectReply("echo", 1, 1);
  assertEquals(heard.filter((message) => /plan|secret/.test(message)), []);
  assertEquals(lines.filter((line) => line.includes("secret")).length, 2);
  await socket.Join("tea");
  await socket.Close();
});

Deno.test("MaxRooms limits the rooms of a connection, including those that handlers join", async () => {
  const server = websocket.New({ Hub: live.New(), MaxRooms: 3 });
  server.On(websocket.OnRoomJoin, () => true);
  server.On("join", (conn, room) => conn.Join(room));
  const { test } = serve(server);
  const socket = await test.WebSocket("/0");
  await socket.Join("1");
  await socket.Ask("join", "2");
  await socket.Join("3");
  await assertRejects(() => socket.Join("4"), Error, "too many rooms");
  await assertRejects(() => socket.Ask("join", "4"), Error, "too many rooms");
  await socket.Leave("1");
  await socket.Ask("join", "4");
  await socket.Close();
});

Deno.test("Server ignores invalid positions of clients, or reports them as a gap", async () => {
  const hub = live.New();
  const topic = hub.Topic("news", { History: 10 });
  const { Epoch } = await topic.Publish("n", 1);
  const server = websocket.New({ Hub: hub });
  server.On(websocket.OnRoomJoin, () => true);
  server.On("echo", (_conn, data) => data);
  server.On("auto", (conn) => conn.Join("news"));
  const { test } = serve(server);
  const ignored = ["-1", "1.5", '"1"', "null", "1e400", "[]", '{"toString":1}', String(2 ** 53)];
  for (const offset of ignored) {
    const socket = await test.WebSocket("/0");
    const heard = listen(socket);
    socket.Write(`[7,99,"","news","${Epoch}",${offset}]`);
    await socket.ExpectReply("echo", 1, 1);
    assertEquals(heard.filter((message) => message.startsWith("[2") || message.startsWith("[10")), [], offset);
    await socket.Close();
    const other = await test.WebSocket("/0");
    const later = listen(other);
    other.Write(`[5,99,"",{"news":["${Epoch}",${offset}],"__proto__":["x",1],"constructor":["y",2]}]`);
    await other.Ask("auto");
    assertEquals(later.filter((message) => message.startsWith("[2") || message.startsWith("[10")), [], offset);
    await other.Close();
  }
  for (const [epoch, offset] of [[Epoch, 2], [Epoch, Number.MAX_SAFE_INTEGER], ["other", 0], ["other", 7]] as const) {
    const socket = await test.WebSocket("/0");
    await socket.Join("news", { From: [epoch, offset] });
    assertEquals((await socket.ExpectEvent("gap") as { Reason: string }).Reason, "epoch");
    await socket.ExpectEvent("n", 1);
    await socket.Close();
  }
});

Deno.test("Live resumes a history that is larger than MaxBuffered", async () => {
  const hub = live.New();
  const topic = hub.Topic("news", { History: 3_000 });
  const server = websocket.New({ Hub: hub, MaxBuffered: 64 << 10 });
  server.On(websocket.OnRoomJoin, () => true);
  server.On("cut", (conn) => conn.Close(4000));
  const { app } = serve(server);
  const padding = "x".repeat(500);
  await overSocket(app, async (_ask, port) => {
    const client = new Live(`http://127.0.0.1:${port}/0`);
    const seen: number[] = [];
    const codes: number[] = [];
    const done = Promise.withResolvers<void>();
    client.On("n", ([n]) => seen.push(n) === 2_001 && done.resolve());
    client.OnGap(() => seen.push(-1));
    await client.Join("news");
    await topic.Publish("n", [0, padding]);
    const lost = Promise.withResolvers<void>();
    client.OnState((state, code) => {
      if (state !== "waiting") return;
      codes.push(Number(code));
      lost.resolve();
    });
    client.Emit("cut");
    await lost.promise;
    for (let n = 1; n <= 2_000; n++) await topic.Publish("n", [n, padding]);
    await done.promise;
    assertEquals(seen, Array.from({ length: 2_001 }, (_, n) => n));
    assertEquals(codes, [4000]);
    client.Close();
  });
});

Deno.test("Server retains nothing of closed connections", async () => {
  await using hub = live.New();
  const server = websocket.New({ Hub: hub, Presence: true, Rooms: { History: 5 } });
  server.On(websocket.OnRoomJoin, () => true);
  server.On("peek", async (_conn, room) => (await server.Presence(room).List()).length);
  const { test } = serve(server);
  for (let n = 0; n < 300; n++) {
    const socket = await test.WebSocket("/0", { RemoteAddr: `10.0.${n >> 8}.${n & 255}` });
    await socket.Join(`room ${n}`);
    assertEquals(await socket.Ask("peek", `room ${n}`), 1);
    assertEquals(await socket.Ask("peek", `empty ${n}`), 0);
    if (n % 2 === 0) await socket.Leave(`room ${n}`);
    await socket.Close();
  }
  await pass();
  assertEquals([server.Connections(), innerHub(hub).channels, innerHub(hub).presences.size], [0, 0, 0]);
});

Deno.test("OnNamespaceConnect may join rooms, but the client receives their messages only after it has been accepted", async () => {
  const server = websocket.New({ Hub: live.New(), Rooms: { History: 10 } });
  for (const name of ["open", "closed"]) {
    server.Namespace(name).On(websocket.OnNamespaceConnect, async (conn) => {
      await conn.Join("plans");
      for (const n of [1, 2]) await server.To("plans", { Namespace: name }).Emit("plan", n);
      // The messages would be sent in the meantime.
      await new Promise((resolve) => setTimeout(resolve, 20));
      return name === "open";
    });
  }
  const app = quiet();
  app.Get("/ws", websocket.Handler(server));
  const socket = await httptest.New(app).WebSocket("/ws");
  const received: string[] = [];
  const receive = socket.received.bind(socket);
  socket.received = (message) => {
    received.push(String(message));
    receive(message);
  };
  await assertRejects(() => socket.Connect("closed"), Error, "not allowed");
  await server.To("plans", { Namespace: "closed" }).Emit("plan", 3);
  assertEquals(received.filter((message) => message.includes("plan")), []);
  await socket.Connect("open");
  for (const n of [1, 2]) await socket.ExpectEvent("plan", n);
  await server.To("plans", { Namespace: "open" }).Emit("plan", 3);
  await socket.ExpectEvent("plan", 3);
  const text = received.join();
  assert(text.indexOf('"ID":') < text.indexOf('"plan",1'), text);
  await socket.Close();
});
