/** Tests that clients resume rooms with long histories, and that readers are not taken for slow ones. */

import { assert, assertEquals } from "@std/assert";
import { io } from "npm:socket.io-client@^4";
import * as fw from "../../../mod.ts";
import * as live from "../../../src/live/hub/mod.ts";
import { Live } from "../../../src/live/websocket/client/live.ts";
import * as websocket from "../../../src/live/websocket/mod.ts";
import * as socketio from "../../../src/live/websocket/socketio.ts";
import { overSocket, quiet } from "../../serving.ts";
import { Balancer } from "../hub/cluster.ts";

/** A client that counts the messages of each room, and its connections. */
class Reader {
  readonly client: Live;
  readonly faults: string[] = [];
  readonly codes: number[] = [];
  readonly #last = new Map<string, number>();
  #wake: (() => void) | undefined = undefined;

  constructor(port: number) {
    this.client = new Live(`ws://127.0.0.1:${port}/ws`, { Timeout: 30_000 });
    this.client.On("message", ({ n }, room) => {
      const last = this.#last.get(room) ?? 0;
      if (n !== last + 1) this.faults.push(`${room}: ${n} after ${last}`);
      this.#last.set(room, n);
      this.#wake?.();
    });
    this.client.OnGap((gap) => this.faults.push(`${gap.Room}: ${gap.Reason}`));
    this.client.OnState((_state, code) => {
      if (code > 0) this.codes.push(code);
    });
  }

  async has(rooms: readonly string[], n: number): Promise<void> {
    while (rooms.some((room) => (this.#last.get(room) ?? 0) < n)) {
      await new Promise<void>((resolve) => this.#wake = resolve);
    }
  }
}

const cases: Readonly<Record<string, { rooms: number; messages: number; size: number }>> = {
  "two rooms of 600 messages of 2 KB": { rooms: 2, messages: 600, size: 2_000 },
  "one room of 3,000 messages of 2 KB": { rooms: 1, messages: 3_000, size: 2_000 },
  "twenty rooms of 100 messages of 5 KB": { rooms: 20, messages: 100, size: 5_000 },
  "three rooms of messages of 1.5 MB": { rooms: 3, messages: 4, size: 1_500_000 },
  "three rooms of messages of 600 KB": { rooms: 3, messages: 6, size: 600_000 },
};

for (const [what, { rooms: count, messages, size }] of Object.entries(cases)) {
  Deno.test(`Live resumes ${what} with the default limits in one connection`, async () => {
    const hub = live.New();
    const server = websocket.New({ Hub: hub });
    server.On(websocket.OnRoomJoin, () => true);
    const app = quiet();
    app.Get("/ws", websocket.Handler(server));
    const rooms = Array.from({ length: count }, (_, at) => `room ${at}`);
    const topics = rooms.map((room) => hub.Topic(room, { History: 10_000 }));
    await overSocket(app, async (_ask, port) => {
      const balancer = new Balancer(port);
      const reader = new Reader(balancer.port);
      for (const room of rooms) await reader.client.Join(room);
      for (const topic of topics) await topic.Publish("message", { n: 1 });
      await reader.has(rooms, 1);
      balancer.target = 1;
      balancer.cut();
      const text = "x".repeat(size);
      for (let n = 2; n <= messages; n++) for (const topic of topics) await topic.Publish("message", { n, text });
      balancer.target = port;
      await reader.has(rooms, messages);
      for (const topic of topics) await topic.Publish("message", { n: messages + 1 });
      await reader.has(rooms, messages + 1);
      assertEquals(reader.faults, []);
      assertEquals(reader.codes.filter((code) => code !== 1006), []);
      reader.client.Close();
      balancer.close();
    });
  });
}

Deno.test("Live waits longer each time if the server closes its connections because of a limit", async () => {
  const app = quiet();
  const server = websocket.New({ Hub: live.New(), MaxMessage: 10 });
  const waits: number[] = [];
  let closedAt = 0;
  server.OnDisconnect(() => void (closedAt = performance.now()));
  app.Get("/ws", (ctx) => {
    if (closedAt > 0) waits.push(performance.now() - closedAt);
    return ctx.Next();
  }, websocket.Handler(server));
  const random = Math.random;
  Math.random = () => 0.5;
  try {
    await overSocket(app, async (_ask, port) => {
      // The packet that connects to the namespace is too long, so every connection is closed (1009).
      const client = new Live(`ws://127.0.0.1:${port}/ws`);
      const tried = Promise.withResolvers<void>();
      client.OnState((state) => state === "open" && waits.length === 3 && tried.resolve());
      await tried.promise;
      client.Close();
    });
  } finally {
    Math.random = random;
  }
  assertEquals(waits.map((wait) => Math.round(Math.log2(wait / 500))), [0, 1, 2]);
});

/** Events and bytes to send in one turn. */
const turns: Readonly<Record<string, (conn: websocket.Conn) => void>> = {
  "an event followed by 1.5 MB of bytes": (conn) => {
    conn.Emit("first", 1);
    conn.Emit("last", new Uint8Array(1_500_000));
  },
  "1.5 MB of bytes followed by events": (conn) => {
    conn.Emit("bytes", new Uint8Array(1_500_000));
    for (let n = 0; n < 100; n++) conn.Emit("first", "x".repeat(1_000));
    conn.Emit("last", 1);
  },
  "four events with 1 MB of bytes": (conn) => {
    for (let n = 0; n < 4; n++) conn.Emit("bytes", new Uint8Array(1 << 20));
    conn.Emit("last", 1);
  },
};

for (const [what, send] of Object.entries(turns)) {
  Deno.test(`Server sends ${what} to a client that reads`, async () => {
    const server = websocket.New({ Hub: live.New() });
    server.On("go", (conn) => {
      send(conn);
      setTimeout(() => conn.IsClosed || conn.Emit("later", 1));
      return "done";
    });
    const app = quiet();
    app.Get("/ws", websocket.Handler(server));
    await overSocket(app, async (_ask, port) => {
      const client = new Live(`ws://127.0.0.1:${port}/ws`);
      const codes: number[] = [];
      client.OnState((_state, code) => code > 0 && codes.push(code));
      const [last, later] = ["last", "later"].map((event) => new Promise((resolve) => client.Once(event, resolve)));
      assertEquals(await client.Ask("go"), "done");
      await last;
      await later;
      assertEquals(codes, []);
      client.Close();
    });
  });
}

// The npm client leaves timers behind.
Deno.test({
  name: "Handler() of socketio sends attachments of more than MaxBuffered to a client that reads",
  sanitizeOps: false,
  sanitizeResources: false,
  async fn() {
    const server = websocket.New({ Hub: live.New() });
    server.On("go", (conn) => {
      conn.Emit("first", 1);
      conn.Emit("bytes", new socketio.Args(new Uint8Array(3 << 20), { nested: new Uint8Array(2 << 20) }));
      return new Uint8Array(2 << 20);
    });
    const app = quiet();
    app.Configure(fw.WithoutPathCorrectionRedirection);
    app.Get("/socket.io", socketio.Handler(server));
    await overSocket(app, async (_ask, port) => {
      const socket = io(`http://127.0.0.1:${port}`, { transports: ["websocket"], reconnection: false });
      const bytes = new Promise<unknown[]>((resolve) => socket.once("bytes", (...args: unknown[]) => resolve(args)));
      const ended = new Promise<string>((resolve) => socket.once("disconnect", resolve));
      const reply = await Promise.race([socket.emitWithAck("go"), ended]);
      assert(ArrayBuffer.isView(reply) && reply.byteLength === 2 << 20, String(reply));
      const [first, second] = await bytes as [Uint8Array, { nested: Uint8Array }];
      assertEquals([first.byteLength, second.nested.byteLength], [3 << 20, 2 << 20]);
      socket.disconnect();
    });
  },
});
