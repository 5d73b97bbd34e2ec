/**
 * A process to disturb, and clients that misbehave.
 *
 * @module
 */

import { fromFileUrl } from "@std/path";
import { Child, temporaryFolder } from "../http/server/support.ts";

/** The application of site.ts, with its folder. */
export interface Site extends AsyncDisposable {
  readonly folder: string;
  readonly child: Child;
  readonly port: number;
}

const SITE = fromFileUrl(new URL("./site.ts", import.meta.url));

/** Starts the site in a new folder. */
export async function startSite(limit = 8_000): Promise<Site> {
  const folder = await temporaryFolder();
  const child = startIn(folder.path, limit);
  return {
    folder: folder.path,
    child,
    port: await child.port(),
    async [Symbol.asyncDispose](): Promise<void> {
      await child[Symbol.asyncDispose]();
      await folder[Symbol.asyncDispose]();
    },
  };
}

/** Starts the site in an existing folder. */
export function startIn(folder: string, limit = 8_000): Child {
  return new Child(["run", "-A", "--no-lock", "--no-check", SITE, folder, String(limit)]);
}

/** A raw connection. Data is sent without changes. */
export class Client implements Disposable {
  readonly #connection: Deno.TcpConn;
  #isClosed = false;

  constructor(connection: Deno.TcpConn) {
    this.#connection = connection;
  }

  /** Connects. */
  static async to(port: number): Promise<Client> {
    return new Client(await Deno.connect({ hostname: "127.0.0.1", port }));
  }

  /** Sends text, or bytes. */
  async send(data: string | Uint8Array): Promise<void> {
    const bytes = typeof data === "string" ? new TextEncoder().encode(data) : data;
    for (let at = 0; at < bytes.length;) at += await this.#connection.write(bytes.subarray(at));
  }

  /** Reads until a number of bytes have arrived or the server closes the connection. */
  async read(count: number): Promise<Uint8Array> {
    const parts: Uint8Array[] = [];
    let length = 0;
    while (length < count) {
      const part = new Uint8Array(Math.min(65_536, count - length));
      const got = await this.#connection.read(part).catch(() => null);
      if (got === null) break;
      parts.push(part.subarray(0, got));
      length += got;
    }
    const whole = new Uint8Array(length);
    let at = 0;
    for (const part of parts) {
      whole.set(part, at);
      at += part.length;
    }
    return whole;
  }

  /** Reads until the server closes the connection. */
  async rest(): Promise<string> {
    return new TextDecoder("latin1").decode(await this.read(Infinity));
  }

  /** Closes the connection. */
  close(): void {
    if (!this.#isClosed) this.#connection.close();
    this.#isClosed = true;
  }

  [Symbol.dispose](): void {
    this.close();
  }
}

/** Creates an HTTP/1.1 request. */
export function request(method: string, path: string, headers: string[] = [], body = ""): string {
  return [`${method} ${path} HTTP/1.1`, "host: localhost", ...headers, "", body].join("\r\n");
}

const boundary = "fw-fault";

/** Returns the start and the end of a form with one file of a given size. */
export function uploadOf(size: number): { head: string; tail: string } {
  const before =
    `--${boundary}\r\ncontent-disposition: form-data; name="f"; filename="f.bin"\r\ncontent-type: application/octet-stream\r\n\r\n`;
  const tail = `\r\n--${boundary}--\r\n`;
  const headers = [
    `content-type: multipart/form-data; boundary=${boundary}`,
    `content-length: ${before.length + size + tail.length}`,
  ];
  return { head: request("POST", "/upload", headers, before), tail };
}
