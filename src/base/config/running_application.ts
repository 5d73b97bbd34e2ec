/**
 * The application interface that requests can access.
 *
 * @module
 */

import type { Logger } from "../log/logger.ts";
import type { PathValue } from "../text/path_value.ts";
import type { Configuration } from "./config.ts";

/** The application as seen by a request. Returned by `ctx.Application()`. */
export interface RunningApplication {
  /**
   * Returns the application's logger.
   *
   * @returns The same logger as `app.Logger()`.
   */
  Logger(): Logger;
  /**
   * Returns the application's configuration.
   *
   * @returns The configuration at the time the application was built.
   */
  Configuration(): Readonly<Configuration>;
  /**
   * Builds the path of a named route, like `app.Reverse`.
   *
   * @param name The route name.
   * @param values The parameter values, in order.
   * @returns The path, with the values escaped.
   * @throws {FrameworkError} If there is no such route, or if a parameter does not accept its value.
   */
  Reverse(name: string, ...values: PathValue[]): string;
  /**
   * Handles a request in process, as if a client had sent it. Useful for refreshing or combining responses.
   *
   * @param request The request to handle.
   * @param info The connection info. If omitted, proxy headers are not trusted.
   * @returns The response, or a promise for it.
   */
  fetch(request: Request, info?: { readonly remoteAddr?: Deno.Addr }): Response | Promise<Response>;
}
