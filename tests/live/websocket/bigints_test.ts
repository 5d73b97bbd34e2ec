/** Tests that integers of any size are sent and received without loss, whichever way they take. */

import { assertEquals, assertRejects } from "@std/assert";
import { z } from "npm:zod@^4";
import * as client from "../../../src/api/client/mod.ts";
import * as httptest from "../../../src/tools/httptest/mod.ts";
import * as live from "../../../src/live/hub/mod.ts";
import * as mvc from "../../../mvc/mod.ts";
import * as websocket from "../../../src/live/websocket/mod.ts";
import * as socketio from "../../../src/live/websocket/socketio.ts";
import * as fw from "../../../mod.ts";
import { testEach } from "../hub/backplanes.ts";
import { overSocket, quiet } from "../../serving.ts";
import { Op } from "../../../src/live/websocket/wire/packet.ts";
import { sendPacket } from "./send_packet.ts";

/** Integers at the limits, those that a number rounds, and those that it represents but writes with other digits. */
const integers = [
  2n ** 53n + 1n,
  -(2n ** 53n) - 1n,
  2n ** 60n,
  2n ** 63n - 1n,
  2n ** 64n,
  10n ** 18n + 1n,
  2n ** 100n,
  10n ** 40n,
];
const data = { list: integers, nested: { id: 2n ** 60n + 1n }, text: "9007199254740993", small: 5, fraction: 0.5 };

testEach("Server sends bigints without loss in every kind of event", async ({ one, other }) => {
  const hubs = [live.New({ Backplane: one }), live.New({ Backplane: other })];
  const sites = hubs.map((hub) => {
    const app = quiet();
    const server = websocket.New({ Hub: hub, Presence: () => data, Rooms: { History: 100 } });
    server.On(websocket.OnRoomJoin, () => true);
    server.On("relay", async (conn, value) => {
      await conn.To("tea").Emit("relayed", value);
      return value;
    });
    server.On("ask", (conn) => conn.Ask("question", data));
    app.Get("/ws", (ctx) => {
      ctx.SetUser({ ID: "ada", Name: "", Roles: [], Method: "test" });
      return ctx.Next();
    }, websocket.Handler(server));
    return { server, app };
  });
  const [here, there] = sites;
  if (here === undefined || there === undefined) throw new Error("Expected two sites");
  const socket = await httptest.New(there.app).WebSocket("/ws");
  await socket.Join("tea");
  assertEquals(await socket.Ask("relay", data), data);
  assertEquals(await socket.ExpectEvent("relayed"), data);
  await here.server.Broadcast(null, "all", data);
  assertEquals(await socket.ExpectEvent("all"), data);
  await here.server.ToUser("ada").Emit("mine", data);
  assertEquals(await socket.ExpectEvent("mine"), data);
  await here.server.To("tea").Emit("room", data);
  assertEquals(await socket.ExpectEvent("room"), data);
  const [member] = await here.server.Presence("tea").List();
  assertEquals(member?.Info, data);
  socket.Handle("question", (value) => value);
  assertEquals(await socket.Ask("ask"), data);
  for (let round = 0; round < 2; round++) {
    const { text } = await sendPacket(socket, Op.Once, '"","relay",{"id":1152921504606846976},"key"');
    assertEquals(text.includes('{"id":1152921504606846976}'), true);
  }
  await socket.Close();
  for (const hub of hubs) await hub.Close();
});

testEach(
  "Topic sends stored bigints without loss to resumed rooms and in server-sent events",
  async ({ one, other }) => {
    const [publisher, reader] = [live.New({ Backplane: one }), live.New({ Backplane: other })];
    const server = websocket.New({ Hub: reader });
    server.On(websocket.OnRoomJoin, () => true);
    const topic = reader.Topic("prices");
    const app = quiet();
    app.Get("/ws", websocket.Handler(server));
    app.Get("/events", (ctx) => ctx.Events(topic.Events()));
    const first = await publisher.Topic("prices").Publish("price", 1);
    await publisher.Topic("prices").Publish("price", data);
    const socket = await httptest.New(app).WebSocket("/ws");
    await socket.Join("prices", { From: [first.Epoch, first.Offset] });
    assertEquals(await socket.ExpectEvent("price"), data);
    await socket.Close();
    const headers = { "last-event-id": `${first.Epoch}.${first.Offset}` };
    const response = await app.fetch(new Request("http://localhost/events", { headers }));
    const events = response.body?.pipeThrough(new TextDecoderStream()).getReader();
    let text = "";
    while (!text.includes("data:")) text += (await events?.read())?.value;
    assertEquals(integers.filter((each) => !text.includes(String(each))), []);
    await events?.cancel();
  },
);

const order = z.object({
  id: z.bigint(),
  price: z.number(),
  note: z.any().optional(),
  lines: z.array(z.object({ id: z.bigint() })).optional(),
});
const plain = z.object({ n: z.number() });

class OrderController {
  Emits!: { placed: { id: bigint } };
  Conn!: websocket.Conn<OrderController["Emits"]>;

  OnOrder(input = mvc.Body(order)) {
    return described(input);
  }

  OnPlain(input = mvc.Body(plain)) {
    return described(input);
  }

  OnBig(value = 0n) {
    return described(value);
  }

  OnNumber(value = 0) {
    return described(value);
  }

  OnEcho(value: unknown) {
    return value;
  }

  async OnPlace(id = 0n) {
    await this.Conn.Emit("placed", { id });
  }
}

/** Describes a value with its types. */
function described(value: unknown): string {
  return JSON.stringify(value, (_name, each) => typeof each === "bigint" ? `${each}n` : each);
}

Deno.test("mvc.Body() accepts the same integers in an event as in a request", async () => {
  const app = quiet();
  mvc.New(app.Party("/ws")).HandleWebsocket(OrderController);
  mvc.New(app.Party("/http")).Handle(
    class {
      PostOrder(input = mvc.Body(order)) {
        return described(input);
      }
      PostPlain(input = mvc.Body(plain)) {
        return described(input);
      }
    },
  );
  const test = httptest.New(app);
  const socket = await test.WebSocket("/ws");
  const bodies = [
    ["order", '{"id":5,"price":1.5}'],
    ["order", '{"id":9007199254740993,"price":2}'],
    ["order", '{"id":9007199254740992,"price":2}'],
    ["order", '{"id":1152921504606846976,"price":1152921504606846976}'],
    ["order", '{"id":1e20,"price":3,"lines":[{"id":1},{"id":18446744073709551615}]}'],
    ["order", '{"id":"5","price":1}'],
    ["order", '{"id":5.5,"price":1}'],
    ["order", '{"id":9007199254740993,"price":9007199254740993}'],
    ["plain", '{"n":9007199254740993}'],
    ["plain", '{"n":1152921504606846976}'],
    ["plain", '{"n":1}'],
  ];
  for (const [event = "", body = ""] of bodies) {
    const response = await app.fetch(
      new Request(`http://localhost/http/${event}`, {
        method: "POST",
        body,
        headers: { "content-type": "application/json" },
      }),
    );
    const overHTTP = response.status === 200 ? await response.text() : response.status;
    await response.body?.cancel().catch(() => {});
    const { reply, error } = await sendPacket(socket, Op.Event, `"","${event}",${body}`);
    assertEquals(reply ?? error?.Status, overHTTP, body);
  }
  await socket.Close();
});

Deno.test("Live sends and receives bigints, and parameters receive their type", async () => {
  const app = quiet();
  mvc.New(app.Party("/ws")).HandleWebsocket(OrderController);
  await overSocket(app, async (_ask, port) => {
    const connection = client.Live<OrderController>(`ws://127.0.0.1:${port}/ws`);
    const echo = connection as client.LiveClient<unknown> as client.LiveClient<{ OnEcho(value: unknown): unknown }>;
    for (const value of [data, ...integers, { deep: [[2n ** 60n]] }]) {
      assertEquals(await (echo.Ask as (event: string, value: unknown) => Promise<unknown>)("echo", value), value);
    }
    assertEquals(await connection.Ask("big", 5n), '"5n"');
    assertEquals(await connection.Ask("big", 2n ** 53n), '"9007199254740992n"');
    assertEquals(await connection.Ask("big", 2n ** 60n), '"1152921504606846976n"');
    assertEquals(await connection.Ask("number", 2 ** 60), "1152921504606847000");
    assertEquals(
      await connection.Send("order", { id: 2n ** 60n, price: 1 }),
      '{"id":"1152921504606846976n","price":1}',
    );
    const placed = new Promise((resolve) => connection.Once("placed", resolve));
    await connection.Ask("place", 2n ** 60n + 1n);
    assertEquals(await placed, { id: 2n ** 60n + 1n });
    await assertRejects(() => (connection.Ask as (event: string, value: unknown) => Promise<unknown>)("big", "5"));
    connection.Close();
  });
});

Deno.test("Handler() of socketio reads and writes bigints as JSON numbers", async () => {
  const app = quiet();
  app.Configure(fw.WithoutPathCorrectionRedirection);
  const server = websocket.New({ Hub: live.New() });
  server.On("echo", (conn, value) => {
    conn.Emit("echoed", value);
    return value;
  });
  server.On("join", (conn) => conn.Join("tea"));
  app.Get("/io", socketio.Handler(server));
  const socket = await httptest.New(app).WebSocket("/io?EIO=4&transport=websocket", { Protocols: [] });
  socket.Write("40");
  await socket.ExpectMessage();
  await socket.ExpectMessage();
  socket.Write('420["echo",{"id":1152921504606846976}]');
  await socket.ExpectMessage('42["echoed",{"id":1152921504606846976}]');
  await socket.ExpectMessage('430[{"id":1152921504606846976}]');
  socket.Write('421["join"]');
  await socket.ExpectMessage("431[]");
  server.To("tea").Emit("room", [2n ** 64n]);
  await socket.ExpectMessage('42["room",[18446744073709551616]]');
  server.Broadcast(null, "all", [2n ** 64n]);
  await socket.ExpectMessage('42["all",[18446744073709551616]]');
  await socket.Close();
});
