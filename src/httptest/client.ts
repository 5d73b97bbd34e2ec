/**
 * A client of the application under test.
 *
 * @module
 */

import type { MethodName } from "../http/methods.ts";
import { Call, type Served } from "./call.ts";
import { Jar } from "./jar.ts";
import type { SocketOptions, TestSocket } from "./socket.ts";

/** A client of an application that runs in the same process. It keeps cookies and does not follow redirects. */
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
   * @param origin The scheme and host that requests name.
   */
  constructor(served: Served, origin: string) {
    this.#served = served;
    this.#origin = origin;
  }

  /**
   * Prepares a request.
   *
   * @param method The method.
   * @param path The path, or a whole URL.
   * @returns The request, to be completed and sent.
   */
  Request(method: MethodName, path: string): Call {
    return new Call(this.#served, { method, url: new URL(path, this.#origin), jar: this.#jar });
  }

  /**
   * Opens a WebSocket connection in memory, with the cookies of this client.
   *
   * @param path The path, or a whole URL.
   * @param options Header fields, sub-protocols and the client's address.
   * @returns The connection. Fails if the handshake is refused.
   */
  async WebSocket(path: string, options: SocketOptions = {}): Promise<TestSocket> {
    const { openSocket } = await import("./socket.ts");
    return await openSocket(this.#served, { url: new URL(path, this.#origin), jar: this.#jar }, options);
  }

  /**
   * Prepares a GET request.
   *
   * @param path The path.
   * @returns The request, to be completed and sent.
   */
  GET(path: string): Call {
    return this.Request("GET", path);
  }

  /**
   * Prepares a HEAD request.
   *
   * @param path The path.
   * @returns The request, to be completed and sent.
   */
  HEAD(path: string): Call {
    return this.Request("HEAD", path);
  }

  /**
   * Prepares a POST request.
   *
   * @param path The path.
   * @returns The request, to be completed and sent.
   */
  POST(path: string): Call {
    return this.Request("POST", path);
  }

  /**
   * Prepares a PUT request.
   *
   * @param path The path.
   * @returns The request, to be completed and sent.
   */
  PUT(path: string): Call {
    return this.Request("PUT", path);
  }

  /**
   * Prepares a PATCH request.
   *
   * @param path The path.
   * @returns The request, to be completed and sent.
   */
  PATCH(path: string): Call {
    return this.Request("PATCH", path);
  }

  /**
   * Prepares an OPTIONS request.
   *
   * @param path The path.
   * @returns The request, to be completed and sent.
   */
  OPTIONS(path: string): Call {
    return this.Request("OPTIONS", path);
  }

  /**
   * Prepares a DELETE request.
   *
   * @param path The path.
   * @returns The request, to be completed and sent.
   */
  DELETE(path: string): Call {
    return this.Request("DELETE", path);
  }
}

/**
 * Creates a client for an application.
 *
 * @param served The application.
 * @param origin The scheme and host that requests name.
 * @returns The client.
 */
export function New(served: Served, origin = "http://localhost"): Client {
  return new Client(served, origin);
}
