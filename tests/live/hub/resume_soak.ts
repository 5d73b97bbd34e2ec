/**
 * Clients whose connections are cut at random while messages are published, and again while they resume.
 *
 * @module
 */

import * as live from "../../../src/live/hub/mod.ts";
import type { Backplane } from "../../../src/live/hub/backplane.ts";
import { Live } from "../../../src/live/websocket/client/live.ts";
import * as websocket from "../../../src/live/websocket/mod.ts";
import { quiet } from "../../serving.ts";
import { Balancer } from "./cluster.ts";

/** Options for {@linkcode soak}. */
export interface SoakOptions {
  /** The number of clients. They join 1 to 20 rooms each. */
  readonly clients: number;
  /** The size of the messages published in each round, in bytes. */
  readonly backlogs: readonly number[];
  /** The seed of the random numbers. */
  readonly seed: number;
  /** Opens a backplane. One end publishes, and the other one serves the clients. */
  open(): Backplane | undefined;
}

/** The outcome of {@linkcode soak}. */
export interface SoakReport {
  readonly deliveries: number;
  readonly megabytes: number;
  /** The lost, repeated or reordered messages, and the gap notices. */
  readonly faults: string[];
  /** The number of cuts, and of connections after the first one of each client. */
  readonly cuts: number;
  readonly reconnections: number;
  /** The number of lost connections by close code. */
  readonly codes: Readonly<Record<number, number>>;
  /** The longest time until all clients had resumed after a round, in milliseconds. */
  readonly slowest: number;
}

const ROOMS = 20;
/** The rounds with longer backlogs use a room with few members, because every member receives all of it. */
const LARGE = 4 << 20;
const LARGE_MEMBERS = 3;

/** The longest backlog that is published while some of the clients are connected. */
const PROMPT = 500_000;

/** Cuts clients at random while messages are published, until all of them have received everything. */
export async function soak({ clients: count, backlogs, seed, open }: SoakOptions): Promise<SoakReport> {
  const random = randomFrom(seed);
  const pick = (most: number) => Math.floor(random() * most);
  const [publisher, served] = hubsOf(open);
  const rooms = Array.from({ length: ROOMS + 1 }, (_, at) => `room ${at}`);
  const topics = rooms.map((room) => publisher.Topic(room, { History: 1_000_000 }));
  if (served !== publisher) { for (const room of rooms) served.Topic(room, { History: 1_000_000 }); }
  const server = websocket.New({ Hub: served });
  server.On(websocket.OnRoomJoin, () => true);
  const app = quiet();
  app.Get("/ws", websocket.Handler(server));
  const http = Deno.serve({ hostname: "127.0.0.1", port: 0, onListen() {} }, app.fetch);
  const published = rooms.map(() => 0);
  const members = Array.from({ length: count }, (_, at) => {
    const own = shuffled(rooms.slice(0, ROOMS), random).slice(0, 1 + pick(ROOMS));
    return new Member(http.addr.port, at < LARGE_MEMBERS ? [...own, rooms[ROOMS] ?? ""] : own);
  });
  const report = { cuts: 0, slowest: 0, megabytes: 0 };
  try {
    await Promise.all(members.map((member) => member.join()));
    for (const backlog of backlogs) {
      // Clients in the same process cannot read as fast as a long backlog is published.
      const cut = backlog > PROMPT ? members : shuffled(members, random).slice(0, 1 + pick(count));
      for (const member of cut) member.cut();
      report.cuts += cut.length;
      for (let left = backlog; left > 0;) {
        const size = Math.min(left, Math.ceil(10 ** (2 + 3.3 * random())));
        const at = backlog > LARGE ? ROOMS : pick(ROOMS);
        const n = published[at] = (published[at] ?? 0) + 1;
        await topics[at]?.Publish("message", { n, text: "x".repeat(size) });
        left -= size;
        report.megabytes += size / 1e6;
      }
      const begin = performance.now();
      for (const member of cut) member.mend();
      // Some clients are cut again while they resume.
      for (const member of cut.filter(() => random() < 0.3)) {
        await sleep(random() * 500);
        member.cut();
        report.cuts++;
        member.mend();
      }
      await Promise.all(members.map((member) => member.has(published, rooms)));
      report.slowest = Math.max(report.slowest, performance.now() - begin);
    }
  } finally {
    for (const member of members) member.close();
    await http.shutdown();
    await publisher.Close();
    if (served !== publisher) await served.Close();
  }
  const codes: Record<number, number> = {};
  for (const code of members.flatMap((member) => member.codes)) codes[code] = (codes[code] ?? 0) + 1;
  return {
    ...report,
    codes,
    deliveries: members.reduce((sum, { deliveries }) => sum + deliveries, 0),
    faults: members.flatMap(({ faults }) => faults),
    reconnections: members.reduce((sum, { opened }) => sum + opened - 1, 0),
  };
}

/** A client behind its own load balancer, which can be cut. */
class Member {
  readonly faults: string[] = [];
  readonly codes: number[] = [];
  opened = 0;
  deliveries = 0;
  readonly #client: Live;
  readonly #balancer: Balancer;
  readonly #target: number;
  readonly #rooms: readonly string[];
  readonly #last = new Map<string, number>();
  #wake: (() => void) | undefined = undefined;

  constructor(port: number, rooms: readonly string[]) {
    this.#target = port;
    this.#rooms = rooms;
    this.#balancer = new Balancer(port);
    this.#client = new Live(`ws://127.0.0.1:${this.#balancer.port}/ws`, { Timeout: 60_000 });
    this.#client.OnState((state, code) => {
      if (state === "open") this.opened++;
      if (state === "waiting") this.codes.push(code);
    });
    this.#client.OnGap(({ Room, Reason }) => this.faults.push(`${Room}: gap (${Reason})`));
    this.#client.On("message", ({ n }: { n: number }, room) => {
      this.deliveries++;
      const last = this.#last.get(room) ?? 0;
      if (n !== last + 1) this.faults.push(`${room}: ${n} after ${last}`);
      this.#last.set(room, n);
      this.#wake?.();
    });
  }

  async join(): Promise<void> {
    for (const room of this.#rooms) await this.#client.Join(room);
  }

  cut(): void {
    this.#balancer.target = 1;
    this.#balancer.cut();
  }

  mend(): void {
    this.#balancer.target = this.#target;
  }

  /** Waits until the client has received all messages of its rooms. */
  async has(published: readonly number[], rooms: readonly string[]): Promise<void> {
    const isBehind = (room: string) => (this.#last.get(room) ?? 0) < (published[rooms.indexOf(room)] ?? 0);
    while (this.#rooms.some(isBehind)) await new Promise<void>((resolve) => this.#wake = resolve);
  }

  close(): void {
    this.#client.Close();
    this.#balancer.close();
  }
}

function hubsOf(open: SoakOptions["open"]): [live.Hub, live.Hub] {
  const Backplane = open();
  if (Backplane === undefined) {
    const hub = live.New();
    return [hub, hub];
  }
  return [live.New({ Backplane }), live.New({ Backplane: open() ?? Backplane })];
}

/** Creates random numbers that are the same for the same seed (mulberry32). */
function randomFrom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

function shuffled<T>(items: readonly T[], random: () => number): T[] {
  return items.map((item) => ({ item, key: random() })).sort((a, b) => a.key - b.key).map(({ item }) => item);
}

function sleep(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
