import { assert, assertEquals } from "@std/assert";
import { io, type Socket } from "npm:socket.io-client@^4";
import * as live from "../../../src/live/hub/mod.ts";
import * as websocket from "../../../src/live/websocket/mod.ts";
import * as socketio from "../../../src/live/websocket/socketio.ts";
import * as fw from "../../../mod.ts";
import { overSocket, quiet } from "../../serving.ts";

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

/** Serves a default namespace and connects a client to it. The npm client leaves timers behind. */
function testClient(
  name: string,
  options: websocket.Options,
  run: (server: websocket.Server, connect: (namespace?: string, auth?: unknown) => Socket) => Promise<void>,
): void {
  const sockets: Socket[] = [];
  Deno.test({
    name,
    sanitizeOps: false,
    sanitizeResources: false,
    async fn() {
      const server = websocket.New({ Hub: live.New(), ...options });
      const app = quiet();
      app.Configure(fw.WithoutPathCorrectionRedirection);
      app.Get("/socket.io", socketio.Handler(server));
      await overSocket(app, async (_ask, port) => {
        await run(server, (namespace = "", auth = {}) => {
          const socket = io(`http://127.0.0.1:${port}/${namespace}`, {
            transports: ["websocket"],
            auth: auth as Record<string, unknown>,
            forceNew: true,
          });
          sockets.push(socket);
          return socket;
        });
        for (const socket of sockets) socket.disconnect();
      });
    },
  });
}

testClient(
  "Handler() of socketio serializes values next to bytes as without bytes, and sends all kinds of bytes",
  {},
  async (server, connect) => {
    const values = {
      at: new Date(0),
      map: new Map([["a", 1]]),
      set: new Set([1, 2]),
      big: 5n,
      none: undefined,
      own: { toJSON: () => "own" },
    };
    server.On("values", () => values);
    server.On("both", () => ({ ...values, bytes: new Uint8Array([1]) }));
    server.On("bytes", () => [
      new Uint8Array([0, 1, 2]).subarray(1),
      new Uint8Array([3]).buffer,
      new Uint16Array([4]),
      new DataView(new ArrayBuffer(1)),
      new Map([["a", new Uint8Array([5])]]),
      new Set([new Uint8Array([6])]),
    ]);
    server.On("many", () => Array.from({ length: 11 }, () => new Uint8Array(1)));
    const socket = connect();
    const { bytes, ...both } = await socket.emitWithAck("both");
    assertEquals([...bytes], [1]);
    assertEquals(both, await socket.emitWithAck("values"));
    assertEquals(both, { at: "1970-01-01T00:00:00.000Z", map: { a: 1 }, set: [1, 2], big: 5, own: "own" });
    const [part, buffer, wide, view, map, set] = await socket.emitWithAck("bytes");
    assertEquals([part, buffer, wide, view, map.a, set[0]].map((each) => [...each]), [[1, 2], [3], [4, 0], [0], [5], [
      6,
    ]]);
    // Clients end the connection if a packet has more attachments.
    assertEquals((await socket.emitWithAck("many")).error.Status, 500);
  },
);

testClient(
  "Handler() of socketio sends the reason of a refusal with its data, and a fixed one for unknown namespaces",
  {},
  async (server, connect) => {
    server.Namespace("shop").On(websocket.OnNamespaceConnect, (_conn, auth) => {
      if (auth.kind === "order") throw new fw.HTTPError(404, "No such order");
      throw new Error("secret");
    });
    const refusals: [string, string, unknown, unknown][] = [
      ["shop", "order", "No such order", { Status: 404 }],
      ["shop", "secret", "Internal Server Error", { Status: 500 }],
      ["other", "", "Invalid namespace", undefined],
    ];
    for (const [namespace, kind, message, data] of refusals) {
      const error = await once(connect(namespace, { kind }), "connect_error") as Error & { data?: unknown };
      assertEquals([error.message, error.data], [message, data]);
    }
  },
);

testClient(
  "Handler() of socketio tells a client that the application has closed its connection, so that it stays away",
  { MaxMessage: 1000 },
  async (server, connect) => {
    server.Namespace("a").On("bye", (conn, code) => {
      conn.Emit("last", 1);
      conn.Close(code);
    });
    server.Namespace("a").On("echo", (_conn, data) => data);
    for (const code of [1000, 4000]) {
      const socket = connect("a");
      await once(socket, "connect");
      const last = once(socket, "last");
      const reason = once(socket, "disconnect");
      socket.emit("bye", code);
      assertEquals([await last, await reason, socket.active], [1, "io server disconnect", false]);
    }
    const socket = connect("a");
    await once(socket, "connect");
    const reason = once(socket, "disconnect");
    socket.emit("echo", "x".repeat(1001));
    assertEquals([await reason, socket.active], ["transport close", true]);
    await once(socket, "connect");
    assertEquals(await socket.emitWithAck("echo", 1), 1);
  },
);

Deno.test("Handler() of socketio announces the limits of the server, and times that fit into a timer", async () => {
  for (const IdleTimeout of [10_000, Infinity]) {
    const server = websocket.New({ Hub: live.New(), IdleTimeout, MaxMessage: 5000 });
    const app = quiet();
    app.Get("/io", socketio.Handler(server));
    await overSocket(app, async (_ask, port) => {
      const socket = new WebSocket(`ws://127.0.0.1:${port}/io?EIO=4&transport=websocket`);
      const hello = await new Promise<string>((resolve) => socket.onmessage = ({ data }) => resolve(data));
      const { pingInterval, pingTimeout, maxPayload } = JSON.parse(hello.slice(1));
      // Clients use the sum as the delay of a timer.
      assert(pingInterval > 0 && pingTimeout > 0 && pingInterval + pingTimeout < 2 ** 31, hello);
      assertEquals(maxPayload, 5000);
      const closed = new Promise((resolve) => socket.onclose = resolve);
      socket.close();
      await closed;
    });
  }
});
