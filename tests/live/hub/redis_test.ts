/** Tests a Redis server that is unavailable, that others write to, and that several applications share. */

import { assertEquals, assertRejects } from "@std/assert";
import { createClient } from "npm:@redis/client@^5";
import { innerHub } from "../../../src/live/hub/hub.ts";
import * as live from "../../../src/live/hub/mod.ts";
import * as redis from "../../../src/live/hub/redis.ts";
import * as websocket from "../../../src/live/websocket/mod.ts";
import * as httptest from "../../../src/tools/httptest/mod.ts";
import { quiet } from "../../serving.ts";
import { withClient } from "../../state/redis/clients.ts";
import { hasRedis, OwnRedis } from "./own_redis.ts";

const options = { ignore: !hasRedis, sanitizeOps: false, sanitizeResources: false };

function site(url: string, prefix: string): { hub: live.Hub; server: websocket.Server; test: httptest.Client } {
  const Backplane = withClient(url, (client) => redis.New(client, { Prefix: prefix, Timeout: 500 }));
  const hub = live.New({ Backplane, OnError() {} });
  const server = websocket.New({ Hub: hub, Presence: true });
  server.On("echo", (_conn, data) => data);
  server.On(websocket.OnRoomJoin, () => true);
  const app = quiet();
  app.Get("/ws", websocket.Handler(server));
  return { hub, server, test: httptest.New(app) };
}

function pass(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}

Deno.test({
  ...options,
  name: "Server works without Redis except for rooms, and listens when Redis is available again",
  async fn() {
    const store = new OwnRedis();
    const { hub, server, test } = site(store.url, "away:");
    const socket = await test.WebSocket("/ws");
    for (let n = 0; n < 3; n++) await assertRejects(() => socket.Join("news"), Error, "cannot be reached");
    await socket.ExpectReply("echo", 1, 1);
    await assertRejects(async () => await server.Broadcast(null, "all", 0));
    await store.start();
    for (let tries = 0; tries < 50; tries++) {
      const isJoined = await socket.Join("news").then(() => true, () => false);
      if (isJoined) break;
      await pass(50);
    }
    await pass(1_500);
    await server.Broadcast(null, "all", 5);
    await socket.ExpectEvent("all", 5);
    await server.To("news").Emit("n", 1);
    await socket.ExpectEvent("n", 1);
    assertEquals((await server.Presence("news").List()).length, 1);
    await socket.Close();
    await pass(100);
    assertEquals([innerHub(hub).channels, await hub.Presence("news").List()], [0, []]);
    await hub.Close();
    await store.close();
  },
});

Deno.test({
  ...options,
  name: "Server ignores forged messages on Redis, and reports those in a history as a gap",
  async fn() {
    const store = new OwnRedis();
    await store.start();
    const { hub, server, test } = site(store.url, "forged:");
    const topic = hub.Topic("news", { History: 100 });
    const forger = createClient({ url: store.url });
    await forger.connect();
    const socket = await test.WebSocket("/ws");
    await socket.Join("news");
    const { Epoch, Offset } = await topic.Publish("n", 1);
    const next = `${Offset + 1}:${Epoch}`;
    const forged = [
      ...["", "x", "::", ":::", `NaN:${Epoch}:"n",0`, `-1:${Epoch}:"n",0`, `1e999:${Epoch}:"n",0`, '5:other:"n",0'],
      ...[`${next}:`, `${next}:x`, `${next}:"n"`, `${next}:5,0`, `${next}:"n",0],[0`, `${next}:{\n"n",0`],
      ...[`${next}:"a\\nb",0`, `${next}:"n",1,2`, `${next}:${"[".repeat(100_000)}`, `${next}:null`],
    ];
    for (const channel of ["news", "\ncontrol\n", "\nall\n0", "\npresence\nnews"]) {
      for (const message of forged) await forger.publish(`forged:${channel}`, message);
    }
    for (const message of ['"disconnect"', '"session",null', '"__proto__",1', '"constructor","x"', '"disconnect",{}']) {
      await forger.publish("forged:\ncontrol\n", `1:x:${message}`);
    }
    await socket.ExpectReply("echo", 1, 1);
    await topic.Publish("n", 2);
    for (const n of [1, 2]) await socket.ExpectEvent("n", n);
    // A message that is stored cannot be skipped silently.
    const offset = await forger.hIncrBy("forged:{news}news:n", "o", 1);
    await forger.xAdd("forged:{news}news:s", `${offset}-0`, { p: "malformed" });
    await topic.Publish("n", 3);
    assertEquals(await socket.ExpectEvent("gap"), { From: offset, To: offset, Reason: "history" });
    await socket.ExpectEvent("n", 3);
    await server.Broadcast(null, "all", 1);
    await socket.ExpectEvent("all", 1);
    await socket.Close();
    forger.destroy();
    await hub.Close();
    await store.close();
  },
});

Deno.test({
  ...options,
  name: "Hub keeps applications with different prefixes apart, even if one prefix begins with the other",
  async fn() {
    const store = new OwnRedis();
    await store.start();
    const prefixes = ["shop:", "shop:news:", "other:"];
    const sites = prefixes.map((prefix) => site(store.url, prefix));
    const sockets = [];
    for (const { test, hub } of sites) {
      for (const name of ["news", "news:news", "t:news"]) hub.Topic(name, { History: 10 });
      const socket = await test.WebSocket("/ws");
      for (const name of ["news", "news:news", "t:news"]) await socket.Join(name);
      sockets.push(socket);
    }
    const [first, ...rest] = sites;
    for (const name of ["news", "news:news", "t:news"]) await first?.hub.Topic(name).Publish(name, 1);
    await first?.server.Broadcast(null, "all", 1);
    for (const name of ["news", "news:news", "t:news", "all"]) await sockets[0]?.ExpectEvent(name, 1);
    for (const [at, { hub, server }] of rest.entries()) {
      assertEquals((await hub.Presence("news").List()).length, 1);
      await server.Broadcast(null, "own", at);
      assertEquals(await sockets[at + 1]?.ExpectEvent("own"), at);
      for (const name of ["news", "news:news", "t:news"]) {
        assertEquals((await innerHub(hub).backplane.Read(name, 0, 10)).Entries, []);
        await hub.Topic(name).Publish("only", at);
        // The first event of the room is the application's own message.
        assertEquals(await sockets[at + 1]?.ExpectEvent("only"), at);
      }
    }
    for (const socket of sockets) await socket.Close();
    for (const { hub } of sites) await hub.Close();
    await store.close();
  },
});
