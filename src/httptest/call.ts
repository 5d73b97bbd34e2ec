/**
 * A request of a test, until it is sent.
 *
 * @module
 */

import type { ConnectionInfo } from "../context/client/peer_address.ts";
import { Expectation } from "./expectation.ts";
import type { Jar } from "./jar.ts";

/** What can be tested: an application, or anything with its `fetch`. */
export interface Served {
  /**
   * Serves one request.
   *
   * @param request The request.
   * @param info The connection.
   */
  fetch(request: Request, info?: ConnectionInfo): Response | Promise<Response>;
}

/** Where a request goes. */
interface Target {
  readonly method: string;
  readonly url: URL;
  readonly jar: Jar;
}

/** A request of a test: complete it with the `With` methods, send it with `Expect`. */
export class Call {
  readonly #served: Served;
  readonly #target: Target;
  readonly #headers = new Headers();
  #body: BodyInit | undefined = undefined;
  #remote = "127.0.0.1";

  /**
   * Created by a client.
   *
   * @ignore
   *
   * @param served The application.
   * @param target Where the request goes.
   */
  constructor(served: Served, target: Target) {
    this.#served = served;
    this.#target = target;
  }

  /**
   * Adds a header.
   *
   * @param name Its name.
   * @param value Its value.
   * @returns This request.
   */
  WithHeader(name: string, value: string): this {
    this.#headers.append(name, value);
    return this;
  }

  /**
   * Adds a cookie for this request alone.
   *
   * @param name Its name.
   * @param value Its value, as it is to be sent.
   * @returns This request.
   */
  WithCookie(name: string, value: string): this {
    const before = this.#headers.get("cookie");
    this.#headers.set("cookie", before === null ? `${name}=${value}` : `${before}; ${name}=${value}`);
    return this;
  }

  /**
   * Adds a parameter to the query.
   *
   * @param name Its name.
   * @param value Its value.
   * @returns This request.
   */
  WithQuery(name: string, value: string): this {
    this.#target.url.searchParams.append(name, value);
    return this;
  }

  /**
   * Sends JSON.
   *
   * @param value The value.
   * @returns This request.
   */
  WithJSON(value: unknown): this {
    this.#headers.set("content-type", "application/json");
    this.#body = JSON.stringify(value);
    return this;
  }

  /**
   * Sends an urlencoded form.
   *
   * @param fields The fields.
   * @returns This request.
   */
  WithForm(fields: Record<string, string>): this {
    this.#body = new URLSearchParams(fields);
    return this;
  }

  /**
   * Adds a field to a multipart form.
   *
   * @param name The field's name.
   * @param value Its text, or a file.
   * @returns This request.
   */
  WithMultipart(name: string, value: string | File): this {
    const form = this.#body instanceof FormData ? this.#body : new FormData();
    form.append(name, value);
    this.#body = form;
    return this;
  }

  /**
   * Sends a body as it is.
   *
   * @param body The body.
   * @returns This request.
   */
  WithBody(body: BodyInit): this {
    this.#body = body;
    return this;
  }

  /**
   * Sends the request from an address.
   *
   * @param address The client's address.
   * @returns This request.
   */
  WithRemoteAddr(address: string): this {
    this.#remote = address;
    return this;
  }

  /**
   * Sends the request.
   *
   * @returns What to expect of the response; await it.
   */
  Expect(): Expectation {
    const what = `${this.#target.method} ${this.#target.url.pathname}`;
    return new Expectation(this.#send(), what, stackAbove(this.Expect));
  }

  async #send(): Promise<Response> {
    const { method, url, jar } = this.#target;
    const cookies = jar.header();
    if (cookies !== "") this.WithCookie(...split(cookies));
    const request = new Request(url, { method, headers: this.#headers, body: this.#body ?? null });
    const response = await this.#served.fetch(request, {
      remoteAddr: { transport: "tcp", hostname: this.#remote, port: 0 },
    });
    jar.take(response.headers);
    return response;
  }
}

/** The lines of the stack above a function. */
function stackAbove(fn: (...args: never[]) => unknown): string {
  const holder = { stack: "" };
  Error.captureStackTrace(holder, fn);
  return holder.stack.slice(holder.stack.indexOf("\n") + 1);
}

/** A cookie header, cut where its first name ends: what is added to another header goes through one way. */
function split(cookies: string): [string, string] {
  const at = cookies.indexOf("=");
  return [cookies.slice(0, at), cookies.slice(at + 1)];
}
