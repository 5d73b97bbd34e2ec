/**
 * Tests that servers on one hub do not reach each other's users, and that the same server in several processes does.
 */

import { assertEquals } from "@std/assert";
import * as live from "../../../src/live/hub/mod.ts";
import * as websocket from "../../../src/live/websocket/mod.ts";
import { Op } from "../../../src/live/websocket/wire/packet.ts";
import * as httptest from "../../../src/tools/httptest/mod.ts";
import { quiet } from "../../serving.ts";
import { testEach } from "../hub/backplanes.ts";
import { sendPacket } from "./send_packet.ts";

/** Serves a server to the user "1". */
async function visit(options: websocket.Options) {
  const app = quiet();
  const server = websocket.New({ Presence: true, ...options });
  let count = 0;
  server.On("pay", () => ++count);
  server.On(websocket.OnRoomJoin, () => true);
  app.Get("/ws", (ctx) => {
    ctx.SetUser({ ID: "1", Name: "", Roles: [], Method: "test" });
    return ctx.Next();
  }, websocket.Handler(server));
  const socket = await httptest.New(app).WebSocket("/ws");
  await socket.Join("tea");
  return { server, socket, pay: async () => (await sendPacket(socket, Op.Once, '"","pay",null,"key"')).reply };
}

type Visit = Awaited<ReturnType<typeof visit>>;

async function areApart(one: Visit, other: Visit): Promise<void> {
  await one.server.ToUser("1").Emit("mine", "one");
  await other.server.ToUser("1").Emit("mine", "other");
  await one.server.Broadcast(null, "all", "one");
  await other.server.Broadcast(null, "all", "other");
  for (const [visit, name] of [[one, "one"], [other, "other"]] as const) {
    await visit.socket.ExpectEvent("mine", name);
    await visit.socket.ExpectEvent("all", name);
  }
  assertEquals([await one.pay(), await other.pay(), await one.pay(), await other.pay()], [1, 1, 1, 1]);
  const members = await Promise.all([one, other].map(({ server }) => server.Presence("tea").List()));
  assertEquals(members.map((each) => each.length), [1, 1]);
  const changes: number[] = [];
  const stop = await one.server.Presence("tea").Watch(({ Members }) => changes.push(Members.length));
  await one.server.Disconnect("1");
  await one.socket.ExpectClose(4403);
  assertEquals(await other.pay(), 1);
  await other.server.Disconnect("1");
  await other.socket.ExpectClose(4403);
  stop();
  assertEquals([changes[0], Math.max(...changes)], [1, 1]);
}

Deno.test({
  name: "Server.Disconnect(), ToUser(), Broadcast(), Presence() and keys do not reach other servers on the default hub",
  // The default hub renews its lease until the process ends.
  sanitizeOps: false,
  sanitizeResources: false,
  async fn() {
    await areApart(await visit({}), await visit({}));
  },
});

testEach("Server with a name of its own does not reach the others on a backplane", async ({ one, other }) => {
  const [first, second] = [live.New({ Backplane: one }), live.New({ Backplane: other })];
  await areApart(await visit({ Hub: first, Name: "shop" }), await visit({ Hub: second, Name: "news" }));
  for (const hub of [first, second]) await hub.Close();
});

for (const named of [{}, { Name: "shop" }]) {
  const what = "Name" in named ? "name" : "number";
  testEach(`Server with the same ${what} is the same server in all processes`, async ({ one, other }) => {
    const [first, second] = [live.New({ Backplane: one }), live.New({ Backplane: other })];
    const [here, there] = [await visit({ Hub: first, ...named }), await visit({ Hub: second, ...named })];
    // Two hubs on one backplane in memory replace each other's listeners.
    if (one !== other) {
      await here.server.ToUser("1").Emit("mine", "here");
      await here.server.Broadcast(null, "all", "here");
      for (const { socket } of [here, there]) {
        await socket.ExpectEvent("mine", "here");
        await socket.ExpectEvent("all", "here");
      }
    }
    assertEquals([await here.pay(), await there.pay()], [1, 1]);
    assertEquals((await here.server.Presence("tea").List()).length, 2);
    assertEquals((await second.Presence("tea").List()).length, 2);
    await here.server.Disconnect("1");
    for (const { socket } of one === other ? [there] : [here, there]) await socket.ExpectClose(4403);
    await here.socket.Close();
    for (const hub of [first, second]) await hub.Close();
  });
}
