import { assert, assertEquals, assertMatch } from "@std/assert";
import { io, type Socket } from "npm:socket.io-client@^4";
import * as live from "../../../src/live/hub/mod.ts";
import * as websocket from "../../../src/live/websocket/mod.ts";
import * as socketio from "../../../src/live/websocket/socketio.ts";
import * as fw from "../../../mod.ts";
import { overSocket, quiet } from "../../serving.ts";

/** Serves a server with the official client in mind. */
function serving(server: websocket.Server): fw.Application {
  const app = quiet();
  app.Configure(fw.WithoutPathCorrectionRedirection);
  app.Any("/socket.io", socketio.Handler(server));
  return app;
}

/** Waits for one event. */
function once(socket: { once(event: string, run: (data: unknown) => void): unknown }, event: string): Promise<unknown> {
  return new Promise((resolve) => socket.once(event, resolve));
}

// The npm client leaves timers behind.
const npm = { sanitizeOps: false, sanitizeResources: false };

function echo(): websocket.Server {
  const server = websocket.New({ Hub: live.New(), MaxMessage: 1 << 20 });
  server.On(websocket.OnNamespaceConnected, (conn) => conn.Join("all"));
  server.On("echo", (_conn, data) => data);
  server.On("say", (conn, data) => conn.To("all").Emit("said", data));
  server.On("transport", (conn) => conn.Context().URLParam("transport"));
  server.On("bye", (conn) => conn.Close());
  return server;
}

Deno.test({
  name: "Handler() of socketio serves the default client, which polls and then upgrades",
  ...npm,
  async fn() {
    const server = echo();
    await overSocket(serving(server), async (_ask, port) => {
      const socket = io(`http://127.0.0.1:${port}`);
      await once(socket, "connect");
      const { engine } = socket.io;
      const upgraded = new Promise<void>((resolve) => {
        if (engine.transport.name === "websocket") resolve();
        else engine.once("upgrade", () => resolve());
      });
      // The handshake was a polling request. Events before, during and after the upgrade arrive in order.
      assertEquals(await socket.emitWithAck("transport"), "polling");
      const said: unknown[] = [];
      socket.on("said", (data) => said.push(data));
      for (let at = 0; at < 30; at++) {
        socket.emit("say", at);
        if (at === 15) await upgraded;
      }
      assertEquals(await socket.emitWithAck("echo", "end"), "end");
      assertEquals(said, Array.from({ length: 30 }, (_, at) => at));
      assertEquals(socket.io.engine.transport.name, "websocket");
      // The connection is the same one as before the upgrade.
      assertEquals(server.Connections(), 1);
      socket.disconnect();
    });
  },
});

Deno.test({
  name: "Handler() of socketio carries text and nested bytes over polling alone, in both directions",
  ...npm,
  async fn() {
    const server = echo();
    await overSocket(serving(server), async (_ask, port) => {
      const [ada, bob] = [0, 1].map(() =>
        io(`http://127.0.0.1:${port}`, { transports: ["polling"], forceNew: true })
      ) as [Socket, Socket];
      await Promise.all([once(ada, "connect"), once(bob, "connect")]);
      assertEquals(await ada.emitWithAck("echo", "ü\u2028😀"), "ü\u2028😀");
      const bytes = crypto.getRandomValues(new Uint8Array(50_000));
      const back = await ada.emitWithAck("echo", { deep: [{ bytes }], name: "x" });
      assertEquals(new Uint8Array(back.deep[0].bytes), bytes);
      const said = once(bob, "said");
      ada.emit("say", { list: [new Uint8Array([1, 2]), "y"] });
      const { list: [first, second] } = await said as { list: [Uint8Array, string] };
      assertEquals([[...new Uint8Array(first)], second], [[1, 2], "y"]);
      const long = "x".repeat(300_000);
      assertEquals(await bob.emitWithAck("echo", long), long);
      assertEquals(ada.io.engine.transport.name, "polling");
      let left = 0;
      const gone = new Promise<void>((resolve) => server.OnDisconnect(() => ++left === 2 ? resolve() : undefined));
      for (const each of [ada, bob]) each.disconnect();
      await gone;
    });
  },
});

for (const transports of [["polling"], ["polling", "websocket"]]) {
  Deno.test({
    name: `Handler() of socketio tells a client with ${transports} that the application has closed its connection`,
    ...npm,
    async fn() {
      await overSocket(serving(echo()), async (_ask, port) => {
        const socket = io(`http://127.0.0.1:${port}`, { transports, forceNew: true });
        await once(socket, "connect");
        socket.emit("bye");
        assertEquals(await once(socket, "disconnect"), "io server disconnect");
        socket.disconnect();
      });
    },
  });

  Deno.test({
    name: `Handler() of socketio lets a client with ${transports} reconnect after a restart`,
    ...npm,
    async fn() {
      const first = await run(serving(echo()), 0);
      const socket = io(`http://127.0.0.1:${first.port}`, { transports, forceNew: true, reconnectionDelay: 50 });
      await once(socket, "connect");
      const gone = once(socket, "disconnect");
      const stopping = performance.now();
      await first.app.Shutdown();
      assert(performance.now() - stopping < 2_000, "a pending poll must not delay the shutdown");
      // A client between two polls gets an error.
      assertMatch(String(await gone), /^transport (?:close|error)$/);
      const second = await run(serving(echo()), first.port);
      await once(socket, "connect");
      assertEquals(await socket.emitWithAck("echo", 1), 1);
      socket.disconnect();
      await second.app.Shutdown();
    },
  });
}

/** Starts an application. */
async function run(app: fw.Application, port: number): Promise<{ app: fw.Application; port: number }> {
  const listening = Promise.withResolvers<number>();
  void app.Run(
    fw.Addr(`127.0.0.1:${port}`),
    fw.WithoutStartupLog,
    fw.WithoutInterruptHandler,
    fw.WithOnListen((addr) => listening.resolve((addr as Deno.NetAddr).port)),
  );
  return { app, port: await listening.promise };
}
