/**
 * Tests several processes that share a server: which messages are lost, duplicated or reported if a process is killed
 * or the server is unavailable.
 */

import { assertEquals, assertRejects } from "@std/assert";
import * as live from "../../../src/live/hub/mod.ts";
import { Live } from "../../../src/live/websocket/client/live.ts";
import { runs } from "../../runs.ts";
import { Balancer, Site, Watcher } from "./cluster.ts";
import { clusterStores, type OwnServer, type StoreName, type StoreOptions } from "./cluster_stores.ts";

const clientCount = Number(Deno.env.get("FW_TEST_LIVE_CLIENTS") ?? runs(40));
const messageCount = Number(Deno.env.get("FW_TEST_LIVE_MESSAGES") ?? runs(4_000));

/** A server and the processes that share it. */
interface Cluster {
  readonly server: OwnServer;
  /** Starts a process. */
  site(): Site;
  /** Creates a hub in this process. */
  hub(options?: { readonly Timeout?: number }): live.Hub;
}

/** Registers a test for every server. */
function testEachStore(name: string, run: (cluster: Cluster) => Promise<void>, options: StoreOptions = {}): void {
  for (const [key, store] of Object.entries(clusterStores)) {
    Deno.test({
      name: `${name} (${store.name}${store.isInstalled ? "" : ", ignored: not installed"})`,
      ignore: !store.isInstalled,
      sanitizeOps: false,
      sanitizeResources: false,
      async fn() {
        const server = store.open(options);
        await server.start();
        const shared = { url: server.url, name: "fw_test" };
        const sites: Site[] = [];
        const site = () => sites[sites.push(new Site(key as StoreName, shared)) - 1] as Site;
        const hub = (more = {}) => live.New({ Backplane: store.backplane({ ...shared, ...more }) });
        try {
          await run({ server, site, hub });
        } finally {
          for (const each of sites) await each.kill();
          await server.close();
        }
      },
    });
  }
}

testEachStore(
  "Live clients lose, duplicate or reorder no message if one of two processes is killed",
  async ({ site, hub: newHub }) => {
    const sites = [site(), site()];
    const [first = 0, second = 0] = await Promise.all(sites.map((site) => site.port));
    const balancers = [new Balancer(first), new Balancer(second)];
    const hub = newHub();
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
    }
  },
);

testEachStore(
  "Topic.Publish() fails while the server is unavailable, but connections stay open, and clients miss nothing or are notified",
  async ({ server, site, hub: newHub }) => {
    const own = site();
    const port = await own.port;
    const hub = newHub({ Timeout: 2_000 });
    const topic = hub.Topic("news", { History: 100_000 });
    const watchers = Array.from({ length: 10 }, () => new Watcher(port, 20));
    try {
      await Promise.all(watchers.map(({ client }) => client.Join("news")));
      for (let n = 0; n < 10; n++) await topic.Publish("n", n);
      // The server is suspended. It keeps its connections open but does not respond.
      await server.suspend();
      await assertRejects(async () => await topic.Publish("n", -1));
      assertEquals(await watchers[0]?.client.Ask("echo", 5), 5);
      server.signal("SIGCONT");
      // The failed message may have been stored anyway. All subscribers must see the same messages.
      for (let n = 10; n < 21; n++) await publishAgain(() => topic.Publish("n", n));
      await Promise.all(watchers.map(({ done }) => done));
      const [one] = watchers;
      for (const { seen, gaps } of watchers) {
        assertEquals(gaps, []);
        assertEquals(seen.slice(0, 20), one?.seen.slice(0, 20));
        assertEquals(seen.filter((n) => n >= 0).slice(0, 19), Array.from({ length: 19 }, (_, n) => n));
      }
      // The server is restarted without its data. The numbering is lost, and all subscribers are notified.
      await server.kill();
      await server.start();
      await Promise.all(watchers.map(({ told }) => told));
      for (const { gaps, client } of watchers) {
        assertEquals(gaps, ["epoch"]);
        assertEquals(client.State, "open");
      }
    } finally {
      for (const { client } of watchers) client.Close();
      await hub.Close();
    }
  },
);

testEachStore(
  "Live clients of all processes are notified once if the server loses its data, however much is published meanwhile",
  async ({ server, site, hub: newHub }) => {
    const sites = [site(), site(), site()];
    const ports = await Promise.all(sites.map((each) => each.port));
    const hub = newHub({ Timeout: 2_000 });
    // The process that publishes stores fewer messages than it publishes, so that the first ones are missing as well.
    const topic = hub.Topic("news", { History: 20 });
    const watchers = ports.flatMap((port) => Array.from({ length: 4 }, () => new Watcher(port, Infinity)));
    try {
      await Promise.all(watchers.map(({ client }) => client.Join("news")));
      for (let n = 0; n < 100; n++) await topic.Publish("n", n);
      await server.kill();
      await server.start();
      for (let n = 100; n < 160; n++) await publishAgain(() => topic.Publish("n", n));
      await Promise.all(watchers.map(({ told }) => told));
      // The channels compare their positions every three seconds.
      await new Promise((resolve) => setTimeout(resolve, 4_000));
      for (let n = 160; n < 170; n++) await topic.Publish("n", n);
      await Promise.all(watchers.map(({ seen }) => until(() => seen.at(-1) === 169)));
      assertEquals(watchers.map(({ gaps }) => gaps), watchers.map(() => ["epoch"]));
    } finally {
      for (const { client } of watchers) client.Close();
      await hub.Close();
    }
  },
);

testEachStore(
  "Live clients lose, duplicate or reorder no message if the server is restarted with its data",
  async ({ server, site, hub: newHub }) => {
    const own = site();
    const port = await own.port;
    const hub = newHub({ Timeout: 2_000 });
    const topic = hub.Topic("news", { History: 100_000 });
    const watchers = Array.from({ length: 10 }, () => new Watcher(port, 30));
    try {
      await Promise.all(watchers.map(({ client }) => client.Join("news")));
      for (let n = 0; n < 10; n++) await topic.Publish("n", n);
      await server.kill();
      await assertRejects(async () => await topic.Publish("n", -1));
      assertEquals(await watchers[0]?.client.Ask("echo", 5), 5);
      await new Promise((resolve) => setTimeout(resolve, 2_000));
      await server.start();
      // These messages are published before the process of the clients has reconnected, but the clients still
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
    }
  },
  { isDurable: true },
);

testEachStore(
  "Server.Disconnect() closes only the connections of a user, in every process",
  async ({ site }) => {
    const sites = [site(), site()];
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
    }
  },
);

async function until(isSo: () => boolean): Promise<void> {
  while (!isSo()) await new Promise((resolve) => setTimeout(resolve, 10));
}

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
