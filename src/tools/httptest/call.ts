/**
 * A test request under construction.
 *
 * @module
 */

import { follow, type Hop } from "../../api/client/redirects.ts";
import { loadModule } from "../../base/async/lazy_module.ts";
import { decisions } from "../../core/context/decisions.ts";
import { passOn } from "../../core/exchange/peer/outer_call.ts";
import type { ConnectionInfo } from "../../core/exchange/peer/peer_address.ts";
import type { TestEvents } from "./events.ts";
import { Expectation, type TestResponse } from "./expectation.ts";
import type { Jar } from "./jar.ts";

/** An application, or any object with a compatible `fetch` method. */
export interface Served {
  /**
   * Handles a request.
   *
   * @param request The request.
   * @param info The connection information.
   */
  fetch(request: Request, info?: ConnectionInfo): Response | Promise<Response>;
}

/** The destination of a request. */
interface Target {
  readonly method: string;
  readonly url: URL;
  readonly jar: Jar;
  /** The headers of all requests of the client. */
  readonly headers: Headers;
  /** The settings of the client. */
  readonly settings: ClientSettings;
}

/** The settings of a client. */
export interface ClientSettings {
  /** Whether writes may succeed without a guard or a policy, in a program with policies. */
  mayWriteUnguarded: boolean;
}

/**
 * A test request. Configure it with the `With` methods, then send it with `Expect`. If it is awaited without `Expect`,
 * it is also sent, but the response is not checked.
 */
export class Call implements PromiseLike<TestResponse> {
  readonly #served: Served;
  readonly #target: Target;
  readonly #headers = new Headers();
  #body: BodyInit | undefined = undefined;
  #remote = "127.0.0.1";
  #isFollowing = false;

  /**
   * Created by {@linkcode Client}.
   *
   * @ignore
   *
   * @param served The application.
   * @param target The destination of the request.
   */
  constructor(served: Served, target: Target) {
    this.#served = served;
    this.#target = target;
  }

  /**
   * Adds a request header.
   *
   * @param name The header name.
   * @param value The header value.
   * @returns This request, for chaining.
   */
  WithHeader(name: string, value: string): this {
    this.#headers.append(name, value);
    return this;
  }

  /**
   * Sets the credentials of basic authentication.
   *
   * @param username The user name.
   * @param password The password.
   * @returns This request, for chaining.
   */
  WithBasicAuth(username: string, password: string): this {
    this.#headers.set("authorization", basicAuth(username, password));
    return this;
  }

  /**
   * Sets a bearer token.
   *
   * @param token The token.
   * @returns This request, for chaining.
   */
  WithBearer(token: string): this {
    this.#headers.set("authorization", `Bearer ${token}`);
    return this;
  }

  /**
   * Adds a cookie to this request only.
   *
   * @param name The cookie name.
   * @param value The cookie value, already encoded.
   * @returns This request, for chaining.
   */
  WithCookie(name: string, value: string): this {
    const before = this.#headers.get("cookie");
    this.#headers.set("cookie", before === null ? `${name}=${value}` : `${before}; ${name}=${value}`);
    return this;
  }

  /**
   * Adds a query parameter.
   *
   * @param name The parameter name.
   * @param value The parameter value.
   * @returns This request, for chaining.
   */
  WithQuery(name: string, value: string): this {
    this.#target.url.searchParams.append(name, value);
    return this;
  }

  /**
   * Sets a JSON body.
   *
   * @param value The value to serialize.
   * @returns This request, for chaining.
   */
  WithJSON(value: unknown): this {
    this.#headers.set("content-type", "application/json");
    this.#body = JSON.stringify(value);
    return this;
  }

  /**
   * Sets a URL-encoded form body.
   *
   * @param fields The form fields.
   * @returns This request, for chaining.
   */
  WithForm(fields: Record<string, string>): this {
    this.#body = new URLSearchParams(fields);
    return this;
  }

  /**
   * Adds a field to a multipart form body.
   *
   * @param name The field name.
   * @param value The field value or file.
   * @returns This request, for chaining.
   */
  WithMultipart(name: string, value: string | File): this {
    const form = this.#body instanceof FormData ? this.#body : new FormData();
    form.append(name, value);
    this.#body = form;
    return this;
  }

  /**
   * Sets the request body.
   *
   * @param body The body.
   * @returns This request, for chaining.
   */
  WithBody(body: BodyInit): this {
    this.#body = body;
    return this;
  }

  /**
   * Sets the client's IP address.
   *
   * @param address The IP address.
   * @returns This request, for chaining.
   */
  WithRemoteAddr(address: string): this {
    this.#remote = address;
    return this;
  }

  /**
   * Follows up to ten redirects within the site, which includes its subdomains, like a browser. Redirects to other
   * sites are not followed.
   *
   * @returns This request, for chaining.
   */
  Follow(): this {
    this.#isFollowing = true;
    return this;
  }

  /**
   * Sends the request.
   *
   * @returns The expectations for the response. Await them to get the response.
   */
  Expect(): Expectation {
    const caller = {};
    Error.captureStackTrace(caller, this.Expect);
    return new Expectation(this.#send(), this.#what, caller);
  }

  /**
   * Sends the request and reads the response as server-sent events, as they arrive. The response may be endless.
   *
   * @example Read events as they arrive
   * ```ts
   * import * as fw from "@fw/web";
   * import * as httptest from "@fw/web/httptest";
   *
   * const app = fw.New();
   * app.Get("/clock", (ctx) => ctx.Events([fw.NewEvent({ hour: 9 }, { Name: "tick" })]));
   *
   * await using events = await httptest.New(app).GET("/clock").Events();
   * const tick = await events.Next();
   * tick.Name; // → "tick"
   * tick.JSON(); // → { hour: 9 }
   * ```
   *
   * @returns The open stream. Close it at the end of the test, for example with `await using`.
   * @throws {Error} If the status is not 200, or if the response is not an event stream.
   */
  async Events(): Promise<TestEvents> {
    const { openEvents } = await loadModule(() => import("./events.ts"));
    // The headers of the client are added when the request is sent.
    const isSet = this.#headers.has("accept") || this.#target.headers.has("accept");
    if (!isSet) this.#headers.set("accept", "text/event-stream");
    return await openEvents(await this.#send(), this.#what);
  }

  /**
   * Sends the request and waits for the response, without expectations. This method is called by `await`.
   *
   * @param done Called with the response.
   * @param failed Called with the error if the application cannot be reached.
   * @returns A promise for the callback's result.
   */
  then<A = TestResponse, B = never>(
    done?: ((response: TestResponse) => A | PromiseLike<A>) | null,
    failed?: ((reason: unknown) => B | PromiseLike<B>) | null,
  ): Promise<A | B> {
    return this.Expect().then(done, failed);
  }

  get #what(): string {
    return `${this.#target.method} ${this.#target.url.pathname}`;
  }

  async #send(): Promise<Response> {
    const { method, url, headers } = this.#target;
    // A header of the request replaces that of the client.
    const own = new Set(this.#headers.keys());
    for (const [name, value] of headers) if (!own.has(name)) this.#headers.append(name, value);
    const first = { method, url, headers: this.#headers, body: this.#body };
    const send = (hop: Hop) => this.#fetch(hop);
    return await (this.#isFollowing ? follow(first, send) : send(first));
  }

  async #fetch({ method, url, headers, body }: Hop): Promise<Response> {
    const { jar } = this.#target;
    const cookies = [headers.get("cookie") ?? "", jar.header()].filter((each) => each !== "").join("; ");
    const request = new Request(url, { method, headers, body: body ?? null });
    if (cookies !== "") request.headers.set("cookie", cookies);
    const response = await this.#serve(request);
    jar.take(response.headers);
    return response;
  }

  async #serve(request: Request): Promise<Response> {
    const info: ConnectionInfo = { remoteAddr: { transport: "tcp", hostname: this.#remote, port: 0 } };
    if (!decisions.isUsed || this.#target.settings.mayWriteUnguarded) return await this.#served.fetch(request, info);
    const { isWrite, watchWrite } = await loadModule(() => import("./write_watch.ts"));
    if (!isWrite(request.method)) return await this.#served.fetch(request, info);
    return await watchWrite((witness) =>
      this.#served.fetch(request, Object.assign(info, { outer: passOn({ witness }) }))
    );
  }
}

/** Returns the `Authorization` header of basic authentication. */
export function basicAuth(username: string, password: string): string {
  return `Basic ${btoa(String.fromCharCode(...new TextEncoder().encode(`${username}:${password}`)))}`;
}
