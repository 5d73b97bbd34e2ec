/**
 * The part of an application that is visible to a request.
 *
 * @module
 */

import type { Logger } from "../log/logger.ts";
import type { Configuration } from "./config.ts";

/** The part of an application that is visible to a request, as returned by `ctx.Application()`. */
export interface Host {
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
   * Handles a request in process, as if a client had sent it. Use it to refresh or combine responses.
   *
   * @param request The request to handle.
   * @param info The origin of the request. If omitted, proxy headers are not trusted.
   * @returns The response, or a promise for it.
   */
  fetch(request: Request, info?: { readonly remoteAddr?: Deno.Addr }): Response | Promise<Response>;
}
