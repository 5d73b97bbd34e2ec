import { assert, assertEquals } from "@std/assert";
import * as live from "../../../../src/live/hub/mod.ts";
import { Live } from "../../../../src/live/websocket/client/live.ts";
import * as websocket from "../../../../src/live/websocket/mod.ts";
import { SlowReader } from "../../../../src/live/websocket/wire/slow_reader.ts";
import { overSocket, quiet } from "../../../serving.ts";
import { frame, RawClient } from "../raw_client.ts";

/** A connection whose reader is stalled until the test releases it. */
class Stalled {
  buffered = 0;
  readonly sent: unknown[] = [];
  isWatched = false;
  readonly host = { settings: { MaxBuffered: 100 } };

  send(packet: unknown): void {
    this.sent.push(packet);
  }

  watch(): void {
    this.isWatched = true;
  }
}

Deno.test("SlowReader keeps the latest message of each key and reports missing messages first", () => {
  const link = new Stalled();
  const reader = new SlowReader(link);
  assertEquals(reader.takes("a1", "a", () => "lost from 1"), false);
  link.buffered = 200;
  assert(reader.takes("a2", "a", () => "lost from 2"));
  assert(link.isWatched);
  link.buffered = 0;
  for (const n of [3, 4, 5]) assert(reader.takes(`a${n}`, "a", () => `lost from ${n}`));
  assert(reader.takes("b1", "b", () => "lost of b"));
  reader.caughtUp();
  assertEquals(link.sent, ["lost from 2", "a5", "b1"]);
  assertEquals(reader.takes("a6", "a"), false);
});

Deno.test("SlowReader sends the latest messages of several events in the order in which they were published", () => {
  const link = new Stalled();
  const reader = new SlowReader(link);
  link.buffered = 200;
  for (
    const [packet = "", key = ""] of [["a1", "a"], ["b1", "b"], ["c1", "c"], ["a2", "a"], ["b2", "b"], ["a3", "a"]]
  ) {
    assert(reader.takes(packet, key));
  }
  reader.caughtUp();
  assertEquals(link.sent, ["c1", "b2", "a3"]);
});

/** Forwards a connection. While it is paused, it does not read from the server. */
class Throttle {
  readonly #listener: Deno.TcpListener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  readonly #target: number;
  readonly #open: Deno.TcpConn[] = [];
  #paused: PromiseWithResolvers<void> | undefined = undefined;

  constructor(target: number) {
    this.#target = target;
    void this.#run();
  }

  get port(): number {
    return this.#listener.addr.port;
  }

  pause(): void {
    this.#paused = Promise.withResolvers();
  }

  resume(): void {
    this.#paused?.resolve();
    this.#paused = undefined;
  }

  async #run(): Promise<void> {
    const incoming = await this.#listener.accept();
    const outgoing = await Deno.connect({ hostname: "127.0.0.1", port: this.#target });
    this.#open.push(incoming, outgoing);
    await Promise.all([this.#copy(incoming, outgoing, false), this.#copy(outgoing, incoming, true)]);
  }

  async #copy(from: Deno.TcpConn, to: Deno.TcpConn, isThrottled: boolean): Promise<void> {
    const buffer = new Uint8Array(16 << 10);
    for (;;) {
      if (isThrottled) await this.#paused?.promise;
      const count = await from.read(buffer).catch(() => null);
      if (count === null) return;
      for (let at = 0; at < count;) at += await to.write(buffer.subarray(at, count)).catch(() => count);
    }
  }

  close(): void {
    this.#listener.close();
    for (const connection of this.#open) connection.close();
  }
}

Deno.test('Slow: "latest" skips to the latest message of a room for a stalled client, and reports each gap', async () => {
  const hub = live.New();
  const topic = hub.Topic("news", { History: 10 });
  const server = websocket.New({ Hub: hub, Slow: "latest", MaxBuffered: 64 << 10 });
  server.On(websocket.OnRoomJoin, () => true);
  server.On("echo", (_conn, data) => data);
  const app = quiet();
  app.Get("/ws", websocket.Handler(server));
  await overSocket(app, async (_ask, port) => {
    const throttle = new Throttle(port);
    const client = new Live(`http://127.0.0.1:${throttle.port}/ws`);
    const told: (readonly [from: number, to: number])[] = [];
    const states: string[] = [];
    client.On("n", ([n]) => void told.push([n, n]));
    const gap = new Promise<string>((resolve) =>
      client.OnGap(({ From, To, Reason }) => {
        told.push([From, To]);
        resolve(Reason);
      })
    );
    await client.Join("news");
    client.OnState((state) => void states.push(state));
    throttle.pause();
    // The text is larger than the buffers of the system.
    const text = "x".repeat(60_000);
    let last = 0;
    for (; last < 400; await turn()) await topic.Publish("n", [++last, text]);
    throttle.resume();
    assertEquals(await gap, "slow");
    assertEquals(await client.Ask("echo", 1), 1);
    while (told.at(-1)?.[1] !== last) await turn();
    // Each number is either in a message or in a gap, exactly once and in order.
    let next = 1;
    for (const [from, to] of told) {
      assertEquals(from, next, JSON.stringify(told));
      next = to + 1;
    }
    assertEquals([next - 1, states, server.Connections()], [last, [], 1]);
    client.Close();
    throttle.close();
  });
  await hub.Close();
});

function turn(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, 0));
}

Deno.test("Server closes the connection of a client that requests long replies together and does not read them", async () => {
  const senders: Record<string, websocket.EventHandler> = {
    "replies": () => "x".repeat(100_000),
    "events": (conn) => conn.Emit("long", "x".repeat(100_000)),
    "room messages": (conn) => conn.To("tea").Emit("long", "x".repeat(100_000)),
    "values of promises": () => Promise.resolve("x".repeat(100_000)),
  };
  for (const [name, sender] of Object.entries(senders)) {
    const server = websocket.New({ Hub: live.New(), MaxQueued: 1000 });
    const ended = Promise.withResolvers<number>();
    server.On(websocket.OnNamespaceConnected, (conn) => conn.Join("tea"));
    server.On("long", sender);
    server.OnDisconnect((_conn, { Code }) => ended.resolve(Code));
    const app = quiet();
    app.Get("/ws", websocket.Handler(server));
    await overSocket(app, async (_ask, port) => {
      using client = await RawClient.open(port, "/ws", "fw.live.1");
      // All requests fit into one read. Their replies have 20 MB.
      await client.write(...Array.from({ length: 200 }, (_, at) => frame(`[1,${at + 1},"","long"]`)));
      assertEquals(await ended.promise, 1013, name);
    });
  }
});

Deno.test("Conn.Emit() sends more than MaxBuffered from one handler to a client that reads", async () => {
  const server = websocket.New({ Hub: live.New() });
  server.On("all", (conn) => {
    for (let at = 0; at < 40; at++) conn.Emit("part", { at, text: "x".repeat(100_000) });
    return 40;
  });
  const app = quiet();
  app.Get("/ws", websocket.Handler(server));
  await overSocket(app, async (_ask, port) => {
    const client = new Live(`http://127.0.0.1:${port}/ws`);
    const parts: number[] = [];
    client.On("part", ({ at }) => parts.push(at));
    assertEquals(await client.Ask("all"), 40);
    assertEquals(parts, Array.from({ length: 40 }, (_, at) => at));
    client.Close();
    while (server.Connections() > 0) await new Promise((resolve) => setTimeout(resolve, 5));
  });
});
