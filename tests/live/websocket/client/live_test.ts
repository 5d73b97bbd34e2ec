import { assert, assertEquals, assertRejects, assertThrows } from "@std/assert";
import type * as fw from "../../../../mod.ts";
import * as live from "../../../../src/live/hub/mod.ts";
import { Live } from "../../../../src/live/websocket/client/live.ts";
import type { LiveState, MissedMessages } from "../../../../src/live/websocket/client/live_types.ts";
import * as websocket from "../../../../src/live/websocket/mod.ts";
import { overSocket, quiet } from "../../../serving.ts";

function echo(options: websocket.Options = {}): { app: fw.Application; server: websocket.Server; joins: string[] } {
  const app = quiet();
  const joins: string[] = [];
  const server = websocket.New({ Hub: live.New(), ...options });
  server.On(websocket.OnRoomJoin, (_conn, room) => void joins.push(room));
  server.On("echo", (_conn, data) => data);
  server.On("kind", (_conn, data) => data instanceof Uint8Array ? "bytes" : typeof data);
  server.On("ask", (conn, data) => conn.Ask("question", data, { Timeout: 2_000 }));
  server.On("cut", (conn) => void conn.Close(4000));
  server.On("say", (conn, data) => conn.To("tea").Emit("said", data));
  app.Get("/ws", websocket.Handler(server));
  return { app, server, joins };
}

/** Waits until a client has a state. */
function reached(client: Live, state: LiveState): Promise<void> {
  if (client.State === state) return Promise.resolve();
  return new Promise((resolve) => {
    const remove = client.OnState((now) => {
      if (now !== state) return;
      remove();
      resolve();
    });
  });
}

Deno.test("Live sends bytes unchanged in events, requests, replies and repeated events", async () => {
  await overSocket(echo().app, async (_ask, port) => {
    const client = new Live(`http://127.0.0.1:${port}/ws`);
    assertEquals(await client.Ask("kind", new Uint8Array([1])), "bytes");
    assertEquals(await client.Ask("echo", new Uint8Array([1, 2, 3])), new Uint8Array([1, 2, 3]));
    assertEquals(await client.Ask("echo", new Uint8Array([1, 2, 3]).buffer), new Uint8Array([1, 2, 3]));
    assertEquals(await client.Ask("echo", new Uint8Array([1, 2, 3]).subarray(1)), new Uint8Array([2, 3]));
    assertEquals(await client.Ask("echo", new Uint8Array()), new Uint8Array());
    assertEquals(await client.Send("kind", new Uint8Array([1])), "bytes");
    client.On("question", (bytes) => bytes.toReversed());
    assertEquals(await client.Ask("ask", new Uint8Array([1, 2])), new Uint8Array([2, 1]));
    client.Emit("echo", new Uint8Array([1]));
    await assertRejects(() => client.Ask("echo", { file: new Uint8Array([1]) }), TypeError, "whole data");
    client.Close();
  });
});

Deno.test("Live sends a Map as an object and a Set as an array, as typed clients do", async () => {
  await overSocket(echo().app, async (_ask, port) => {
    const client = new Live(`http://127.0.0.1:${port}/ws`);
    const sent = { map: new Map<string, unknown>([["a", 1], ["b", new Set([2n])]]), set: new Set(["c"]) };
    assertEquals(await client.Ask("echo", sent), { map: { a: 1, b: [2] }, set: ["c"] });
    assertEquals(await client.Ask("echo", new Map([[1, 2]])), { 1: 2 });
    client.Close();
  });
});

Deno.test("Conn.To() and Server.Broadcast() send bytes to Live", async () => {
  const { app, server } = echo({ Rooms: { History: 10 } });
  await overSocket(app, async (_ask, port) => {
    const client = new Live(`http://127.0.0.1:${port}/ws`);
    const seen: unknown[] = [];
    client.On("all", (data) => seen.push(data));
    const said = new Promise((resolve) => client.On("said", resolve));
    await client.Join("tea");
    server.Broadcast(null, "all", new Uint8Array([250, 0]));
    await client.Ask("say", new Uint8Array([1, 255]));
    assertEquals(await said, new Uint8Array([1, 255]));
    assertEquals(seen, [new Uint8Array([250, 0])]);
    client.Close();
  });
});

Deno.test("Live.Once() is called once, and Live.OnAny() for all events before their handlers", async () => {
  await overSocket(echo().app, async (_ask, port) => {
    const client = new Live(`http://127.0.0.1:${port}/ws`);
    const seen: string[] = [];
    client.Once("said", (data) => seen.push(`once ${data}`));
    client.Once("said", () => seen.push("removed"))();
    client.On("said", (data) => seen.push(`on ${data}`));
    const remove = client.OnAny((event, data, room) => seen.push(`any ${event} ${data} ${room}`));
    await client.Join("tea");
    await client.Ask("say", 1);
    await client.Ask("say", 2);
    remove();
    await client.Ask("say", 3);
    await client.Ask("echo");
    assertEquals(seen, ["any said 1 tea", "once 1", "on 1", "any said 2 tea", "on 2", "on 3"]);
    client.Close();
  });
});

Deno.test("Live.OnState() and Live.OnGap() accept several handlers, and one that throws does not stop the client", async () => {
  await overSocket(echo().app, async (_ask, port) => {
    const client = new Live(`http://127.0.0.1:${port}/ws`);
    const [one, other]: LiveState[][] = [[], []];
    const errors: unknown[] = [];
    const report = (event: ErrorEvent) => {
      event.preventDefault();
      errors.push(event.error);
    };
    addEventListener("error", report);
    client.OnState((state) => {
      one?.push(state);
      throw new Error("Mine");
    });
    const remove = client.OnState((state) => other?.push(state));
    await client.Ask("echo", 1);
    client.Emit("cut");
    await reached(client, "waiting");
    remove();
    await reached(client, "open");
    client.Close();
    removeEventListener("error", report);
    assertEquals(one?.slice(0, 3), ["open", "waiting", "connecting"]);
    assertEquals(other, ["open", "waiting"]);
    assert(errors.length >= 3);
  });
});

Deno.test("Live.Join() sends one request on the first connection, and keeps the room's position if it is called again", async () => {
  const hub = live.New();
  const news = hub.Topic("news");
  const { app, joins } = echo({ Hub: hub });
  await overSocket(app, async (_ask, port) => {
    const client = new Live(`http://127.0.0.1:${port}/ws`);
    const seen: number[] = [];
    client.On("n", (n) => seen.push(n));
    await client.Join("news");
    assertEquals(joins, ["news"]);
    await news.Publish("n", 1);
    await client.Join("news");
    client.Emit("cut");
    await reached(client, "waiting");
    await news.Publish("n", 2);
    await reached(client, "open");
    await client.Ask("echo");
    assertEquals(seen, [1, 2]);
    client.Close();
  });
});

Deno.test("Live.OnGap() reports a room that the client may no longer join when it reconnects", async () => {
  const { app, server } = echo();
  let isOpen = true;
  server.Namespace("chat").On(websocket.OnRoomJoin, () => isOpen);
  await overSocket(app, async (_ask, port) => {
    const client = new Live(`http://127.0.0.1:${port}/ws`);
    const gap = new Promise<MissedMessages>((resolve) => client.OnGap(resolve));
    await client.Join("tea", { Namespace: "chat" });
    isOpen = false;
    client.Emit("cut");
    const { Namespace, Room, Reason } = await gap;
    assertEquals([Namespace, Room, Reason], ["chat", "tea", "refused"]);
    client.Close();
  });
});

Deno.test("Live.Ask() waits for the first connection, and has its own timeout", async () => {
  const { app } = echo();
  let tries = 0;
  await overSocket(app, async (_ask, port) => {
    const Token = () => ++tries === 1 ? Promise.reject(new Error("Not logged in")) : Promise.resolve("t");
    const client = new Live(`http://127.0.0.1:${port}/ws`, { Token });
    assertEquals(await client.Ask("echo", "late"), "late");
    assertEquals(await client.Ask("echo", "patient", { Timeout: Infinity }), "patient");
    client.On("question", () => new Promise(() => {}));
    const error = await assertRejects(() => client.Ask("ask", 1, { Timeout: 50 }), Error, "No reply within 50 ms");
    assertEquals(error.cause, undefined);
    client.Close();
    await assertRejects(() => client.Ask("echo"), Error, "closed");
  });
});

Deno.test("Live.Ask() fails with the error of the token as its cause", async () => {
  const Token = () => Promise.reject(new Error("Not logged in"));
  const client = new Live("ws://127.0.0.1:9/ws", { Token, Timeout: 50 });
  const error = await assertRejects(() => client.Ask("echo"), Error, "No reply");
  assertEquals((error.cause as Error).message, "Not logged in");
  client.Close();
});

Deno.test("new Live() throws if the URL is not valid", () => {
  assertThrows(() => new Live("/ws"), TypeError, "Invalid URL");
});
