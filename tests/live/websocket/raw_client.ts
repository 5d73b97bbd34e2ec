/**
 * A WebSocket client that decides which frames are written together, and when it reads.
 *
 * @module
 */

export type Message = string | Uint8Array<ArrayBuffer>;

/** A client that writes frames together. */
export class RawClient implements Disposable {
  readonly #conn: Deno.Conn;
  #received: Uint8Array<ArrayBuffer> = new Uint8Array();

  constructor(conn: Deno.Conn) {
    this.#conn = conn;
  }

  static async open(port: number, path: string, protocol = ""): Promise<RawClient> {
    const client = new RawClient(await Deno.connect({ hostname: "127.0.0.1", port }));
    const head = [
      `GET ${path} HTTP/1.1`,
      `Host: 127.0.0.1:${port}`,
      "Connection: Upgrade",
      "Upgrade: websocket",
      "Sec-WebSocket-Version: 13",
      "Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==",
      ...protocol === "" ? [] : [`Sec-WebSocket-Protocol: ${protocol}`],
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
export function frame(data: Message | number): Uint8Array<ArrayBuffer> {
  const isCode = typeof data === "number";
  const body = typeof data === "string"
    ? new TextEncoder().encode(data)
    : isCode
    ? new Uint8Array([data >> 8, data & 255])
    : data;
  const first = isCode ? 0x88 : typeof data === "string" ? 0x81 : 0x82;
  return concat([new Uint8Array([first, 0x80 | body.length, 0, 0, 0, 0]), body]);
}
