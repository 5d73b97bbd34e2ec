/**
 * A process to disturb, and clients that behave badly.
 *
 * @module
 */

import { fromFileUrl } from "@std/path";
import { Child, temporaryFolder } from "../server/support.ts";

/** The application of site.ts, with its folder. */
export interface Site extends AsyncDisposable {
  readonly folder: string;
  readonly child: Child;
  readonly port: number;
}

const SITE = fromFileUrl(new URL("./site.ts", import.meta.url));

/** Starts the site in a folder of its own. */
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

/** Starts the site in a folder that is there. */
export function startIn(folder: string, limit = 8_000): Child {
  return new Child(["run", "-A", "--no-lock", "--no-check", SITE, folder, String(limit)]);
}

/** A raw connection: what is sent is sent as it is. */
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

  /** Reads until so many bytes have come, or the server closes. */
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

  /** Reads all until the server closes. */
  async rest(): Promise<string> {
    return new TextDecoder("latin1").decode(await this.read(Infinity));
  }

  /** Leaves. */
  close(): void {
    if (!this.#isClosed) this.#connection.close();
    this.#isClosed = true;
  }

  [Symbol.dispose](): void {
    this.close();
  }
}

/** A request in HTTP/1.1. */
export function request(method: string, path: string, headers: string[] = [], body = ""): string {
  return [`${method} ${path} HTTP/1.1`, "host: localhost", ...headers, "", body].join("\r\n");
}

const boundary = "fw-fault";

/** A form with one file of so many bytes: its head, and what comes behind the bytes. */
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
