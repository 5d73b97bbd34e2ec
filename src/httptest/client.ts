/**
 * A client for the application under test.
 *
 * @module
 */

import { loadModule } from "../async/lazy_module.ts";
import type { MethodName } from "../http/methods.ts";
import { Call, type Served } from "./call.ts";
import { Jar } from "./jar.ts";
import type { SocketOptions, TestSocket } from "./socket.ts";

/**
 * A client that sends requests to an application in the same process. It stores cookies and does not follow redirects.
 */
export class Client {
  readonly #served: Served;
  readonly #origin: string;
  readonly #jar = new Jar();

  /**
   * Created by {@linkcode New}.
   *
   * @ignore
   *
   * @param served The application.
   * @param origin The origin of the request URLs.
   */
  constructor(served: Served, origin: string) {
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
    return new Call(this.#served, { method, url: new URL(path, this.#origin), jar: this.#jar });
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
    return await openSocket(this.#served, { url: new URL(path, this.#origin), jar: this.#jar }, options);
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
