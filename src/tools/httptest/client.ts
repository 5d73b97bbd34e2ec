/**
 * A client for the application under test.
 *
 * @module
 */

import { checkArgument } from "../../base/config/option_table.ts";
import { func, methods } from "../../base/config/option_kinds.ts";
import { instance } from "../../base/config/option_shapes.ts";
import { loadModule } from "../../base/async/lazy_module.ts";
import type { Configurator } from "../../base/config/config.ts";
import { WithoutPathCorrectionRedirection } from "../../base/config/configurators.ts";
import type { Handler } from "../../core/context/handler.ts";
import type { MethodName } from "../../http/headers/methods.ts";
import { basicAuth, Call, type ClientSettings, type Served } from "./call.ts";
import { Expectation } from "./expectation.ts";
import { Jar } from "./jar.ts";
import type { SocketOptions, TestSocket } from "./socket.ts";

const servedRule = methods<Served>("fetch");
const startableRule = methods<Served & Startable>("fetch", "Start");

/**
 * A client that sends requests to an application in the same process. It stores cookies and does not follow redirects,
 * unless a request calls {@linkcode Call.Follow}.
 */
export class Client {
  readonly #served: Served;
  readonly #origin: string;
  readonly #jar = new Jar();
  readonly #headers = new Headers();
  readonly #settings: ClientSettings = { mayWriteUnguarded: false };

  /**
   * Created by {@linkcode New}.
   *
   * @ignore
   *
   * @param served The application.
   * @param origin The origin of the request URLs.
   */
  constructor(served: Served, origin: string) {
    checkArgument(served, servedRule, "served", "httptest.New");
    this.#served = served;
    this.#origin = origin;
  }

  /**
   * Creates a request.
   *
   * @param method The HTTP method.
   * @param path The path or absolute URL.
   * @returns The request. Send it with {@linkcode Call.Expect}.
   */
  Request(method: MethodName, path: string): Call {
    const url = new URL(path, this.#origin);
    return new Call(this.#served, { method, url, jar: this.#jar, headers: this.#headers, settings: this.#settings });
  }

  /**
   * Sets a header of all further requests and WebSocket handshakes, for example the one that a form protected by
   * `csrf` needs.
   *
   * @param name The header name.
   * @param value The header value. A request can replace it with {@linkcode Call.WithHeader}.
   * @returns This client, for chaining.
   */
  WithHeader(name: string, value: string): this {
    this.#headers.set(name, value);
    return this;
  }

  /**
   * Lets writes succeed although neither a guard nor a policy was asked. Otherwise, they fail in programs that import
   * `@fw/web/policy`.
   *
   * @returns This client, for chaining.
   */
  WithUnguardedWrites(): this {
    this.#settings.mayWriteUnguarded = true;
    return this;
  }

  /**
   * Sets the credentials of basic authentication for all further requests.
   *
   * @param username The user name.
   * @param password The password.
   * @returns This client, for chaining.
   */
  WithBasicAuth(username: string, password: string): this {
    return this.WithHeader("authorization", basicAuth(username, password));
  }

  /**
   * Sets a bearer token for all further requests.
   *
   * @param token The token.
   * @returns This client, for chaining.
   */
  WithBearer(token: string): this {
    return this.WithHeader("authorization", `Bearer ${token}`);
  }

  /**
   * Returns the value of a cookie that the application has set and the client would send.
   *
   * @param name The cookie name.
   * @returns The decoded value, or an empty string if there is no such cookie.
   */
  Cookie(name: string): string {
    return this.#jar.value(name);
  }

  /**
   * Opens an in-memory WebSocket connection that sends this client's cookies.
   *
   * @param path The path or absolute URL.
   * @param options The headers, subprotocols and client address.
   * @returns The connection.
   * @throws {Error} If the server rejects the handshake.
   */
  async WebSocket(path: string, options: SocketOptions = {}): Promise<TestSocket> {
    const { openSocket } = await loadModule(() => import("./socket.ts"));
    const target = { url: new URL(path, this.#origin), jar: this.#jar, headers: Object.fromEntries(this.#headers) };
    return await openSocket(this.#served, target, options);
  }

  /**
   * Creates a GET request.
   *
   * @param path The path or absolute URL.
   * @returns The request. Send it with {@linkcode Call.Expect}.
   */
  GET(path: string): Call {
    return this.Request("GET", path);
  }

  /**
   * Creates a HEAD request.
   *
   * @param path The path or absolute URL.
   * @returns The request. Send it with {@linkcode Call.Expect}.
   */
  HEAD(path: string): Call {
    return this.Request("HEAD", path);
  }

  /**
   * Creates a POST request.
   *
   * @param path The path or absolute URL.
   * @returns The request. Send it with {@linkcode Call.Expect}.
   */
  POST(path: string): Call {
    return this.Request("POST", path);
  }

  /**
   * Creates a PUT request.
   *
   * @param path The path or absolute URL.
   * @returns The request. Send it with {@linkcode Call.Expect}.
   */
  PUT(path: string): Call {
    return this.Request("PUT", path);
  }

  /**
   * Creates a PATCH request.
   *
   * @param path The path or absolute URL.
   * @returns The request. Send it with {@linkcode Call.Expect}.
   */
  PATCH(path: string): Call {
    return this.Request("PATCH", path);
  }

  /**
   * Creates an OPTIONS request.
   *
   * @param path The path or absolute URL.
   * @returns The request. Send it with {@linkcode Call.Expect}.
   */
  OPTIONS(path: string): Call {
    return this.Request("OPTIONS", path);
  }

  /**
   * Creates a DELETE request.
   *
   * @param path The path or absolute URL.
   * @returns The request. Send it with {@linkcode Call.Expect}.
   */
  DELETE(path: string): Call {
    return this.Request("DELETE", path);
  }
}

/**
 * Creates a test client for an application.
 *
 * @param served The application.
 * @param origin The origin of the request URLs. Defaults to `http://localhost`.
 * @returns The client.
 */
export function New(served: Served, origin = "http://localhost"): Client {
  return new Client(served, origin);
}

/**
 * Starts the background work of an application and of its extensions, and creates a client for it. When the client is
 * disposed of, the application shuts down.
 *
 * @param app The application.
 * @returns The client, for `await using`.
 *
 * @example Test an application together with its extensions
 * ```ts
 * import * as fw from "@fw/web";
 * import * as httptest from "@fw/web/httptest";
 *
 * const steps: string[] = [];
 * const app = fw.New();
 * app.Install({
 *   Name: "steps",
 *   Install: (host) => host.Run(() => void steps.push("started"), { Dispose: () => void steps.push("stopped") }),
 * });
 * app.Get("/", (ctx) => ctx.WriteString("hello"));
 *
 * {
 *   await using test = await httptest.Start(app);
 *   await test.GET("/").Expect().Body("hello");
 * }
 * steps; // → ["started", "stopped"]
 * ```
 */
export async function Start(app: Served & Startable): Promise<Client & AsyncDisposable> {
  checkArgument(app, startableRule, "app", "httptest.Start");
  const started = await app.Start();
  return Object.assign(New(app), { [Symbol.asyncDispose]: () => started[Symbol.asyncDispose]() });
}

/** An application that can be started without a server. */
export interface Startable {
  /** Starts the background work. */
  Start(): Promise<AsyncDisposable>;
}

/**
 * Runs a single handler with a request, without registering a route.
 *
 * @param handler The handler.
 * @param request The request.
 * @param configurators The configuration, such as `fw.WithProxy()`.
 * @returns The expectations for the response. Await them to get the response.
 *
 * @example Test a handler
 * ```ts
 * import type * as fw from "@fw/web";
 * import * as httptest from "@fw/web/httptest";
 *
 * const greet = (ctx: fw.Context) => ctx.WriteString(`Hello ${ctx.URLParam("name")}`);
 * const response = await httptest.Do(greet, new Request("http://localhost/?name=Ada")).Status(200).Body("Hello Ada");
 * response.Text; // → "Hello Ada"
 * ```
 */
export function Do(handler: Handler, request: Request, ...configurators: Configurator[]): Expectation {
  checkArgument(handler, func(), "handler", "httptest.Do");
  checkArgument(request, instance(Request, "a Request"), "request", "httptest.Do");
  const caller = {};
  Error.captureStackTrace(caller, Do);
  const what = `${request.method} ${new URL(request.url).pathname}`;
  return new Expectation(run(handler, request, configurators), what, caller);
}

async function run(handler: Handler, request: Request, configurators: readonly Configurator[]): Promise<Response> {
  const { New } = await loadModule(() => import("../../core/app/application.ts"));
  const app = New();
  app.Logger().SetLevel("disable");
  app.Configure(WithoutPathCorrectionRedirection, ...configurators);
  for (const path of ["/", "/{path:path}"]) app.Any(path, handler);
  return await app.fetch(request, { remoteAddr: { transport: "tcp", hostname: "127.0.0.1", port: 0 } });
}
