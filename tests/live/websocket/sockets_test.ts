/** Tests over real sockets with third-party clients. */

import { assert, assertEquals, assertLess, assertRejects } from "@std/assert";
import WebSocketOfNode from "npm:ws@^8";
import type * as fw from "../../../mod.ts";
import * as sessions from "../../../src/state/sessions/mod.ts";
import * as live from "../../../src/live/hub/mod.ts";
import { Live } from "../../../src/live/websocket/client/live.ts";
import * as websocket from "../../../src/live/websocket/mod.ts";
import * as compress from "../../../src/middleware/compress/mod.ts";
import { overSocket, quiet, readReceived } from "../../serving.ts";

function chat(options: websocket.Options = {}): { app: fw.Application; server: websocket.Server } {
  const app = quiet();
  const server = websocket.New({ Hub: live.New(), ...options });
  server.On(websocket.OnRoomJoin, () => true);
  server.On(websocket.OnNativeMessage, (conn, data) => conn.Write(data));
  server.On("echo", (_conn, data) => data);
  server.On("say", (conn, { room, text }) => conn.To(room).Emit("said", text));
  app.Get("/ws", websocket.Handler(server));
  return { app, server };
}

/** Waits for an event on a target. */
function once<T>(add: (resolve: (value: T) => void) => unknown): Promise<T> {
  return new Promise((resolve) => void add(resolve));
}

/** Keeps the thread busy, in milliseconds. */
function block(milliseconds: number): void {
  const end = performance.now() + milliseconds;
  while (performance.now() < end);
}

Deno.test("Handler() serves the ws package: text, bytes, and a size limit for all fragments together", async () => {
  const { app, server } = chat({ MaxMessage: 1000 });
  await overSocket(app, async (_ask, port) => {
    const socket = new WebSocketOfNode(`ws://127.0.0.1:${port}/ws`);
    await once((resolve) => socket.on("open", resolve));
    socket.send("hello");
    assertEquals(String(await once((resolve) => socket.once("message", resolve))), "hello");
    socket.send(new Uint8Array([1, 2, 3]));
    assertEquals([...await once<Uint8Array>((resolve) => socket.once("message", resolve))], [1, 2, 3]);
    socket.send("a".repeat(600), { fin: false });
    socket.send("b".repeat(600), { fin: true });
    assertEquals(await once<number>((resolve) => socket.once("close", resolve)), 1009);
    while (server.Connections() > 0) await new Promise((resolve) => setTimeout(resolve, 5));
  });
});

Deno.test("Live sends requests, joins a room and receives its messages over a socket", async () => {
  const { app } = chat();
  await overSocket(app, async (_ask, port) => {
    const [ada, bob] = [new Live(`http://127.0.0.1:${port}/ws`), new Live(`http://127.0.0.1:${port}/ws`)];
    assertEquals(await ada.Ask("echo", { a: [1] }), { a: [1] });
    await assertRejects(() => ada.Ask("nothing"), Error, "No handler");
    await ada.Join("tea");
    const said = once((resolve) => ada.On("said", resolve));
    await bob.Ask("say", { room: "tea", text: "hi" });
    assertEquals(await said, "hi");
    // The message is longer than a part and has surrogate pairs at the boundaries.
    const long = "\u{1f375}ä".repeat(9_000);
    assertEquals(await bob.Ask("echo", long.slice(0, 15_000)), long.slice(0, 15_000));
    ada.Close();
    bob.Close();
  });
});

Deno.test("Conn.Emit() sends long messages in parts, which the client reassembles", async () => {
  const { app, server } = chat();
  const long = "\u{1f375}ä".repeat(20_000);
  server.On("long", (conn) => {
    conn.Emit("first", 1);
    conn.Emit("long", long);
    conn.Emit("bytes", new Uint8Array([7, 8]));
    conn.Emit("last", 2);
  });
  await overSocket(app, async (_ask, port) => {
    const client = new Live(`http://127.0.0.1:${port}/ws`);
    const seen: unknown[] = [];
    client.On("first", (data) => seen.push(data));
    client.On("long", (data) => seen.push(data === long));
    client.On("bytes", (data) => seen.push([...data]));
    const last = once((resolve) => client.On("last", resolve));
    client.Emit("long");
    await last;
    assertEquals(seen, [1, true, [7, 8]]);
    client.Close();
  });
});

Deno.test("Conn.Close() closes the connection after a long message has been sent completely", async () => {
  const { app, server } = chat();
  const long = "x".repeat(500_000);
  server.On("leave", (conn) => {
    conn.Emit("report", long);
    conn.Close(4000, "Done");
  });
  await overSocket(app, async (_ask, port) => {
    const client = new Live(`http://127.0.0.1:${port}/ws`);
    const report = once<string>((resolve) => client.On("report", resolve));
    const left = once<number>((resolve) => client.OnState((state, code) => state === "waiting" && resolve(code)));
    await client.Ask("echo", 1);
    client.Emit("leave");
    assertEquals(await left, 4000);
    assertEquals((await report).length, long.length);
    client.Close();
  });
});

Deno.test("Live.OnState() reports 1006 if a connection is lost or cannot be opened", async () => {
  const listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  const { port } = listener.addr;
  const client = new Live(`http://127.0.0.1:${port}/ws`);
  const states = once<readonly [string, number]>((resolve) => client.OnState((...state) => resolve(state)));
  (await listener.accept()).close();
  assertEquals(await states, ["waiting", 1006]);
  client.Close();
  listener.close();
});

Deno.test("Conn.Close() shortens a reason that is too long, and the server goes on", async () => {
  const { app, server } = chat();
  server.On("leave", (conn, length) => conn.Close(4000, "é".repeat(length)));
  await overSocket(app, async (_ask, port) => {
    for (const [length, expected] of [[61, 61], [62, 61], [100_000, 61]] as const) {
      const socket = new WebSocket(`ws://127.0.0.1:${port}/ws`, "fw.live.1");
      await once((resolve) => socket.onopen = resolve);
      socket.send(`[1,0,"","leave",${length}]`);
      const { code, reason } = await once<CloseEvent>((resolve) => socket.onclose = resolve);
      assertEquals([code, reason], [4000, "é".repeat(expected)]);
    }
  });
});

Deno.test("Live reconnects, resumes its rooms and receives every message once and in order", async () => {
  const hub = live.New();
  hub.Topic("news", { History: 1000 });
  const { app, server } = chat({ Hub: hub });
  server.On("cut", (conn) => void conn.Close(4000));
  await overSocket(app, async (_ask, port) => {
    const client = new Live(`http://127.0.0.1:${port}/ws`);
    const seen: number[] = [];
    const done = once<void>((resolve) => client.On("n", (n) => seen.push(n) === 50 && resolve()));
    client.OnGap(() => seen.push(-1));
    await client.Join("news");
    for (let n = 0; n < 50; n++) {
      if (n % 10 === 5) {
        // Wait for a reply first, so that the client is connected. An event sent to a closing socket is lost.
        await client.Ask("echo", n);
        const lost = once<void>((resolve) => client.OnState((state) => state === "waiting" && resolve()));
        client.Emit("cut");
        await lost;
      }
      await hub.Topic("news").Publish("n", n);
    }
    await done;
    assertEquals(seen, Array.from({ length: 50 }, (_, n) => n));
    client.Close();
  });
});

Deno.test("Live reports a gap if missed messages are no longer stored", async () => {
  const hub = live.New();
  hub.Topic("news", { History: 5 });
  const { app, server } = chat({ Hub: hub });
  server.On("cut", (conn) => void conn.Close(4000));
  await overSocket(app, async (_ask, port) => {
    const client = new Live(`http://127.0.0.1:${port}/ws`);
    const seen: number[] = [];
    const gap = once((resolve) => client.OnGap(resolve));
    const done = once<void>((resolve) => client.On("n", (n) => seen.push(n) === 6 && resolve()));
    await client.Join("news");
    await hub.Topic("news").Publish("n", 1);
    await client.Ask("echo", 1);
    const ended = once<void>((resolve) => client.OnState((state) => state === "waiting" && resolve()));
    client.Emit("cut");
    await ended;
    for (let n = 2; n <= 20; n++) await hub.Topic("news").Publish("n", n);
    assertEquals(await gap, { Namespace: "", Room: "news", From: 2, To: 15, Reason: "history" });
    await done;
    assertEquals(seen, [1, 16, 17, 18, 19, 20]);
    client.Close();
  });
});

Deno.test("Live.Send() is applied once even if the connection is lost before the reply", async () => {
  const { app, server } = chat();
  let applied = 0;
  server.On("pay", (conn) => {
    applied++;
    if (applied === 1) conn.Close(4000);
    return applied;
  });
  await overSocket(app, async (_ask, port) => {
    const client = new Live(`http://127.0.0.1:${port}/ws`);
    assertEquals(await client.Send("pay"), 1);
    assertEquals(applied, 1);
    client.Close();
  });
});

Deno.test("Server closes the connection of a slow reader at MaxBuffered, and others are unaffected", async () => {
  const { app, server } = chat({ MaxBuffered: 256 << 10 });
  const forgotten = once<websocket.Ending>((resolve) => server.OnDisconnect((_conn, ending) => resolve(ending)));
  await overSocket(app, async (_ask, port) => {
    const stalled = await Deno.connect({ hostname: "127.0.0.1", port });
    await stalled.write(new TextEncoder().encode(handshake(port, "fw.live.1")));
    await stalled.read(new Uint8Array(1000));
    await stalled.write(masked('[7,1,"","tea"]'));
    const other = new Live(`http://127.0.0.1:${port}/ws`);
    let received = 0;
    other.On("said", () => received++);
    await other.Join("tea");
    const text = "x".repeat(60_000);
    let sent = 0;
    let ending: websocket.Ending | undefined;
    forgotten.then((it) => ending = it);
    for (; ending === undefined && sent < 5000; sent++) await other.Ask("say", { room: "tea", text });
    assertEquals(ending?.Code, 1013);
    assertLess(sent, 5000);
    assertEquals([received, server.Connections()], [sent, 1]);
    other.Close();
    stalled.close();
  });
});

Deno.test("Handler() sends the cookie of a session that starts with the handshake, and works behind compression", async () => {
  const { app, server } = chat();
  const manager = sessions.New();
  app.UseGlobal(compress.New(), manager.Handler(), (ctx) => {
    manager.Get(ctx)?.Set("since", 1);
    return ctx.Next();
  });
  await overSocket(app, async (_ask, port) => {
    const connection = await Deno.connect({ hostname: "127.0.0.1", port });
    await connection.write(new TextEncoder().encode(handshake(port, "bearer.x, fw.live.1")));
    const bytes = new Uint8Array(2000);
    const { status, headers } = readReceived(bytes.subarray(0, await connection.read(bytes) ?? 0));
    assertEquals([status, headers.get("sec-websocket-protocol")], [101, "fw.live.1"]);
    assert(headers.get("set-cookie")?.startsWith("fwsessionid="), headers.get("set-cookie") ?? "");
    connection.close();
    while (server.Connections() > 0) await new Promise((resolve) => setTimeout(resolve, 5));
  });
});

Deno.test("Server pings idle clients and closes silent ones", async () => {
  const { app, server } = chat({ IdleTimeout: 200 });
  await overSocket(app, async (_ask, port) => {
    const client = new Live(`http://127.0.0.1:${port}/ws`);
    assertEquals(await client.Ask("echo", 1), 1);
    const silent = new WebSocket(`ws://127.0.0.1:${port}/ws`, "fw.live.1");
    const closed = await once<CloseEvent>((resolve) => silent.onclose = resolve);
    assertEquals(closed.code, 1001);
    assertEquals([server.Connections(), client.State], [1, "open"]);
    client.Close();
  });
});

Deno.test("Server does not disconnect clients after the process was busy", async () => {
  const { app, server } = chat({ IdleTimeout: 800 });
  await overSocket(app, async (_ask, port) => {
    // The server checks a sixteenth of its connections at a time, so each check after the pause finds one of these.
    const clients = Array.from({ length: 16 }, () => new WebSocket(`ws://127.0.0.1:${port}/ws`, "fw.live.1"));
    await Promise.all(clients.map((client) => once((resolve) => client.onopen = resolve)));
    const respond = () => clients.forEach((client) => client.send("[0,1]"));
    let pings = 0;
    const end = once<string>((resolve) => {
      for (const client of clients) {
        client.onclose = ({ reason }) => resolve(reason);
        client.onmessage = ({ data }) => {
          if (data === "[0]" && ++pings === clients.length) {
            // No client has responded to its ping when the pause begins.
            block(1_000);
            respond();
          } else if (pings === 2 * clients.length) resolve("All are pinged again");
        };
      }
    });
    respond();
    assertEquals([await end, server.Connections()], ["All are pinged again", clients.length]);
    const closed = clients.map((client) => once((resolve) => client.onclose = resolve));
    for (const client of clients) client.close();
    await Promise.all(closed);
  });
});

Deno.test("Live does not treat its server as silent after its own process was busy", async () => {
  const { app } = chat({ IdleTimeout: 800 });
  await overSocket(app, async (_ask, port) => {
    const client = new Live(`http://127.0.0.1:${port}/ws`);
    const states: string[] = [];
    client.OnState((state) => states.push(state));
    assertEquals(await client.Ask("echo", 1), 1);
    block(1_100);
    assertEquals(await client.Ask("echo", 2), 2);
    assertEquals(states.filter((state) => state !== "open"), []);
    client.Close();
  });
});

Deno.test("Client() serves a module of at most 5 KB compressed, whose class connects", async () => {
  const { app } = chat();
  app.Get("/live.js", websocket.Client());
  const response = await app.fetch(new Request("http://localhost/live.js"));
  const text = await response.text();
  const { Live: Served } = await import(`data:text/javascript,${encodeURIComponent(text)}`);
  assertEquals(Served.name, "Live");
  const packed = await new Response(new Blob([text]).stream().pipeThrough(new CompressionStream("gzip"))).bytes();
  assertLess(packed.length, 5_000);
  await overSocket(app, async (_ask, port) => {
    const client = new Served(`http://127.0.0.1:${port}/ws`);
    const said = once((resolve) => client.Once("said", resolve));
    await client.Join("tea");
    await client.Ask("say", { room: "tea", text: "hi" });
    assertEquals(await said, "hi");
    client.Close();
  });
});

function handshake(port: number, protocols: string): string {
  return `GET /ws HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nUpgrade: websocket\r\nConnection: keep-alive, Upgrade\r\n` +
    `Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Protocol: ${protocols}\r\n\r\n`;
}

function masked(text: string): Uint8Array<ArrayBuffer> {
  const bytes = new TextEncoder().encode(text);
  return new Uint8Array([0x81, 0x80 | bytes.length, 0, 0, 0, 0, ...bytes]);
}

/** Serves an event whose handler is asynchronous, and one that closes the connection. */
function slowChat(): { app: fw.Application; server: websocket.Server; handled: unknown[] } {
  const { app, server } = chat({ Rooms: { History: 10 } });
  const handled: unknown[] = [];
  server.On("slow", async (_conn, data) => {
    await new Promise((resolve) => setTimeout(resolve));
    handled.push(data instanceof Uint8Array ? data[0] : data);
    return data;
  });
  server.On("cut", (conn) => conn.Close(4000));
  return { app, server, handled };
}

Deno.test("Live resumes more rooms than the server queues packets", async () => {
  const { app, server } = slowChat();
  const rooms = Array.from({ length: 150 }, (_, at) => `room${at}`);
  await overSocket(app, async (_ask, port) => {
    const client = new Live(`http://127.0.0.1:${port}/ws`);
    const seen: string[] = [];
    const codes: number[] = [];
    client.OnState((_state, code) => codes.push(code));
    const all = once<void>((resolve) =>
      client.On("said", (_text, room) => seen.push(room) === rooms.length && resolve())
    );
    await client.Ask("echo", 1);
    await Promise.all(rooms.map((room) => client.Join(room)));
    const left = once<void>((resolve) => client.OnState((state) => state === "waiting" && resolve()));
    client.Emit("cut");
    await left;
    for (const room of rooms) await server.To(room).Emit("said", room);
    await all;
    assertEquals(seen, rooms);
    assertEquals(codes.filter((code) => code !== 0), [4000]);
    client.Close();
  });
});

Deno.test("Live resumes a room that had no messages before, without a gap", async () => {
  const { app, server } = slowChat();
  await overSocket(app, async (_ask, port) => {
    const client = new Live(`http://127.0.0.1:${port}/ws`);
    const seen: unknown[] = [];
    client.OnGap((gap) => seen.push(gap));
    client.On("said", (text) => seen.push(text));
    const last = once<void>((resolve) => client.On("said", (text) => text === "last" && resolve()));
    await client.Join("tea");
    for (const text of ["none", "first", "last"]) {
      const left = once<void>((resolve) => client.OnState((state) => state === "waiting" && resolve()));
      const back = once<void>((resolve) => client.OnState((state) => state === "open" && resolve()));
      client.Emit("cut");
      await left;
      if (text !== "none") await server.To("tea").Emit("said", text);
      await back;
      await client.Ask("echo", 1);
    }
    await last;
    assertEquals(seen, ["first", "last"]);
    client.Close();
  });
});

Deno.test("Live sends queued events, requests and repeated events in order, however many wait", async () => {
  const { app, handled } = slowChat();
  await overSocket(app, async (_ask, port) => {
    const client = new Live(`http://127.0.0.1:${port}/ws`);
    const codes: number[] = [];
    client.OnState((_state, code) => codes.push(code));
    // The packets are queued until the connection is open.
    for (let at = 0; at < 99; at++) client.Emit("slow", at % 3 === 2 ? new Uint8Array([at]) : at);
    assertEquals(await client.Ask("slow", 99), 99);
    assertEquals(handled, Array.from({ length: 100 }, (_, at) => at));
    const replies = await Promise.all(Array.from({ length: 200 }, (_, at) => client.Ask("slow", at)));
    assertEquals(replies, Array.from({ length: 200 }, (_, at) => at));
    // Events that are sent again after a reconnection.
    client.Emit("cut");
    await once<void>((resolve) => client.OnState((state) => state === "waiting" && resolve()));
    const sent = Array.from({ length: 90 }, (_, at) => client.Send("slow", at));
    assertEquals(await Promise.all(sent), Array.from({ length: 90 }, (_, at) => at));
    assertEquals(codes.filter((code) => code !== 0), [4000]);
    client.Close();
  });
});

Deno.test("Live sends further requests after others have timed out", async () => {
  const { app, server } = chat();
  const released = Promise.withResolvers<void>();
  server.On("held", () => released.promise);
  await overSocket(app, async (_ask, port) => {
    const client = new Live(`http://127.0.0.1:${port}/ws`, { Timeout: 50 });
    const lost = await Promise.allSettled(Array.from({ length: 60 }, () => client.Ask("held")));
    assertEquals(lost.filter(({ status }) => status === "rejected").length, 60);
    released.resolve();
    while (await client.Ask("echo", 1).catch(() => 0) !== 1);
    client.Close();
  });
});
