/**
 * What a request may see of its application.
 *
 * @module
 */

import type { Logger } from "../log/logger.ts";
import type { Configuration } from "./config.ts";

/** What a request may see of its application: `ctx.Application()`. */
export interface Host {
  /**
   * The application's logger.
   *
   * @returns The logger that `app.Logger()` returns too.
   */
  Logger(): Logger;
  /**
   * Returns the application's configuration.
   *
   * @returns The configuration as it was when the application was built.
   */
  Configuration(): Readonly<Configuration>;
  /**
   * Serves a request in process, as if it had come from a client: for what a handler renews or composes.
   *
   * @param request The request.
   * @param info Where it comes from; left out, headers of proxies are not trusted.
   * @returns The response, or a promise of it.
   */
  fetch(request: Request, info?: { readonly remoteAddr?: Deno.Addr }): Response | Promise<Response>;
}
