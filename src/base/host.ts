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
   * The application's settings.
   *
   * @returns The configuration as it was when the application was built.
   */
  ConfigurationReadOnly(): Readonly<Configuration>;
}
