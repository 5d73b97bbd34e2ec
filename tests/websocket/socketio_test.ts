import { assertEquals } from "@std/assert";
import { io, type Socket } from "npm:socket.io-client@^4";
import * as live from "../../src/live/mod.ts";
import * as websocket from "../../src/websocket/mod.ts";
import * as socketio from "../../src/websocket/socketio.ts";
import * as fw from "../../mod.ts";
import { overSocket, quiet } from "../serving.ts";

function chat(): fw.Application {
  const server = websocket.New({ Hub: live.New() });
  const room = server.Namespace("room");
  room.On(websocket.OnNamespaceConnect, (_conn, auth) => auth?.token === "tea");
  room.On(websocket.OnNamespaceConnected, (conn) => conn.Join("all"));
  room.On("say", (conn, text) => conn.To("all").Emit("said", text));
  room.On("sum", (_conn, numbers) => [...numbers].reduce((a: number, b: number) => a + b, 0));
  room.On("bytes", (_conn, data) => data);
  room.On("ask", (conn) => conn.Ask("name"));
  const app = quiet();
  app.Configure(fw.WithoutPathCorrectionRedirection);
  app.Get("/socket.io", socketio.Handler(server));
  return app;
}

function open(port: number, token: string): Socket {
  return io(`http://127.0.0.1:${port}/room`, { transports: ["websocket"], auth: { token }, reconnection: false });
}

/** Waits for one event. */
function once(socket: Socket, event: string): Promise<unknown> {
  return new Promise((resolve) => socket.once(event, (data: unknown) => resolve(data)));
}

// The npm client leaves timers behind.
Deno.test({
  name:
    "Handler() of socketio serves the official client: acknowledgements, rooms, binary data, server requests and refusals",
  sanitizeOps: false,
  sanitizeResources: false,
  async fn() {
    await overSocket(chat(), async (_ask, port) => {
      const [ada, bob] = [open(port, "tea"), open(port, "tea")];
      await Promise.all([once(ada, "connect"), once(bob, "connect")]);
      assertEquals(await ada.emitWithAck("sum", 1, 2, 3), 6);
      const said = once(bob, "said");
      ada.emit("say", "hello");
      assertEquals(await said, "hello");
      assertEquals([...await ada.emitWithAck("bytes", new Uint8Array([1, 2, 3]))], [1, 2, 3]);
      ada.on("name", (...args: unknown[]) => (args.at(-1) as (name: string) => void)("Ada"));
      assertEquals(await ada.emitWithAck("ask"), "Ada");
      const eve = open(port, "beer");
      assertEquals(String(await once(eve, "connect_error")).includes("not allowed"), true);
      for (const each of [ada, bob, eve]) each.disconnect();
    });
  },
});
