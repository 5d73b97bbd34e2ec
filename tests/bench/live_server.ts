/**
 * A server for `deno task bench live`: a plain loop over Deno's sockets, or fw's rooms.
 *
 * @module
 */

import * as fw from "@fw/web";
import * as live from "@fw/web/live";
import * as mvc from "@fw/web/mvc";
import * as websocket from "@fw/web/websocket";

const [kind = "bare"] = Deno.args;

/** The operations that the benchmark requests from a server. */
interface Subject {
  upgrade(request: Request, info: Deno.ServeHandlerInfo): Response | Promise<Response>;
  send(text: string): void;
  /** Returns the number of connections and the number of members of the room. */
  state(): Promise<readonly [connections: number, members: number]>;
}

/** A dependency that is shared by all connections of a controller. */
class Rooms {
  readonly name = "all";
}

/** A controller with a dependency, whose connections follow a stored room. */
class RoomController {
  Conn!: websocket.Conn;
  rooms: Rooms = mvc.Inject(Rooms);

  OnNamespaceConnected(): Promise<void> {
    return this.Conn.Join(this.rooms.name);
  }

  OnEcho(text = ""): string {
    return text;
  }
}

const subject = kind === "bare" ? bare() : served();

/** Measures the time of a broadcast. The platform sends some messages later, and the clients measure those. */
function timed(act: () => void): Response {
  const start = performance.now();
  act();
  return Response.json({ ms: performance.now() - start });
}

Deno.serve(
  {
    port: 0,
    hostname: "127.0.0.1",
    onListen: ({ port }) => Deno.stdout.writeSync(new TextEncoder().encode(`${port}\n`)),
  },
  async (request, info) => {
    const url = new URL(request.url);
    const text = "x".repeat(Number(url.searchParams.get("size") ?? 100));
    if (["/ws", "/controller", "/feed"].includes(url.pathname)) return subject.upgrade(request, info);
    if (url.pathname === "/broadcast") return timed(() => subject.send(text));
    if (url.pathname === "/burst") {
      return timed(() => {
        for (let at = 0; at < Number(url.searchParams.get("count")); at++) subject.send(text);
      });
    }
    if (url.pathname === "/memory") {
      (globalThis as unknown as { gc(): void }).gc();
      return Response.json(Deno.memoryUsage());
    }
    if (url.pathname === "/state") return Response.json(await subject.state());
    return new Response("pong");
  },
);

function bare(): Subject {
  const sockets = new Set<WebSocket>();
  return {
    upgrade(request) {
      const protocol = request.headers.get("sec-websocket-protocol") ?? "";
      // Clients without the subprotocol are pinged by Deno, also without fw.
      const options = protocol === "" ? {} : { idleTimeout: 0, protocol };
      const { socket, response } = Deno.upgradeWebSocket(request, options);
      socket.onopen = () => sockets.add(socket);
      socket.onclose = () => sockets.delete(socket);
      socket.onmessage = ({ data }) => socket.send(data);
      return response;
    },
    send(text) {
      const message = JSON.stringify(["said", text]);
      for (const socket of sockets) socket.send(message);
    },
    state: () => Promise.resolve([sockets.size, sockets.size]),
  };
}

/** Creates connections with a stored room and a position, with handlers or with a controller. */
function served(): Subject {
  const hub = live.New();
  hub.Topic("all", { History: 10 });
  const server = websocket.New({ Hub: hub, MaxPerAddress: 100_000, MaxBuffered: 16 << 20 });
  server.On(websocket.OnNamespaceConnected, (conn) => conn.Join("all"));
  server.On(websocket.OnNativeMessage, (_conn, data) => data);
  server.On("echo", (_conn, data) => data);
  const app = fw.New();
  app.Get("/ws", websocket.Handler(server));
  const controlled = websocket.New({ Hub: hub, MaxPerAddress: 100_000 });
  mvc.New(app.Party("/controller")).Register(controlled, new Rooms()).HandleWebsocket(RoomController);
  const feed = websocket.New({ Hub: hub, MaxPerAddress: 100_000, Presence: true });
  feed.On(websocket.OnNamespaceConnected, (conn) => conn.Join("all"));
  app.Get("/feed", websocket.Handler(feed));
  return {
    upgrade: app.fetch,
    send: (text) => void hub.Topic("all").Publish("said", text),
    state: async () => [feed.Connections(), (await hub.Presence("all").List()).length],
  };
}
