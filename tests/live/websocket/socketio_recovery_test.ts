import { assert, assertEquals, assertNotEquals, assertThrows } from "@std/assert";
import { io, type Socket } from "npm:socket.io-client@^4";
import * as live from "../../../src/live/hub/mod.ts";
import * as websocket from "../../../src/live/websocket/mod.ts";
import * as socketio from "../../../src/live/websocket/socketio.ts";
import * as fw from "../../../mod.ts";
import { testEach } from "../hub/backplanes.ts";
import { overSocket, quiet } from "../../serving.ts";

/** Serves clients that join rooms by an event. Servers on the same hub behave like processes of one application. */
function newServer(hub: live.Hub, history = 100): { app: fw.Application; server: websocket.Server } {
  const server = websocket.New({ Hub: hub, Name: "chat", Rooms: { History: history } });
  server.On("join", (conn, room) => conn.Join(room));
  server.On("leave", (conn, room) => conn.Leave(room));
  server.On("rooms", (conn) => conn.Rooms());
  server.On("direct", (conn) => conn.Emit("said", "direct"));
  server.On("others", (conn, text) => conn.To("tea").Except(conn).Emit("said", text));
  const app = quiet();
  app.Configure(fw.WithoutPathCorrectionRedirection);
  app.Use((ctx) => {
    const ID = ctx.URLParam("user");
    if (ID !== "") ctx.SetUser({ ID, Name: ID, Roles: [], Method: "test" });
    return ctx.Next();
  });
  app.Any("/socket.io", socketio.Handler(server, { Recovery: 60_000 }));
  return { app, server };
}

function once(socket: Socket, event: string): Promise<unknown> {
  return new Promise((resolve) => socket.once(event, (data: unknown) => resolve(data)));
}

for (const transports of [["polling", "websocket"], ["polling"], ["websocket"]]) {
  Deno.test({
    name: `Handler() of socketio recovers the rooms and missed messages of a client with ${transports}`,
    // The npm client leaves timers behind.
    sanitizeOps: false,
    sanitizeResources: false,
    async fn() {
      const { app, server } = newServer(live.New());
      await overSocket(app, async (_ask, port) => {
        const socket = io(`http://127.0.0.1:${port}`, { transports, forceNew: true, reconnectionDelay: 200 });
        const said: unknown[] = [];
        socket.on("said", (data) => said.push(data));
        await once(socket, "connect");
        assertEquals(socket.recovered, false);
        for (const room of ["tea", "cake", "left"]) await socket.emitWithAck("join", room);
        await socket.emitWithAck("leave", "left");
        await server.To("tea").Emit("said", "tea 1");
        await server.To("cake").Emit("said", { bytes: new Uint8Array([1]) });
        await server.To("tea").Emit("said", "tea 2");
        await socket.emitWithAck("direct");
        await socket.emitWithAck("others", "not for me");
        assertEquals(said.length, 4);
        const left = new Promise<void>((resolve) => server.OnDisconnect(() => resolve()));
        socket.io.engine.close();
        await left;
        await server.To("cake").Emit("said", "cake 2");
        await server.To("left").Emit("said", "not for me");
        await server.To("tea").Emit("said", new socketio.Args("tea 3", new Uint8Array([3])));
        await once(socket, "connect");
        assertEquals(socket.recovered, true);
        assertEquals((await socket.emitWithAck("rooms")).sort(), ["cake", "tea"]);
        assertEquals(said.slice(4).sort(), ["cake 2", "tea 3"]);
        await server.To("tea").Emit("said", "tea 4");
        await socket.emitWithAck("rooms");
        assertEquals(said.slice(6), ["tea 4"]);
        // A client that has left does not recover.
        socket.disconnect().connect();
        await once(socket, "connect");
        assertEquals([socket.recovered, await socket.emitWithAck("rooms")], [false, []]);
        const gone = new Promise<void>((resolve) => server.OnDisconnect(() => resolve()));
        socket.disconnect();
        await gone;
      });
    },
  });
}

/** A client that can claim to have received less than it was sent. */
class RawClient {
  readonly #socket: WebSocket;
  readonly events: unknown[][] = [];
  #connected = Promise.withResolvers<{ sid: string; pid: string }>();

  constructor(port: number, auth: object, user = "") {
    this.#socket = new WebSocket(`ws://127.0.0.1:${port}/socket.io/?EIO=4&transport=websocket&user=${user}`);
    this.#socket.onmessage = ({ data }) => {
      if (data[0] === "0") this.#socket.send("40" + JSON.stringify(auth));
      if (data.startsWith("40")) this.#connected.resolve(JSON.parse(data.slice(2)));
      if (data.startsWith("42")) this.events.push(JSON.parse(data.slice(2)));
      if (data.startsWith("43")) this.#acks.shift()?.(JSON.parse(data.slice(data.indexOf("[")))[0]);
    };
  }

  readonly #acks: ((data: unknown) => void)[] = [];

  connected(): Promise<{ sid: string; pid: string }> {
    return this.#connected.promise;
  }

  ask(event: string, data?: unknown): Promise<unknown> {
    this.#socket.send(`421${JSON.stringify([event, data])}`);
    return new Promise((resolve) => this.#acks.push(resolve));
  }

  /** Waits for a number of events. */
  async received(count: number): Promise<void> {
    while (this.events.length < count) await new Promise((resolve) => setTimeout(resolve, 5));
  }

  async close(): Promise<void> {
    const closed = new Promise((resolve) => this.#socket.onclose = resolve);
    this.#socket.close();
    await closed;
  }
}

testEach(
  "Handler() of socketio resends exactly the events that a client has not received, in another process",
  async (ends) => {
    const hub = live.New({ Backplane: ends.one });
    const [one, two] = [newServer(hub), newServer(ends.one === ends.other ? hub : live.New({ Backplane: ends.other }))];
    await overSocket(one.app, (_ask, first) =>
      overSocket(two.app, async (_ask, second) => {
        for (const received of [0, 1, 3, 6]) {
          const left = new Promise<void>((resolve) => one.server.OnDisconnect(() => resolve()));
          const ada = new RawClient(first, {}, "ada");
          const { pid } = await ada.connected();
          for (const room of ["a", "b"]) await ada.ask("join", room);
          for (let at = 0; at < 6; at++) await one.server.To(at % 3 === 0 ? "a" : "b").Emit("said", at);
          await ada.received(6);
          // Backplanes deliver the messages of different rooms in any order.
          const offset = received === 0 ? "0" : String(ada.events[received - 1]?.at(-1));
          const missing = ada.events.slice(received).map(([, data]) => data).sort();
          await ada.close();
          await left;
          const again = new RawClient(second, { pid, offset }, "ada");
          assertEquals((await again.connected()).pid, pid);
          await again.received(6 - received);
          await again.ask("rooms");
          assertEquals(again.events.map(([, data]) => data).sort(), missing, `received ${received}`);
          const gone = new Promise<void>((resolve) => two.server.OnDisconnect(() => resolve()));
          await again.close();
          await gone;
        }
      }));
  },
);

Deno.test("Handler() of socketio does not recover for other users, unknown offsets, or if messages are no longer stored", async () => {
  const { app, server } = newServer(live.New(), 3);
  await overSocket(app, async (_ask, port) => {
    const attempts: [offset: unknown, user: string, lost: number, recovers: boolean][] = [
      ["1", "ada", 1, true],
      ["1", "bob", 1, false],
      ["1", "", 1, false],
      ["99", "ada", 1, false],
      ["-1", "ada", 1, false],
      ["x", "ada", 1, false],
      [1, "ada", 1, false],
      [undefined, "ada", 1, false],
      ["1", "ada", 10, false],
    ];
    for (const [offset, user, lost, recovers] of attempts) {
      const left = new Promise<void>((resolve) => server.OnDisconnect(() => resolve()));
      const ada = new RawClient(port, {}, "ada");
      const { pid } = await ada.connected();
      await ada.ask("join", "a");
      await server.To("a").Emit("said", 0);
      await ada.ask("rooms");
      await ada.close();
      await left;
      for (let at = 0; at < lost; at++) await server.To("a").Emit("said", at);
      const again = new RawClient(port, { pid, offset }, user);
      const { pid: found } = await again.connected();
      if (recovers) assertEquals(found, pid);
      else assertNotEquals(found, pid, JSON.stringify([offset, user, lost]));
      assertEquals(await again.ask("rooms"), recovers ? ["a"] : []);
      assert(again.events.length === (recovers ? 1 : 0));
      await again.close();
    }
  });
});

Deno.test("Handler() of socketio rejects a lifetime that is not a positive integer", () => {
  for (const Recovery of [0, -1, 1.5, NaN, Infinity]) {
    assertThrows(
      () => socketio.Handler(websocket.New({ Hub: live.New() }), { Recovery }),
      fw.FrameworkError,
      "Recovery",
    );
  }
});
