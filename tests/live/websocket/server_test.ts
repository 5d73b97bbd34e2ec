import { assert, assertEquals, assertRejects } from "@std/assert";
import * as fw from "../../../mod.ts";
import * as httptest from "../../../src/tools/httptest/mod.ts";
import * as websocket from "../../../src/live/websocket/mod.ts";
import * as live from "../../../src/live/hub/mod.ts";
import { inTime } from "../../in_time.ts";
import { logged } from "../../serving.ts";

function serve(server: websocket.Server): { app: fw.Application; lines: string[] } {
  const { app, lines } = logged();
  app.Get("/ws", websocket.Handler(server));
  return { app, lines };
}

Deno.test("Server.On() replies with the return value or the error of the handler", async () => {
  const server = websocket.New();
  server.On("echo", (_conn, data) => data);
  server.On("late", (_conn, data) => Promise.resolve(data));
  server.On("refuse", () => {
    throw new fw.HTTPError(403, "Not you");
  });
  server.On("break", () => {
    throw new Error("secret detail");
  });
  const { app, lines } = serve(server);
  const socket = await httptest.New(app).WebSocket("/ws");
  await socket.ExpectReply("echo", { a: 1 }, { a: 1 });
  await socket.ExpectReply("late", [1, 2], [1, 2]);
  await assertRejects(() => socket.Ask("refuse"), Error, "Not you");
  await assertRejects(() => socket.Ask("break"), Error, "Internal Server Error");
  await assertRejects(() => socket.Ask("nothing"), Error, 'No handler for the event "nothing"');
  await assertRejects(() => socket.Ask("_OnRoomJoin", "x"), Error, "No handler");
  assert(lines.some((line) => line.includes("secret detail")));
  await socket.Close();
});

Deno.test("Conn.To() sends an event to every connection in a room, and joining requires OnRoomJoin", async () => {
  const server = websocket.New({ Hub: live.New() });
  const { app } = serve(server);
  server.On("say", (conn, text) => conn.To("tea").Emit("said", text));
  const test = httptest.New(app);
  const [ada, bob, eve] = [await test.WebSocket("/ws"), await test.WebSocket("/ws"), await test.WebSocket("/ws")];
  await assertRejects(() => ada.Join("tea"), Error, "OnRoomJoin");
  server.On(websocket.OnRoomJoin, (_conn, room) => room === "tea");
  await ada.Join("tea");
  await bob.Join("tea");
  await assertRejects(() => eve.Join("beer"), Error, "not allowed");
  await eve.Ask("say", "hi");
  await ada.ExpectEvent("said", "hi");
  await bob.ExpectEvent("said", "hi");
  await bob.Leave("tea");
  await eve.Ask("say", "again");
  await ada.ExpectEvent("said", "again");
  await bob.Ask("say", "bye");
  await ada.ExpectEvent("said", "bye");
  for (const each of [ada, bob, eve]) await each.Close();
});

Deno.test("Server.OnDisconnect() runs once per connection, after it has left its rooms", async () => {
  const seen: string[] = [];
  const server = websocket.New({ Hub: live.New() });
  server.On(websocket.OnRoomJoin, () => true);
  server.On(websocket.OnRoomLeft, (_conn, room) => void seen.push(`left ${room}`));
  server.On(websocket.OnNamespaceDisconnect, () => void seen.push("namespace"));
  const done = Promise.withResolvers<void>();
  server.OnDisconnect((_conn, { Code }) => {
    seen.push(`closed ${Code}`);
    done.resolve();
  });
  const socket = await httptest.New(serve(server).app).WebSocket("/ws");
  await socket.Join("tea");
  await socket.Close(1000);
  await done.promise;
  assertEquals(seen, ["left tea", "namespace", "closed 1000"]);
  assertEquals(server.Connections(), 0);
});

Deno.test("Conn.Ask() returns the client's reply, and fails after a timeout", async () => {
  const server = websocket.New({ AskTimeout: 50 });
  server.On("start", async (conn) => `got ${await conn.Ask("name")}`);
  const asked = Promise.withResolvers<unknown>();
  server.On("silent", (conn) => void asked.resolve(conn.Ask("nothing").catch((error) => error.message)));
  const socket = await httptest.New(serve(server).app).WebSocket("/ws");
  socket.Handle("name", () => "Ada");
  await inTime(50, () => socket.ExpectReply("start", null, "got Ada"));
  await socket.Ask("silent");
  assertEquals(await asked.promise, 'Cannot get a reply to "nothing": no reply within 50 ms');
  await socket.Close();
});

Deno.test("Server runs a connection's handlers one at a time, and closes the connection if its queue is full", async () => {
  const server = websocket.New({ MaxQueued: 3 });
  let running = 0;
  let most = 0;
  const gate = Promise.withResolvers<void>();
  const started = Promise.withResolvers<void>();
  server.On("work", async () => {
    most = Math.max(most, ++running);
    started.resolve();
    await gate.promise;
    running--;
  });
  const socket = await httptest.New(serve(server).app).WebSocket("/ws");
  socket.Emit("work");
  await started.promise;
  for (let i = 0; i < 4; i++) socket.Emit("work");
  await socket.ExpectClose(1008);
  gate.resolve();
  assertEquals(most, 1);
});

Deno.test("Namespace accepts clients unless OnNamespaceConnect returns false, and separates its events", async () => {
  const server = websocket.New({ Hub: live.New() });
  const chat = server.Namespace("chat");
  chat.On(websocket.OnNamespaceConnect, (conn) => conn.Context().URLParam("who") !== "eve");
  chat.On(websocket.OnNamespaceConnected, (conn) => conn.Join("lobby"));
  chat.On(websocket.OnAnyEvent, (_conn, data, event) => ({ event, data }));
  const { app } = serve(server);
  const test = httptest.New(app);
  const ada = await test.WebSocket("/ws?who=ada");
  assertEquals(await ada.Ask("anything", 5, { Namespace: "chat" }), { event: "anything", data: 5 });
  await server.To("lobby", { Namespace: "chat" }).Emit("news", 1);
  await ada.ExpectEvent("news", 1);
  const eve = await test.WebSocket("/ws?who=eve");
  await assertRejects(() => eve.Connect("chat"), Error, "not allowed");
  await assertRejects(() => eve.Ask("x", 1, { Namespace: "nowhere" }), Error, 'No namespace "nowhere"');
  await server.Broadcast(null, "all", 7, { Namespace: "chat" });
  await ada.ExpectEvent("all", 7);
  for (const each of [ada, eve]) await each.Close();
});

Deno.test("Handler() rejects requests that are not same-origin handshakes", async () => {
  const { app } = serve(websocket.New({ MaxPerAddress: 1 }));
  const test = httptest.New(app);
  await test.GET("/ws").Expect().Status(426).Header("upgrade", "websocket").Contains("WebSocket connections");
  await test.GET("/ws").WithHeader("accept", "application/json").Expect().Status(426)
    .ContentType("application/problem+json").Contains('"detail":"This path serves WebSocket connections"');
  await assertRejects(() => test.WebSocket("/ws", { Headers: { "sec-websocket-version": "8" } }), Error, "status 426");
  await assertRejects(() => test.WebSocket("/ws", { Headers: { "sec-websocket-key": "abc" } }), Error, "status 400");
  await assertRejects(() => test.WebSocket("/ws", { Headers: { origin: "http://evil.example" } }), Error, "status 403");
  await assertRejects(() => test.WebSocket("/ws", { Headers: { origin: "null" } }), Error, "status 403");
  await assertRejects(() => test.WebSocket("/ws", { Protocols: [] }), Error, "status 400");
  const socket = await test.WebSocket("/ws", { Headers: { origin: "http://localhost" } });
  await assertRejects(() => test.WebSocket("/ws"), Error, "status 429");
  await socket.Close();
  await (await test.WebSocket("/ws")).Close();
});

Deno.test("Server closes only the connection that sends a malformed or oversized message", async () => {
  const { app } = serve(websocket.New({ MaxMessage: 100 }));
  const test = httptest.New(app);
  for (
    const [message, code] of [["{", 1007], ["5", 1007], ["[]", 1007], ["[99]", 1007], ["ä".repeat(60), 1009]] as const
  ) {
    const socket = await test.WebSocket("/ws");
    socket.Write(message);
    await socket.ExpectClose(code);
  }
});

Deno.test("Server also applies Rate to pings, and to replies that it does not expect", async () => {
  for (const packet of ["[0]", "[3,5,null]", "[4,5,null]"]) {
    const { app } = serve(websocket.New({ Hub: live.New(), Rate: { Limit: 5, Period: 60_000 } }));
    const socket = await httptest.New(app).WebSocket("/ws");
    socket.Write(`[${Array.from({ length: 100 }, () => packet).join()}]`);
    await socket.ExpectClose(1008);
  }
});

Deno.test("Server closes a connection that exceeds Rate", async () => {
  const server = websocket.New({ Rate: { Limit: 5, Period: 1000 } });
  server.On("x", () => {});
  const socket = await httptest.New(serve(server).app).WebSocket("/ws");
  for (let i = 0; i < 10; i++) socket.Emit("x");
  await socket.ExpectClose(1008);
});

Deno.test("OnNativeMessage serves clients without a subprotocol", async () => {
  const server = websocket.New();
  server.On(websocket.OnNativeMessage, (conn, data) => conn.Write(data));
  const socket = await httptest.New(serve(server).app).WebSocket("/ws", { Protocols: [] });
  socket.Write("hello");
  await socket.ExpectMessage("hello");
  socket.Write(new Uint8Array([1, 2]));
  await socket.ExpectMessage(new Uint8Array([1, 2]));
  await socket.Close();
});

Deno.test("OnNativeMessage replies with returned strings and bytes, and events have the same form as room messages", async () => {
  const server = websocket.New({ Hub: live.New() });
  server.On(websocket.OnNamespaceConnected, (conn) => conn.Join("tea"));
  server.On(websocket.OnNativeMessage, async (conn, data) => {
    if (data !== "events") return data;
    conn.Emit("said", { a: 1 });
    await conn.To("tea").Emit("said", { a: 1 });
    await server.Broadcast(null, "said", { a: 1 });
    return { ignored: true };
  });
  const socket = await httptest.New(serve(server).app).WebSocket("/ws", { Protocols: [] });
  socket.Write("hello");
  await socket.ExpectMessage("hello");
  socket.Write(new Uint8Array([1, 2]));
  await socket.ExpectMessage(new Uint8Array([1, 2]));
  socket.Write("events");
  for (let i = 0; i < 3; i++) await socket.ExpectMessage('["said",{"a":1}]');
  socket.Write("end");
  await socket.ExpectMessage("end");
  await socket.Close();
});

Deno.test("Server.Disconnect() reaches a connection that has just been opened", async () => {
  const server = websocket.New({ Hub: live.New() });
  const app = fw.New();
  app.Get("/ws", (ctx) => {
    ctx.SetUser({ ID: "eve", Name: "Eve", Roles: [], Method: "test" });
    return ctx.Next();
  }, websocket.Handler(server));
  const socket = await httptest.New(app).WebSocket("/ws");
  await server.Disconnect("eve");
  await socket.ExpectClose(4403);
});

Deno.test("Server.Disconnect() closes the connections of a user", async () => {
  const server = websocket.New({ Hub: live.New() });
  const { app } = logged();
  app.Use((ctx) => {
    const ID = ctx.URLParam("id");
    ctx.SetUser({ ID, Name: ID, Roles: [], Method: "test" });
    return ctx.Next();
  });
  app.Get("/ws", websocket.Handler(server));
  const test = httptest.New(app);
  const [ada, bob] = [await test.WebSocket("/ws?id=ada"), await test.WebSocket("/ws?id=bob")];
  server.On("who", (conn) => conn.User()?.ID);
  await ada.ExpectReply("who", null, "ada");
  await server.Disconnect("ada");
  await ada.ExpectClose(4403);
  await bob.ExpectReply("who", null, "bob");
  await bob.Close();
});
