/**
 * A visitor with one cookie, in process or over a socket.
 *
 * @module
 */
import { getSetCookies } from "@std/http/cookie";

/** A function that serves the visitor, such as an application's `fetch` or the platform's. */
export type Server = (request: Request) => Response | Promise<Response>;

/** A visitor that keeps the session cookie like a browser. */
export class Visitor {
  readonly #fetch: Server;
  readonly #origin: string;
  /** The value of the `Cookie` header. */
  cookie = "";
  /** The last `Set-Cookie` line. */
  line = "";
  /** The status of the last response. */
  status = 0;

  constructor(fetch: Server, origin = "http://localhost") {
    this.#fetch = fetch;
    this.#origin = origin;
  }

  /** Returns the ID in the cookie. */
  get id(): string {
    return this.cookie.split("=")[1] ?? "";
  }

  /** Requests a path and returns the body. */
  async ask(path: string, method = "GET"): Promise<string> {
    const headers: Record<string, string> = this.cookie === "" ? {} : { cookie: this.cookie };
    const response = await this.#fetch(new Request(this.#origin + path, { headers, method }));
    this.status = response.status;
    this.line = response.headers.getSetCookie().join("\n");
    for (const { name, value, maxAge } of getSetCookies(response.headers)) {
      this.cookie = maxAge === 0 ? "" : `${name}=${value}`;
    }
    return await response.text();
  }
}

/** Starts a server on a free port. It stops at the end of the block. */
export function serve(fetch: Server): Deno.HttpServer<Deno.NetAddr> & { origin: string } {
  const server = Deno.serve({ port: 0, hostname: "127.0.0.1", onListen() {} }, fetch);
  return Object.assign(server, { origin: `http://127.0.0.1:${server.addr.port}` });
}
