import { assertEquals } from "@std/assert";
import * as live from "../../../src/live/hub/mod.ts";
import * as websocket from "../../../src/live/websocket/mod.ts";
import { Op } from "../../../src/live/websocket/wire/packet.ts";
import * as httptest from "../../../src/tools/httptest/mod.ts";
import { quiet } from "../../serving.ts";
import { sendPacket } from "./send_packet.ts";

Deno.test("Rooms stores the messages of a room unless a topic of the same name sets another History", async () => {
  const hub = live.New();
  hub.Topic("secret", { History: 0 });
  const server = websocket.New({ Hub: hub, Rooms: { History: 10 } });
  server.On(websocket.OnRoomJoin, () => true);
  const app = quiet();
  app.Get("/ws", websocket.Handler(server));
  const socket = await httptest.New(app).WebSocket("/ws");
  // Without stored messages, a client has no position from which it could resume.
  const joined = [await sendPacket(socket, Op.Join, '"","tea"'), await sendPacket(socket, Op.Join, '"","secret"')];
  assertEquals(joined.map(({ reply }) => (reply as { Epoch: string }).Epoch !== ""), [true, false]);
  await socket.Close();
});
