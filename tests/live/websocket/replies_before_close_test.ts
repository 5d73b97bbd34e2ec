/** Tests with messages and a close frame that arrive in one packet, as from a client that sends and closes. */

import { assertEquals } from "@std/assert";
import type * as fw from "../../../mod.ts";
import * as live from "../../../src/live/hub/mod.ts";
import * as websocket from "../../../src/live/websocket/mod.ts";
import * as socketio from "../../../src/live/websocket/socketio.ts";
import { overSocket, quiet } from "../../serving.ts";
import { frame, RawClient } from "./raw_client.ts";

function echo(handler: websocket.EventHandler): fw.Application {
  const server = websocket.New({ Hub: live.New() });
  server.On(websocket.OnNativeMessage, handler);
  server.On("echo", (_conn, data) => data);
  const app = quiet();
  app.Get("/ws", websocket.Handler(server));
  app.Get("/socket.io", socketio.Handler(server));
  return app;
}

const handlers: Readonly<Record<string, websocket.EventHandler>> = {
  "returned values": (_conn, data) => data,
  "sent messages": (conn, data) => conn.Write(data),
};

for (const [name, handler] of Object.entries(handlers)) {
  Deno.test(`OnNativeMessage replies with ${name} before a close frame that arrives with the messages`, async () => {
    const bytes = new Uint8Array([1, 2, 3]);
    await overSocket(echo(handler), async (_ask, port) => {
      using client = await RawClient.open(port, "/ws");
      await client.write(frame("one"), frame(bytes), frame("two"), frame(1000));
      assertEquals(await client.rest(), ["one", bytes, "two", 1000]);
    });
  });
}

Deno.test("Handler() of socketio acknowledges events before a close frame that arrives with them", async () => {
  await overSocket(echo(() => {}), async (_ask, port) => {
    using client = await RawClient.open(port, "/socket.io?EIO=4&transport=websocket");
    await client.write(frame("40"));
    assertEquals(String(await client.next()).slice(0, 1), "0");
    assertEquals(String(await client.next()).slice(0, 2), "40");
    const placeholder = '{"_placeholder":true,"num":0}';
    const bytes = new Uint8Array([1, 2, 3]);
    await client.write(
      frame('420["echo",1]'),
      frame(`451-1["echo",${placeholder}]`),
      frame(bytes),
      frame('422["echo",2]'),
      frame(1000),
    );
    assertEquals(await client.rest(), ["430[1]", `461-1[${placeholder}]`, bytes, "432[2]", 1000]);
  });
});

Deno.test("Conn.Close() sends the last messages and the close frame although other messages have arrived", async () => {
  const server = websocket.New({ Hub: live.New() });
  server.On(websocket.OnNativeMessage, (conn, data) => {
    conn.Write(data);
    if (data === "bye") conn.Close(4000, "Bye");
  });
  const app = quiet();
  app.Get("/ws", websocket.Handler(server));
  await overSocket(app, async (_ask, port) => {
    for (const rest of [0, 1, 5_000]) {
      using client = await RawClient.open(port, "/ws");
      await client.write(frame("one"), frame("bye"), ...Array.from({ length: rest }, () => frame("too late")));
      assertEquals(await client.rest(), ["one", "bye", 4000]);
    }
  });
});

Deno.test("Server sends the close code of an exceeded or violated limit although other messages have arrived", async () => {
  const events: Readonly<Record<number, readonly string[]>> = {
    1007: ["no JSON", ...Array.from({ length: 200 }, () => "no JSON")],
    1008: Array.from({ length: 200 }, (_, at) => `[1,${at + 1},"","slow"]`),
    1009: [`[1,1,"","${"x".repeat(100)}"]`, ...Array.from({ length: 200 }, () => "[0]")],
  };
  const server = websocket.New({ Hub: live.New(), MaxMessage: 100, MaxQueued: 10 });
  const released = Promise.withResolvers<void>();
  server.On("slow", () => released.promise);
  const app = quiet();
  app.Get("/ws", websocket.Handler(server));
  await overSocket(app, async (_ask, port) => {
    for (const [code, messages] of Object.entries(events)) {
      using client = await RawClient.open(port, "/ws", "fw.live.1");
      await client.write(...messages.map(frame));
      assertEquals((await client.rest()).at(-1), Number(code));
    }
    released.resolve();
  });
});
