/**
 * The options for deprecated versions.
 *
 * @module
 */

import { date, text } from "../config/option_kinds.ts";
import { optionTable, readOptions } from "../config/option_table.ts";

/** Options for `Deprecated`. */
export interface DeprecationOptions {
  /**
   * The text of the `X-Api-Warn` header.
   *
   * @default {"WARNING! You are using a deprecated version of this API."}
   */
  WarnMessage?: string;
  /** The date in the `X-Api-Deprecation-Date` and `Deprecation` headers (RFC 9745). */
  DeprecationDate?: Date;
  /** The text of the `X-Api-Deprecation-Info` header. */
  DeprecationInfo?: string;
  /** The date in the `Sunset` header (RFC 8594), after which the version will no longer be available. */
  Sunset?: Date;
}

const table = optionTable<DeprecationOptions>("versioning.DeprecationOptions", "Deprecated")({
  WarnMessage: text(),
  DeprecationDate: date(),
  DeprecationInfo: text(),
  Sunset: date(),
});

/** Checks the options. */
export function checkDeprecation(options: DeprecationOptions): void {
  readOptions(table, options);
}
