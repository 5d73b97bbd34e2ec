/** Tests with messages and a close frame that arrive in one packet, as from a client that sends and closes. */

import { assertEquals } from "@std/assert";
import type * as fw from "../../mod.ts";
import * as live from "../../src/live/mod.ts";
import * as websocket from "../../src/websocket/mod.ts";
import * as socketio from "../../src/websocket/socketio.ts";
import { overSocket, quiet } from "../serving.ts";

type Message = string | Uint8Array<ArrayBuffer>;

/** A client that decides which frames are written together. */
class RawClient implements Disposable {
  readonly #conn: Deno.Conn;
  #received: Uint8Array<ArrayBuffer> = new Uint8Array();

  constructor(conn: Deno.Conn) {
    this.#conn = conn;
  }

  static async open(port: number, path: string): Promise<RawClient> {
    const client = new RawClient(await Deno.connect({ hostname: "127.0.0.1", port }));
    const head = [
      `GET ${path} HTTP/1.1`,
      `Host: 127.0.0.1:${port}`,
      "Connection: Upgrade",
      "Upgrade: websocket",
      "Sec-WebSocket-Version: 13",
      "Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==",
    ];
    await client.write(new TextEncoder().encode(`${head.join("\r\n")}\r\n\r\n`));
    while (!new TextDecoder().decode(client.#received).includes("\r\n\r\n")) await client.#read();
    const end = new TextDecoder("latin1").decode(client.#received).indexOf("\r\n\r\n") + 4;
    client.#received = client.#received.slice(end);
    return client;
  }

  async write(...frames: readonly Uint8Array[]): Promise<void> {
    let rest = concat(frames);
    while (rest.length > 0) rest = rest.subarray(await this.#conn.write(rest));
  }

  /** Returns the next message, or the code of the close frame. */
  async next(): Promise<Message | number> {
    while (this.#received.length < 2 || this.#received.length < 2 + (this.#received[1] ?? 0)) await this.#read();
    const [first = 0, length = 0] = this.#received;
    const body = this.#received.slice(2, 2 + length);
    this.#received = this.#received.slice(2 + length);
    if (first === 0x88) return new DataView(body.buffer).getUint16(0);
    return first === 0x81 ? new TextDecoder().decode(body) : body;
  }

  /** Returns the messages up to the close frame, followed by its code. */
  async rest(): Promise<(Message | number)[]> {
    const all: (Message | number)[] = [];
    while (typeof all.at(-1) !== "number") all.push(await this.next());
    return all;
  }

  async #read(): Promise<void> {
    const chunk = new Uint8Array(4096);
    const count = await this.#conn.read(chunk);
    if (count === null) throw new Error("The connection ended without a close frame");
    this.#received = concat([this.#received, chunk.subarray(0, count)]);
  }

  [Symbol.dispose](): void {
    this.#conn.close();
  }
}

function concat(parts: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
  return new Uint8Array(parts.flatMap((part) => [...part]));
}

/** Returns a masked frame. A mask of zeros leaves the bytes unchanged. */
function frame(data: Message | number): Uint8Array<ArrayBuffer> {
  const isCode = typeof data === "number";
  const body = typeof data === "string"
    ? new TextEncoder().encode(data)
    : isCode
    ? new Uint8Array([data >> 8, data & 255])
    : data;
  const first = isCode ? 0x88 : typeof data === "string" ? 0x81 : 0x82;
  return concat([new Uint8Array([first, 0x80 | body.length, 0, 0, 0, 0]), body]);
}

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
  "sent messages": (conn, data) => conn.Send(data),
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
