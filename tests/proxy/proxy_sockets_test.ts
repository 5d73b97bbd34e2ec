import { assertEquals, assertMatch } from "@std/assert";
import * as fw from "../../mod.ts";
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
