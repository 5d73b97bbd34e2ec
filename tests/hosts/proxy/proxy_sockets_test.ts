import { assertEquals, assertMatch } from "@std/assert";
import * as fw from "../../../mod.ts";
import * as websocket from "../../../src/live/websocket/mod.ts";
import { behindProxy, raw } from "./upstream.ts";

/** Serves WebSockets that repeat messages, and close with the code that a message names. */
function echo(request: Request): Response {
  if (request.headers.get("upgrade") !== "websocket") return new Response("plain", { status: 426 });
  const protocol = request.headers.get("sec-websocket-protocol")?.split(",")[0] ?? "";
  const hello = `hello ${request.headers.get("x-forwarded-for")} ${request.headers.get("cookie")}`;
  const { socket, response } = Deno.upgradeWebSocket(request, protocol === "" ? {} : { protocol });
  socket.binaryType = "arraybuffer";
  socket.onopen = () => socket.send(hello);
  socket.onmessage = ({ data }) => {
    if (data === "close") return socket.close(4001, "asked");
    socket.send(data);
  };
  return response;
}

interface Talk {
  readonly socket: WebSocket;
  next(): Promise<unknown>;
  readonly closed: Promise<CloseEvent>;
}

function talk(url: string, protocols: string[] = []): Talk {
  const socket = new WebSocket(
    url.replace("http", "ws"),
    { protocols, headers: { cookie: "a=1" } } as unknown as string[],
  );
  socket.binaryType = "arraybuffer";
  const messages: unknown[] = [];
  let wake = () => {};
  socket.onmessage = ({ data }) => {
    messages.push(data);
    wake();
  };
  const closed = new Promise<CloseEvent>((resolve) => socket.onclose = resolve);
  return {
    socket,
    closed,
    async next() {
      while (messages.length === 0) await new Promise<void>((resolve) => wake = resolve);
      return messages.shift();
    },
  };
}

Deno.test("Proxy() connects WebSockets, with protocols, text, bytes and close codes", async () => {
  await behindProxy(echo, (app, upstream) => void app.Get("/ws/{path:path}", fw.Proxy(upstream)), async (origin) => {
    const { socket, next, closed } = talk(`${origin}/ws/a`, ["chat", "other"]);
    assertEquals(await next(), "hello 127.0.0.1 a=1");
    assertEquals(socket.protocol, "chat");
    socket.send("text");
    assertEquals(await next(), "text");
    socket.send(new Uint8Array([1, 2]));
    assertEquals(new Uint8Array(await next() as ArrayBuffer), new Uint8Array([1, 2]));
    socket.send("close");
    const { code, reason } = await closed;
    assertEquals([code, reason], [4001, "asked"]);

    const other = talk(`${origin}/ws/a`);
    await other.next();
    other.socket.close(4002, "done");
    await other.closed;
  });
});

Deno.test("Proxy() closes WebSockets at a shutdown", async () => {
  await behindProxy(echo, (app, upstream) => void app.Get("/ws", fw.Proxy(upstream)), async (origin, { app }) => {
    const { next, closed } = talk(`${origin}/ws`);
    await next();
    await app.Shutdown();
    assertEquals((await closed).code, 1012);
  });
});

Deno.test("Proxy() refuses WebSockets that the upstream server refuses, and those that guards refuse", async () => {
  await behindProxy(() => new Response("secret reason", { status: 401 }), (app, upstream) => {
    app.Get("/ws", fw.Proxy(upstream));
    app.Get("/guarded", (ctx) => ctx.StopWithStatus(403), fw.Proxy(upstream));
  }, async (origin) => {
    const handshake = (path: string) =>
      `GET ${path} HTTP/1.1\r\nHost: a\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\n` +
      "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\nGET /last HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n";
    const refused = await raw(origin, handshake("/ws"));
    assertMatch(refused, /^HTTP\/1.1 502/);
    assertEquals(refused.includes("secret"), false);
    assertMatch(await raw(origin, handshake("/guarded")), /^HTTP\/1.1 403/);
  });
});

/** The origins of handshakes, and whether a server with the default options and one with a list accept them. */
const origins: readonly [origin: string | undefined, byDefault: boolean, listed: boolean][] = [
  [undefined, true, true],
  ["http://tea.example", true, false],
  ["http://tea.example:80", false, false],
  ["https://shop.example", false, true],
  ["https://www.shop.example", false, true],
  ["https://evil.example", false, false],
  ["http://tea.example.evil.example", false, false],
  ["null", false, false],
  ["", false, false],
];

Deno.test("Proxy() accepts WebSockets from the same origins as websocket.Handler()", async () => {
  const listed = { Origins: ["https://shop.example", "https://*.shop.example"] };
  await behindProxy(echo, (app, upstream) => {
    app.Get("/proxy", fw.Proxy(upstream));
    app.Get("/proxy/listed", fw.Proxy(upstream, listed));
    app.Get("/proxy/all", fw.Proxy(upstream, { Origins: ["*"] }));
    for (const [path, options] of Object.entries({ "": {}, "/listed": listed, "/all": { Origins: ["*"] } })) {
      const server = websocket.New(options);
      server.On(websocket.OnNativeMessage, () => {});
      app.Get(`/own${path}`, websocket.Handler(server));
    }
  }, async (origin) => {
    const ask = async (path: string, from: string | undefined) => {
      const { hostname, port } = new URL(origin);
      using connection = await Deno.connect({ hostname, port: Number(port) });
      const text = `GET ${path} HTTP/1.1\r\nHost: tea.example\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n` +
        "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n" +
        (from === undefined ? "" : `Origin: ${from}\r\n`) + "\r\n";
      await connection.write(new TextEncoder().encode(text));
      const buffer = new Uint8Array(64);
      const length = await connection.read(buffer) ?? 0;
      return new TextDecoder().decode(buffer.subarray(9, Math.min(length, 12)));
    };
    for (const [from, byDefault, isListed] of origins) {
      for (const way of ["/own", "/proxy"]) {
        assertEquals(await ask(way, from), byDefault ? "101" : "403", `${way} ${from}`);
        assertEquals(await ask(`${way}/listed`, from), isListed ? "101" : "403", `${way} ${from}, listed`);
        assertEquals(await ask(`${way}/all`, from), "101", `${way} ${from}, all`);
      }
    }
  });
});
