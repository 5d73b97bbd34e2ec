/** Rooms, users and presence of one server in two processes, which are two hubs on one backplane. */

import { assertEquals, assertRejects } from "@std/assert";
import type { Backplane } from "../../../src/live/hub/backplane.ts";
import { innerHub } from "../../../src/live/hub/hub.ts";
import * as live from "../../../src/live/hub/mod.ts";
import * as websocket from "../../../src/live/websocket/mod.ts";
import { Op, readPackets } from "../../../src/live/websocket/wire/packet.ts";
import * as httptest from "../../../src/tools/httptest/mod.ts";
import { quiet } from "../../serving.ts";
import { type Ends, testEach } from "../hub/backplanes.ts";

interface Process {
  readonly hub: live.Hub;
  /** The failures that the hub has reported. */
  readonly reports: readonly string[];
  readonly server: websocket.Server;
  open(user: string): Promise<httptest.TestSocket>;
}

function start(hub: live.Hub, reports: readonly string[]): Process {
  const server = websocket.New({ Hub: hub, Name: "chat", Presence: true, Rooms: { History: 50 } });
  server.On(websocket.OnRoomJoin, (_conn, room) => room !== "secret");
  server.On("echo", (_conn, data) => data);
  const app = quiet();
  app.Use((ctx) => {
    const name = ctx.URLParam("user");
    ctx.SetUser({ ID: name, Name: name, Roles: [], Method: "test" });
    return ctx.Next();
  });
  app.Get("/ws", websocket.Handler(server));
  const test = httptest.New(app);
  return {
    hub,
    reports,
    server,
    async open(user) {
      const socket = await test.WebSocket(`/ws?user=${user}`);
      await socket.Ask("echo", "connected");
      return socket;
    },
  };
}

/** Starts two processes. In memory, there is only one, with the same server twice. */
function startBoth({ one, other }: Ends): readonly [Process, Process] {
  const reports: string[] = [];
  const OnError = (message: string, error: unknown) => void reports.push(`${message} ${error}`);
  const hubOf = (Backplane: Backplane) => live.New({ Backplane, OnError });
  const hub = hubOf(one);
  return [start(hub, reports), start(one === other ? hub : hubOf(other), reports)];
}

async function closeAll(processes: readonly Process[], sockets: readonly httptest.TestSocket[]): Promise<void> {
  for (const socket of sockets) await socket.Close();
  for (const hub of new Set(processes.map((each) => each.hub))) await hub.Close();
  for (const { reports } of processes) assertEquals(reports, []);
}

testEach("Server.To(room).To(room) delivers an event once per connection, in order", async (ends) => {
  const both = startBoth(ends);
  const [here, there] = both;
  const sockets = [await here.open("ada"), await there.open("bob"), await there.open("eve")];
  const [ada, bob, eve] = sockets as [httptest.TestSocket, httptest.TestSocket, httptest.TestSocket];
  const counts = sockets.map(countEvents);
  for (const room of ["tea", "milk"]) for (const socket of [ada, bob]) await socket.Join(room);
  await eve.Join("milk");
  for (let at = 0; at < 20; at++) {
    // Not awaited: a later event must not overtake an earlier one.
    void here.server.To("tea").To("milk").Emit("both", at);
    void here.server.To("milk").Emit("milk", at);
  }
  await here.server.To("milk").Emit("end");
  await here.server.To("tea").Emit("end");
  const expected = Array.from({ length: 20 }, (_, at) => at);
  for (const socket of sockets) {
    for (const at of expected) {
      await socket.ExpectEvent("both", at);
      await socket.ExpectEvent("milk", at);
    }
    await socket.ExpectEvent("end");
  }
  for (const socket of [ada, bob]) await socket.ExpectEvent("end");
  await here.server.ToUser("ada").To("tea", "tea").Emit("union", 1);
  await here.server.Broadcast(null, "last");
  for (const socket of [ada, bob]) await socket.ExpectEvent("union", 1);
  for (const socket of sockets) await socket.ExpectEvent("last");
  assertEquals(counts.map((count) => [count.get("both"), count.get("union")]), [[20, 1], [20, 1], [20, undefined]]);
  await closeAll(both, sockets);
});

/** Counts the events with a name that a client receives from now on, by their names. */
function countEvents(socket: httptest.TestSocket): Map<string, number> {
  const counts = new Map<string, number>();
  const receive = socket.received.bind(socket);
  socket.received = (message) => {
    for (const packet of readPackets(String(message)) ?? []) {
      const event = String(packet[0] === Op.Room ? packet[4] : packet[0] === Op.Gap ? "gap" : packet[3]);
      counts.set(event, (counts.get(event) ?? 0) + 1);
    }
    receive(message);
  };
  return counts;
}

testEach("RoomEmitter.Except(room) excludes the members of a room in all processes", async (ends) => {
  const both = startBoth(ends);
  const [here, there] = both;
  const [ada, bob] = [await here.open("ada"), await there.open("bob")];
  for (const socket of [ada, bob]) await socket.Join("tea");
  await bob.Join("muted");
  await here.server.To("tea").Except("muted").Emit("said", 1);
  await here.server.To("tea").Emit("said", 2);
  await ada.ExpectEvent("said", 1);
  await ada.ExpectEvent("said", 2);
  await bob.ExpectEvent("said", 2);
  await closeAll(both, [ada, bob]);
});

testEach("Server.ToUser(user).Join() and Leave() move all connections of a user", async (ends) => {
  const both = startBoth(ends);
  const [here, there] = both;
  const [one, two, eve] = [await here.open("ada"), await there.open("ada"), await there.open("eve")];
  const counts = [one, two, eve].map(countEvents);
  await here.server.ToUser("ada").Join("secret");
  await there.server.To("secret").Emit("news", 1);
  for (const socket of [one, two]) await socket.ExpectEvent("news", 1);
  assertEquals((await here.server.Fetch({ Room: "secret" })).Conns.map(({ User }) => User), ["ada", "ada"]);
  await there.server.ToUser("ada").Leave("secret");
  assertEquals((await here.server.Fetch({ Room: "secret" })).Conns, []);
  await here.server.To("secret").Emit("news", 2);
  await here.server.Broadcast(null, "end");
  for (const socket of [one, two, eve]) await socket.ExpectEvent("end");
  assertEquals(counts.map((count) => count.get("news")), [1, 1, undefined]);
  await assertRejects(async () => await here.server.ToUser("ada").Join(""), Error, "A room name");
  await closeAll(both, [one, two, eve]);
});

testEach("Server.Fetch() finds connections of all processes by room and user", async (ends) => {
  const both = startBoth(ends);
  const [here, there] = both;
  const sockets = [await here.open("ada"), await there.open("ada"), await there.open("bob")];
  const [one, two, bob] = sockets as [httptest.TestSocket, httptest.TestSocket, httptest.TestSocket];
  for (const socket of [one, bob]) await socket.Join("tea");
  await two.Join("milk");
  const tea = await here.server.Fetch({ Room: "tea" });
  assertEquals(tea.Conns.map(({ User, Rooms }) => [User, ...Rooms]).sort(), [["ada", "tea"], ["bob", "tea"]]);
  assertEquals([tea.Responded, tea.Expected], [2, 2]);
  const ada = await there.server.Fetch({ User: "ada" });
  assertEquals(ada.Conns.map(({ Rooms }) => Rooms.join()).sort(), ["milk", "tea"]);
  const ids = [...here.server.Conns(), ...there.server.Conns()].filter((conn) => conn.User()?.ID === "ada");
  assertEquals(ada.Conns.map(({ ID }) => ID).sort(), ids.map(({ ID }) => ID).sort());
  assertEquals((await here.server.Fetch({ Namespace: "none" })).Conns, []);
  await closeAll(both, sockets);
});

testEach("Socket.Presence() reports who joined, left and was updated in other processes", async (ends) => {
  const both = startBoth(ends);
  const [here, there] = both;
  const [ada, bob] = [await here.open("ada"), await there.open("bob")];
  await assertRejects(() => ada.WatchPresence("tea"), Error, "requires joining it");
  await assertRejects(() => ada.Join("secret"), Error, "not allowed");
  await assertRejects(() => ada.WatchPresence("secret"), Error, "requires joining it");
  await ada.Join("tea");
  await ada.WatchPresence("tea");
  const names = (data: unknown) => {
    const { Joined, Left, Updated } = data as Record<string, live.Member[]>;
    return [Joined, Left, Updated].map((list) => list?.map(({ Info }) => (Info as { Name: string }).Name).join());
  };
  assertEquals(names(await ada.ExpectEvent("presence")), ["ada", "", ""]);
  await bob.Join("tea");
  assertEquals(names(await ada.ExpectEvent("presence")), ["bob", "", ""]);
  // A second watcher receives all members as well.
  await bob.WatchPresence("tea");
  assertEquals(names(await bob.ExpectEvent("presence"))[0]?.split(",").sort(), ["ada", "bob"]);
  const [conn] = there.server.Conns().filter((each) => each.User()?.ID === "bob");
  await there.server.Presence("tea").Add(conn?.ID ?? "", { Name: "Bob!" });
  assertEquals(names(await ada.ExpectEvent("presence")), ["", "", "Bob!"]);
  await bob.Leave("tea");
  assertEquals(names(await ada.ExpectEvent("presence")), ["", "Bob!", ""]);
  await closeAll(both, [ada, bob]);
});

testEach("Socket.Join() with Rewind receives the last stored messages, in all processes", async (ends) => {
  const both = startBoth(ends);
  const [here, there] = both;
  for (let at = 1; at <= 60; at++) await here.server.To("tea").Emit("said", at);
  const [ada, bob, eve] = [await there.open("ada"), await there.open("bob"), await there.open("eve")];
  const counts = [ada, bob, eve].map(countEvents);
  await ada.Join("tea", { Rewind: 3 });
  for (const at of [58, 59, 60]) await ada.ExpectEvent("said", at);
  // The history is shorter than the rewind, which is not a gap.
  await bob.Join("tea", { Rewind: 1_000 });
  for (let at = 11; at <= 60; at++) await bob.ExpectEvent("said", at);
  await eve.Join("tea");
  await here.server.To("tea").Emit("said", 61);
  for (const socket of [ada, bob, eve]) await socket.ExpectEvent("said", 61);
  assertEquals(counts.map((count) => [count.get("said"), count.get("gap")]), [[4, undefined], [51, undefined], [
    1,
    undefined,
  ]]);
  await closeAll(both, [ada, bob, eve]);
});

testEach("Server.Fetch() reports a process that does not respond, after the timeout", async (ends) => {
  const both = startBoth(ends);
  const [here, there] = both;
  const sockets = [await here.open("ada"), await there.open("bob")];
  const isLocal = ends.one.IsLossless;
  // A process that was killed, whose lease has not expired.
  if (!isLocal) await innerHub(here.hub).presence("chat", "\nprocesses", "").Add("killed", null);
  const { Conns, Responded, Expected } = await there.server.Fetch({ Timeout: 500 });
  assertEquals([Conns.length, Responded, Expected], [2, 2, isLocal ? 2 : 3]);
  await closeAll(both, sockets);
});
