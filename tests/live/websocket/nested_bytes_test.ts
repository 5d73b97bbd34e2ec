/** Tests that rooms and broadcasts carry several arguments and nested bytes to Socket.IO clients. */

import { assertEquals } from "@std/assert";
import * as live from "../../../src/live/hub/mod.ts";
import * as websocket from "../../../src/live/websocket/mod.ts";
import * as socketio from "../../../src/live/websocket/socketio.ts";
import * as httptest from "../../../src/tools/httptest/mod.ts";
import { quiet } from "../../serving.ts";
import { testEach } from "../hub/backplanes.ts";

const bytes = new Uint8Array([1, 2, 3]);
const { Args } = socketio;

/** The data of an event, the packet for Socket.IO with its attachments, and the data for other clients. */
const cases: readonly {
  readonly data: unknown;
  readonly packet: string;
  readonly attachments: readonly Uint8Array[];
  readonly plain: unknown;
}[] = [
  {
    data: Args.from([1, "two", { three: 3 }]),
    packet: '["said",1,"two",{"three":3}]',
    attachments: [],
    plain: [1, "two", { three: 3 }],
  },
  {
    data: { nested: bytes },
    packet: '["said",{"nested":{"_placeholder":true,"num":0}}]',
    attachments: [bytes],
    plain: { nested: "AQID" },
  },
  {
    data: Args.from([bytes, [{ deep: bytes.buffer }], 2n ** 60n]),
    packet: '["said",{"_placeholder":true,"num":0},[{"deep":{"_placeholder":true,"num":1}}],1152921504606846976]',
    attachments: [bytes, bytes],
    plain: ["AQID", [{ deep: "AQID" }], 2n ** 60n],
  },
  {
    data: new Map([["bytes", new Uint8Array()]]),
    packet: '["said",{"bytes":{"_placeholder":true,"num":0}}]',
    attachments: [new Uint8Array()],
    plain: { bytes: "" },
  },
  { data: bytes, packet: '["said",{"_placeholder":true,"num":0}]', attachments: [bytes], plain: bytes },
  {
    data: [[1, 2], { "0": 1 }, {}],
    packet: '["said",[[1,2],{"0":1},{}]]',
    attachments: [],
    plain: [[1, 2], { 0: 1 }, {}],
  },
  {
    data: { _placeholder: true, num: 0 },
    packet: '["said",{"_placeholder":true,"num":0}]',
    attachments: [],
    plain: { _placeholder: true, num: 0 },
  },
];

testEach("Server sends several arguments and nested bytes to rooms, users and all clients", async ({ one, other }) => {
  const hubs = [live.New({ Backplane: one }), live.New({ Backplane: other })];
  const [here, there] = hubs.map((Hub) => websocket.New({ Hub }));
  if (here === undefined || there === undefined) throw new Error("Expected two servers");
  there.On(websocket.OnRoomJoin, () => true);
  there.On(websocket.OnNamespaceConnected, (conn) => conn.Join("tea"));
  there.On("rooms", (conn) => conn.Rooms());
  const app = quiet();
  app.Use((ctx) => {
    ctx.SetUser({ ID: "ada", Name: "", Roles: [], Method: "test" });
    return ctx.Next();
  });
  app.Get("/io", socketio.Handler(there));
  app.Get("/ws", websocket.Handler(there));
  const test = httptest.New(app);
  const socket = await test.WebSocket("/io?EIO=4&transport=websocket", { Protocols: [] });
  socket.Write("40");
  await socket.ExpectMessage();
  await socket.ExpectMessage();
  // Handlers run one at a time, so the client is in the room when it receives the reply.
  socket.Write('420["rooms"]');
  await socket.ExpectMessage('430[["tea"]]');
  const plain = await test.WebSocket("/ws");
  await plain.ExpectReply("rooms", null, ["tea"]);
  for (const { data, packet, attachments, plain: expected } of cases) {
    const ways = [
      () => here.To("tea").Emit("said", data),
      () => here.Broadcast(null, "said", data),
      () => here.ToUser("ada").Emit("said", data),
    ];
    for (const send of ways) {
      await send();
      const kind = attachments.length === 0 ? "42" : `45${attachments.length}-`;
      await socket.ExpectMessage(kind + packet);
      for (const each of attachments) assertEquals(await socket.ExpectMessage(), each);
      assertEquals(await plain.ExpectEvent("said"), expected);
    }
  }
  await socket.Close();
  await plain.Close();
  for (const hub of hubs) await hub.Close();
});
