/**
 * `deno task bench live_cluster [CLIENTS] [MESSAGES] [--backplane=nats]`: clients of two processes that share a Redis or
 * NATS server send messages to each other, and one of the processes is killed. Requires `redis-server` or `nats-server`.
 *
 * @module
 */

import * as live from "../../src/live/hub/mod.ts";
import { Live } from "../../src/live/websocket/client/live.ts";
import { Balancer, Site } from "../live/hub/cluster.ts";
import { clusterStores, type StoreName } from "../live/hub/cluster_stores.ts";

const [clientCount = 200, messageCount = 20_000] = Deno.args.filter((arg) => /^\d+$/.test(arg)).map(Number);
const kind: StoreName = Deno.args.includes("--backplane=nats") ? "nats" : "redis";
const each = messageCount / clientCount;

/** A client that sends messages and checks the ones it receives. */
class Peer {
  readonly client: Live;
  readonly #at: number;
  /** The number of the last message of each sender. */
  readonly #last = new Int32Array(clientCount).fill(-1);
  received = 0;
  disordered = 0;
  gaps = 0;
  unknown = 0;
  /** The times at which the connection was restored and the next message arrived. */
  returnedAt = 0;
  resumedAt = 0;
  #wasLost = false;

  constructor(at: number, port: number) {
    this.#at = at;
    this.client = new Live(`http://127.0.0.1:${port}/ws`);
    this.client.On("said", ([sender, n]: [number, number]) => {
      this.received++;
      if (n <= (this.#last[sender] ?? 0)) this.disordered++;
      this.#last[sender] = n;
      if (this.returnedAt > 0 && this.resumedAt === 0) this.resumedAt = performance.now();
    });
    this.client.OnGap(() => this.gaps++);
    this.client.OnState((state) => {
      if (state === "waiting") this.#wasLost = true;
      if (state === "open" && this.#wasLost) this.returnedAt = performance.now();
    });
  }

  async run(): Promise<void> {
    for (let n = 0; n < each; n++) {
      // A process may have published the message before it was killed, so the outcome is unknown.
      await this.client.Send("say", [this.#at, n]).catch(() => this.unknown++);
    }
  }
}

const store = clusterStores[kind].open();
await store.start();
const shared = { url: store.url, name: "fw_bench" };
const sites = [new Site(kind, shared), new Site(kind, shared)];
const [first = 0, second = 0] = await Promise.all(sites.map((site) => site.port));
const balancers = [new Balancer(first), new Balancer(second)];
const hub = live.New({ Backplane: clusterStores[kind].backplane(shared) });
try {
  const peers = Array.from({ length: clientCount }, (_, at) => new Peer(at, balancers[at % 2]?.port ?? 0));
  await Promise.all(peers.map(({ client }) => client.Join("news")));
  const known = new Set((await hub.Presence("news").List()).map(({ ID }) => ID));
  const start = performance.now();
  const sending = Promise.all(peers.map((peer) => peer.run()));
  while ((peers[0]?.received ?? 0) < messageCount / 2) await sleep(5);
  const [balancer] = balancers;
  if (balancer !== undefined) balancer.target = second;
  await sites[0]?.kill();
  const killedAt = performance.now();
  // Reconnected clients have other IDs.
  const present = until(async () => {
    const ids = (await hub.Presence("news").List()).map(({ ID }) => ID);
    return ids.length === clientCount && ids.filter((id) => known.has(id)).length < clientCount;
  }).then(() => performance.now());
  await sending;
  const sentAt = performance.now();
  const unknown = sum(peers, (peer) => peer.unknown);
  await until(() => peers.every(({ received }) => received >= messageCount - unknown));
  const doneAt = performance.now();
  // Messages with an unknown outcome may have been published, so their deliveries may still be in flight.
  if (unknown > 0) await sleep(3_000);
  const moved = peers.filter(({ returnedAt }) => returnedAt > 0);
  const most = Math.max(...peers.map(({ received }) => received));
  print(
    `${clusterStores[kind].name}, ${clientCount} clients, ${messageCount} messages, ${
      sum(peers, (peer) => peer.received)
    } deliveries`,
  );
  print(`lost            ${sum(peers, ({ received }) => most - received)}`);
  print(`doubled, reordered ${sum(peers, (peer) => peer.disordered)}`);
  print(`told of a gap   ${sum(peers, (peer) => peer.gaps)}`);
  print(
    `told of an unknown outcome ${unknown} of ${messageCount}, of which ${
      most - messageCount + unknown
    } were published`,
  );
  print(
    `moved           ${moved.length} clients, open again after ${
      seconds(moved.map(({ returnedAt }) => returnedAt), killedAt)
    }`,
  );
  print(`resumed         ${seconds(moved.map(({ resumedAt }) => resumedAt), killedAt)}`);
  print(
    `all complete    ${((doneAt - sentAt) / 1000).toFixed(2)} s after the last was sent, ${
      ((doneAt - start) / 1000).toFixed(1)
    } s in all`,
  );
  print(`presence        right again ${((await present - killedAt) / 1000).toFixed(1)} s after the kill`);
  for (const { client } of peers) client.Close();
} finally {
  for (const balancer of balancers) balancer.close();
  await hub.Close();
  for (const site of sites) await site.kill();
  await store.close();
}
Deno.exit(0);

function seconds(times: readonly number[], since: number): string {
  const sorted = times.map((time) => (time - since) / 1000).sort((a, b) => a - b);
  return `${sorted[sorted.length >> 1]?.toFixed(2)} s (median), ${sorted.at(-1)?.toFixed(2)} s (last)`;
}

function sum<T>(items: readonly T[], of: (item: T) => number): number {
  return items.reduce((total, item) => total + of(item), 0);
}

async function until(isDone: () => boolean | Promise<boolean>): Promise<void> {
  while (!await isDone()) await sleep(20);
}

function sleep(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}

function print(text: string): void {
  Deno.stdout.writeSync(new TextEncoder().encode(`${text}\n`));
}
