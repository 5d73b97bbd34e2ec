/**
 * A visitor with one cookie, in process or over a socket.
 *
 * @module
 */
import { getSetCookies } from "@std/http/cookie";

/** What answers the visitor: an application's `fetch`, or the platform's. */
export type Answering = (request: Request) => Response | Promise<Response>;

/** A visitor who keeps the session cookie as a browser does. */
export class Visitor {
  readonly #answering: Answering;
  readonly #origin: string;
  /** What the `Cookie` header holds. */
  cookie = "";
  /** The last `Set-Cookie` line. */
  line = "";
  /** The status of the last answer. */
  status = 0;

  constructor(answering: Answering, origin = "http://localhost") {
    this.#answering = answering;
    this.#origin = origin;
  }

  /** The id in the cookie. */
  get id(): string {
    return this.cookie.split("=")[1] ?? "";
  }

  /** Asks for a path and answers the body. */
  async ask(path: string, method = "GET"): Promise<string> {
    const headers: Record<string, string> = this.cookie === "" ? {} : { cookie: this.cookie };
    const answer = await this.#answering(new Request(this.#origin + path, { headers, method }));
    this.status = answer.status;
    this.line = answer.headers.getSetCookie().join("\n");
    for (const { name, value, maxAge } of getSetCookies(answer.headers)) {
      this.cookie = maxAge === 0 ? "" : `${name}=${value}`;
    }
    return await answer.text();
  }
}

/** Serves on a free port; ends with the block. */
export function serve(answering: Answering): Deno.HttpServer<Deno.NetAddr> & { origin: string } {
  const server = Deno.serve({ port: 0, hostname: "127.0.0.1", onListen() {} }, answering);
  return Object.assign(server, { origin: `http://127.0.0.1:${server.addr.port}` });
}
