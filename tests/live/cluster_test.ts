/**
 * Tests several processes that share a Redis server: which messages are lost, duplicated or reported if a process is
 * killed or Redis is unavailable.
 */

import { assertEquals, assertRejects } from "@std/assert";
import * as live from "../../src/live/mod.ts";
import * as redis from "../../src/live/redis.ts";
import { Live } from "../../src/websocket/client/live.ts";
import { runs } from "../runs.ts";
import { Balancer, hasRedis, OwnRedis, Site, Watcher } from "./cluster.ts";

const clientCount = Number(Deno.env.get("FW_TEST_LIVE_CLIENTS") ?? runs(40));
const messageCount = Number(Deno.env.get("FW_TEST_LIVE_MESSAGES") ?? runs(4_000));
const options = { ignore: !hasRedis, sanitizeOps: false, sanitizeResources: false };

Deno.test({
  ...options,
  name: "Live clients lose, duplicate or reorder no message if one of two processes on Redis is killed",
  async fn() {
    const store = new OwnRedis();
    await store.start();
    const prefix = "fw:cluster:";
    const sites = [new Site(store.url, prefix), new Site(store.url, prefix)];
    const [first = 0, second = 0] = await Promise.all(sites.map((site) => site.port));
    const balancers = [new Balancer(first), new Balancer(second)];
    const hub = live.New({ Backplane: redis.New({ URL: store.url, Prefix: prefix }) });
    const topic = hub.Topic("news", { History: 100_000 });
    const watchers = Array.from(
      { length: clientCount },
      (_, at) => new Watcher(balancers[at % 2]?.port ?? 0, messageCount),
    );
    try {
      await Promise.all(watchers.map(({ client }) => client.Join("news")));
      assertEquals((await hub.Presence("news").List()).length, clientCount);
      for (let n = 0; n < messageCount; n++) {
        await topic.Publish("n", n);
        if (n !== Math.floor(messageCount / 2)) continue;
        await sites[0]?.kill();
        if (balancers[0] !== undefined) balancers[0].target = second;
      }
      await Promise.all(watchers.map(({ done }) => done));
      const expected = Array.from({ length: messageCount }, (_, n) => n);
      for (const { seen, gaps } of watchers) {
        assertEquals(gaps, []);
        assertEquals(seen, expected);
      }
    } finally {
      for (const { client } of watchers) client.Close();
      for (const each of balancers) each.close();
      await hub.Close();
      for (const site of sites) await site.kill();
      await store.close();
    }
  },
});

Deno.test({
  ...options,
  name:
    "Topic.Publish() fails while Redis is unavailable, but connections stay open, and clients miss nothing or are notified",
  async fn() {
    const store = new OwnRedis();
    await store.start();
    const prefix = "fw:outage:";
    const site = new Site(store.url, prefix);
    const port = await site.port;
    const hub = live.New({ Backplane: redis.New({ URL: store.url, Prefix: prefix, Timeout: 2000 }) });
    const topic = hub.Topic("news", { History: 100_000 });
    const watchers = Array.from({ length: 10 }, () => new Watcher(port, 20));
    try {
      await Promise.all(watchers.map(({ client }) => client.Join("news")));
      for (let n = 0; n < 10; n++) await topic.Publish("n", n);
      // Redis is suspended. It keeps its connections open but does not respond.
      store.signal("SIGSTOP");
      await assertRejects(async () => await topic.Publish("n", -1));
      assertEquals(await watchers[0]?.client.Ask("echo", 5), 5);
      store.signal("SIGCONT");
      // The failed message may have been stored anyway. All subscribers must see the same messages.
      for (let n = 10; n < 21; n++) await publishAgain(() => topic.Publish("n", n));
      await Promise.all(watchers.map(({ done }) => done));
      const [one] = watchers;
      for (const { seen, gaps } of watchers) {
        assertEquals(gaps, []);
        assertEquals(seen.slice(0, 20), one?.seen.slice(0, 20));
        assertEquals(seen.filter((n) => n >= 0).slice(0, 19), Array.from({ length: 19 }, (_, n) => n));
      }
      // Redis is restarted without its data. The numbering is lost, and all subscribers are notified.
      await store.kill();
      await store.start();
      await Promise.all(watchers.map(({ told }) => told));
      for (const { gaps, client } of watchers) {
        assertEquals(gaps, ["epoch"]);
        assertEquals(client.State, "open");
      }
    } finally {
      for (const { client } of watchers) client.Close();
      await hub.Close();
      await site.kill();
      await store.close();
    }
  },
});

Deno.test({
  ...options,
  name: "Live clients lose, duplicate or reorder no message if Redis is restarted with its data",
  async fn() {
    const store = new OwnRedis({ isDurable: true });
    await store.start();
    const prefix = "fw:stopped:";
    const site = new Site(store.url, prefix);
    const port = await site.port;
    const hub = live.New({ Backplane: redis.New({ URL: store.url, Prefix: prefix, Timeout: 30_000 }) });
    const topic = hub.Topic("news", { History: 100_000 });
    const watchers = Array.from({ length: 10 }, () => new Watcher(port, 30));
    try {
      await Promise.all(watchers.map(({ client }) => client.Join("news")));
      for (let n = 0; n < 10; n++) await topic.Publish("n", n);
      await store.kill();
      await assertRejects(async () => await topic.Publish("n", -1));
      assertEquals(await watchers[0]?.client.Ask("echo", 5), 5);
      await new Promise((resolve) => setTimeout(resolve, 2_000));
      await store.start();
      // These messages are published before the process of the clients has reconnected to Redis, but the clients still
      // receive them.
      for (let n = 10; n < 30; n++) await publishAgain(() => topic.Publish("n", n));
      await Promise.all(watchers.map(({ done }) => done));
      for (const { seen, gaps, client } of watchers) {
        assertEquals(gaps, []);
        assertEquals(seen, Array.from({ length: 30 }, (_, n) => n));
        assertEquals(client.State, "open");
      }
    } finally {
      for (const { client } of watchers) client.Close();
      await hub.Close();
      await site.kill();
      await store.close();
    }
  },
});

Deno.test({
  ...options,
  name: "Server.Disconnect() closes only the connections of a user, in every process on Redis",
  async fn() {
    const store = new OwnRedis();
    await store.start();
    const sites = [new Site(store.url, "fw:kick:"), new Site(store.url, "fw:kick:")];
    const ports = await Promise.all(sites.map((site) => site.port));
    const open = (user: string) => ports.map((port) => new Live(`http://127.0.0.1:${port}/ws?user=${user}`));
    const [ada, bob] = [open("ada"), open("bob")];
    try {
      const closed = ada.map((client) =>
        new Promise<number>((resolve) => client.OnState((state, code) => state === "closed" && resolve(code)))
      );
      for (const client of [...ada, ...bob]) await client.Ask("echo", 1);
      await bob[0]?.Ask("kick", "ada");
      assertEquals(await Promise.all(closed), [4403, 4403]);
      for (const client of bob) assertEquals(await client.Ask("echo", 2), 2);
    } finally {
      for (const client of [...ada, ...bob]) client.Close();
      for (const site of sites) await site.kill();
      await store.close();
    }
  },
});

async function publishAgain(publish: () => unknown): Promise<void> {
  for (let tries = 0;; tries++) {
    try {
      await publish();
      return;
    } catch (error) {
      if (tries === 600) throw error;
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  }
}
