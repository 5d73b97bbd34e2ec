/** Joining rooms with parameters, replies and a rewind, and the presence of rooms, with the clients of fw. */

import { assertEquals, assertRejects } from "@std/assert";
import { z } from "npm:zod@^4";
import type * as fw from "../../../mod.ts";
import * as mvc from "../../../mvc/mod.ts";
import * as client from "../../../src/api/client/mod.ts";
import * as live from "../../../src/live/hub/mod.ts";
import { Live } from "../../../src/live/websocket/client/live.ts";
import * as websocket from "../../../src/live/websocket/mod.ts";
import { Op, readPackets } from "../../../src/live/websocket/wire/packet.ts";
import * as httptest from "../../../src/tools/httptest/mod.ts";
import { overSocket, quiet } from "../../serving.ts";
import { sendPacket } from "./send_packet.ts";

function chat(options: websocket.Options = {}): { app: fw.Application; server: websocket.Server } {
  const app = quiet();
  const server = websocket.New({ Hub: live.New(), Rooms: { History: 200 }, ...options });
  server.On(websocket.OnRoomJoin, (_conn, room, params) => room !== "secret" && (params ?? { bare: true }));
  server.On("say", (conn, text) => conn.To("tea").Emit("said", text));
  server.On("cut", (conn) => void conn.Close(4000));
  server.On("update", (conn, info) => server.Presence("tea").Add(conn.ID, info));
  app.Get("/ws", websocket.Handler(server));
  return { app, server };
}

/** Waits until a condition is true after a change. */
async function until(isTrue: () => boolean): Promise<void> {
  while (!isTrue()) await new Promise((resolve) => setTimeout(resolve, 5));
}

Deno.test("Live.Join() sends parameters, also after a reconnection, and returns the reply of OnRoomJoin", async () => {
  const { app } = chat();
  await overSocket(app, async (_ask, port) => {
    const connection = new Live(`http://127.0.0.1:${port}/ws`);
    assertEquals(await connection.Join("tea", { Params: { nick: "Ada", big: 2n ** 60n } }), {
      nick: "Ada",
      big: 2n ** 60n,
    });
    assertEquals(await connection.Join("bare"), { bare: true });
    await assertRejects(() => connection.Join("secret", { Params: 1 }), Error, "not allowed");
    connection.Close();
  });
  const joins: unknown[] = [];
  const server = websocket.New({ Hub: live.New() });
  server.On(websocket.OnRoomJoin, (_conn, room, params) => void joins.push([room, params]));
  server.On("cut", (conn) => void conn.Close(4000));
  const again = quiet();
  again.Get("/ws", websocket.Handler(server));
  await overSocket(again, async (_ask, port) => {
    const connection = new Live(`http://127.0.0.1:${port}/ws`);
    assertEquals(await connection.Join("tea", { Params: { nick: "Ada" } }), undefined);
    assertEquals(await connection.Join("raw", { Params: new Uint8Array([1, 2]) }), undefined);
    connection.Emit("cut");
    await until(() => joins.length === 4);
    connection.Close();
  });
  const once = [["tea", { nick: "Ada" }], ["raw", new Uint8Array([1, 2])]];
  assertEquals(joins, [...once, ...once]);
});

Deno.test("OnRoomJoin receives undefined from clients that send no parameters, and replies with the position", async () => {
  const { app } = chat();
  const socket = await httptest.New(app).WebSocket("/ws");
  for (const fields of ['"","tea"', '"","tea","",0', '"","tea","",0,null', '"","tea","",0,null,null']) {
    const { reply } = await sendPacket(socket, Op.Join, fields);
    assertEquals((reply as { Reply: unknown }).Reply, { bare: true });
  }
  const { reply } = await sendPacket(socket, Op.Join, '"","milk","",0,[1]');
  assertEquals(Object.keys(reply as object), ["Epoch", "Offset", "Reply"]);
  await socket.Close();
});

Deno.test("Join refuses malformed rewinds, and bounds others by MaxRewind and the history", async () => {
  const { app, server } = chat({ MaxRewind: 5 });
  for (let at = 1; at <= 20; at++) await server.To("tea").Emit("said", at);
  const socket = await httptest.New(app).WebSocket("/ws");
  for (const rewind of ["-1", "1.5", '"10"', "[]", "{}", "1e300", "true", "99999999999999999999"]) {
    const { error } = await sendPacket(socket, Op.Join, `"","tea","",0,null,${rewind}`);
    assertEquals([rewind, error?.Status], [rewind, 400]);
  }
  await socket.Join("tea", { Rewind: 1e6 });
  for (let at = 16; at <= 20; at++) await socket.ExpectEvent("said", at);
  await server.To("tea").Emit("said", 21);
  await socket.ExpectEvent("said", 21);
  await socket.Close();
});

Deno.test("Live.Join() with Rewind resumes after a reconnection instead of rewinding again", async () => {
  const { app, server } = chat();
  for (let at = 1; at <= 20; at++) await server.To("tea").Emit("said", at);
  await overSocket(app, async (_ask, port) => {
    const connection = new Live(`http://127.0.0.1:${port}/ws`);
    const seen: number[] = [];
    connection.On("said", (at) => seen.push(at));
    const gaps: unknown[] = [];
    connection.OnGap((gap) => gaps.push(gap));
    await connection.Join("tea", { Rewind: 2 });
    assertEquals(seen, [19, 20]);
    const lost = Promise.withResolvers<void>();
    connection.OnState((state) => state === "waiting" && lost.resolve());
    connection.Emit("cut");
    await lost.promise;
    await server.To("tea").Emit("said", 21);
    await connection.Ask("say", 22);
    await until(() => seen.length === 4);
    assertEquals([seen, gaps], [[19, 20, 21, 22], []]);
    connection.Close();
  });
});

Deno.test("Conn.Join() with Rewind sends the last messages, and only new ones after Leave and Join", async () => {
  const { app, server } = chat();
  server.On("enter", (conn, Rewind) => conn.Join("tea", { Rewind }));
  server.On("exit", (conn) => conn.Leave("tea"));
  await server.To("tea").Emit("said", 1);
  await server.To("tea").Emit("said", 2);
  const socket = await httptest.New(app).WebSocket("/ws");
  await socket.Ask("enter", 1);
  await socket.ExpectEvent("said", 2);
  await socket.Ask("exit");
  await socket.Ask("enter", 0);
  await socket.Ask("say", 3);
  await socket.ExpectEvent("said", 3);
  await socket.Close();
});

Deno.test("Live.Presence() lists the members, and reports changes also after a reconnection", async () => {
  const { app } = chat({ Presence: (conn) => ({ Name: conn.Context().URLParam("name") }) });
  await overSocket(app, async (_ask, port) => {
    const open = (name: string) => new Live(`http://127.0.0.1:${port}/ws?name=${name}`);
    const [ada, bob] = [open("ada"), open("bob")];
    await assertRejects(() => ada.Presence("tea").List(), Error, "requires joining it");
    await assertRejects(() => ada.Presence("tea").Watch(() => {}), Error, "requires joining it");
    await ada.Join("tea");
    const names = (members: readonly live.Member[]) =>
      members.map(({ Info }) => (Info as { Name: string }).Name).join();
    const changes: string[] = [];
    const stop = await ada.Presence("tea").Watch(({ Members, Joined, Left, Updated }) => {
      changes.push([Members, Joined, Left, Updated].map(names).join(" | "));
    });
    assertEquals(changes, ["ada | ada |  | "]);
    await bob.Join("tea");
    await until(() => changes.length === 2);
    await bob.Ask("update", { Name: "Bob!" });
    await until(() => changes.length === 3);
    assertEquals(names(await ada.Presence("tea").List()).split(",").sort(), ["Bob!", "ada"]);
    const late: string[] = [];
    const stopLate = await ada.Presence("tea").Watch(({ Joined }) => late.push(names(Joined)));
    assertEquals(late[0]?.split(",").sort(), ["Bob!", "ada"]);
    stopLate();
    await bob.Leave("tea");
    await until(() => changes.length === 4);
    assertEquals(changes.slice(1), ["ada,bob | bob |  | ", "ada,Bob! |  |  | Bob!", "ada |  | Bob! | "]);
    // Its connection has another ID afterwards.
    ada.Emit("cut");
    await until(() => changes.length === 5);
    assertEquals(changes[4], "ada | ada | ada | ");
    await bob.Join("tea");
    await until(() => changes.length === 6);
    stop();
    await bob.Leave("tea");
    await ada.Ask("say", "end");
    assertEquals(changes.length, 6);
    ada.Close();
    bob.Close();
  });
});

Deno.test("Live.Presence() rejects if the server does not track presence", async () => {
  const { app } = chat();
  const socket = await httptest.New(app).WebSocket("/ws");
  await socket.Join("tea");
  await assertRejects(() => socket.WatchPresence("tea"), Error, "does not track presence");
  await socket.Close();
});

const params = z.object({ nick: z.string().min(2) });

class RoomController {
  static Namespace = "rooms";
  Conn!: websocket.Conn<RoomController>;

  OnRoomJoin(room: string, input = mvc.Body(params)) {
    return room === "secret" ? false : { room, hello: input.nick };
  }
}

class BareController {
  OnRoomJoin(room: string, limit = 10) {
    if (room === "tuple") return mvc.Tuple("no", 409);
    return [room, limit];
  }
}

class GuardController {
  OnRoomJoin(room = mvc.Body(z.enum(["tea", "milk"]))) {
    return room;
  }
}

/** Serves a controller and joins a room with each of the options. */
async function joinAll(controller: new () => object, joins: readonly (readonly [string, unknown])[]) {
  const app = quiet();
  mvc.New(app.Party("/ws")).HandleWebsocket(controller);
  const socket = await httptest.New(app).WebSocket("/ws");
  const { Namespace = "" } = controller as { Namespace?: string };
  const outcomes: unknown[] = [];
  for (const [room, Params] of joins) {
    outcomes.push(await socket.Join(room, { Namespace, Params }).catch((error) => error.Status));
  }
  await socket.Close();
  return outcomes;
}

Deno.test("OnRoomJoin of a controller receives the room and checked parameters, and its return value is the reply", async () => {
  assertEquals(
    await joinAll(RoomController, [["tea", { nick: "Ada" }], ["tea", { nick: "A" }], ["tea", undefined], [
      "secret",
      { nick: "Ada" },
    ]]),
    [{ room: "tea", hello: "Ada" }, 422, 422, 403],
  );
  assertEquals(await joinAll(BareController, [["tea", 3], ["tea", undefined], ["tea", "x"], ["tuple", 1]]), [
    ["tea", 3],
    ["tea", 10],
    422,
    409,
  ]);
  assertEquals(await joinAll(GuardController, [["tea", undefined], ["beer", "tea"]]), ["tea", 422]);
});

Deno.test("client.Live() types the parameters and the reply of Join by the controller", async () => {
  const app = quiet();
  mvc.New(app.Party("/ws")).HandleWebsocket(RoomController);
  await overSocket(app, async (_ask, port) => {
    const rooms = client.Live<RoomController>(`http://127.0.0.1:${port}/ws`, { Namespace: "rooms" });
    const reply = await rooms.Join("tea", { Params: { nick: "Ada" } });
    const hello: string = reply.hello;
    assertEquals(hello, "Ada");
    // @ts-expect-error The controller requires parameters.
    await assertRejects(() => rooms.Join("tea"), Error);
    // @ts-expect-error A nickname is a string.
    await assertRejects(() => rooms.Join("tea", { Params: { nick: 1 } }), Error);
    await assertRejects(() => rooms.Presence("tea").List(), Error, "does not track presence");
    rooms.Close();
  });
});

Deno.test("OnNamespaceConnect may join rooms: clients receive their messages only after they have been accepted", async () => {
  const hub = live.New();
  const server = websocket.New({ Hub: hub, Rooms: { History: 10 } });
  const gates = { yes: Promise.withResolvers<void>(), no: Promise.withResolvers<void>() };
  const joined = Promise.withResolvers<void>();
  let count = 0;
  for (const [name, gate] of Object.entries(gates)) {
    server.Namespace(name).On(websocket.OnNamespaceConnect, async (conn) => {
      await conn.Join("plans", { Rewind: 1 });
      if (++count === 2) joined.resolve();
      await gate.promise;
      return name === "yes";
    });
    await server.To("plans", { Namespace: name }).Emit("plan", 1);
  }
  const app = quiet();
  app.Get("/ws", websocket.Handler(server));
  const test = httptest.New(app);
  const heard: unknown[][] = [];
  const sockets = [await test.WebSocket("/ws"), await test.WebSocket("/ws")];
  for (const socket of sockets) {
    const receive = socket.received.bind(socket);
    const packets: unknown[] = [];
    heard.push(packets);
    socket.received = (message) => {
      for (const [op, ...fields] of readPackets(String(message)) ?? []) packets.push(op === Op.Room ? fields[4] : op);
      receive(message);
    };
  }
  const connecting = Object.keys(gates).map((name, at) => sockets[at]?.Connect(name).catch(() => {}));
  await joined.promise;
  for (const name of Object.keys(gates)) await server.To("plans", { Namespace: name }).Emit("plan", 2);
  for (const gate of Object.values(gates)) gate.resolve();
  await Promise.all(connecting);
  for (const name of Object.keys(gates)) await server.To("plans", { Namespace: name }).Emit("plan", 3);
  await sockets[0]?.ExpectEvent("plan", 1);
  await sockets[0]?.ExpectEvent("plan", 2);
  await sockets[0]?.ExpectEvent("plan", 3);
  // The first packet is the greeting, which may have arrived before.
  assertEquals(heard.map((packets) => packets.filter((each) => each !== Op.Hello)), [
    [Op.Reply, 1, Op.Moved, 2, 3],
    [Op.Failure],
  ]);
  for (const socket of sockets) await socket.Close();
});

Deno.test("RoomEmitter.Except(room) also excludes a client that joins the room again after a reconnection", async () => {
  const { app, server } = chat();
  await overSocket(app, async (_ask, port) => {
    const connection = new Live(`http://127.0.0.1:${port}/ws`);
    const seen: number[] = [];
    connection.On("said", (at) => seen.push(at));
    await connection.Join("tea");
    await connection.Join("muted");
    const lost = Promise.withResolvers<void>();
    connection.OnState((state) => state === "waiting" && lost.resolve());
    connection.Emit("cut");
    await lost.promise;
    await server.To("tea").Except("muted").Emit("said", 1);
    await server.To("tea", {}).Emit("said", 2);
    await until(() => seen.length > 0);
    await connection.Leave("muted");
    await server.To("tea").Except("muted").Emit("said", 3);
    await until(() => seen.length > 1);
    assertEquals(seen, [2, 3]);
    connection.Close();
  });
});
