/**
 * The response headers of a deprecated version.
 *
 * @module
 */

import { checkHeaderValue } from "../../http/headers/header.ts";

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

/** The default options for deprecated versions. */
export const DefaultDeprecationOptions: Readonly<{ WarnMessage: string }> = {
  WarnMessage: "WARNING! You are using a deprecated version of this API.",
};

/** Headers by name. */
export type DeprecationFields = readonly (readonly [name: string, value: string])[];

/** Returns the headers for the options, which have been checked. */
export function deprecationFields(options: DeprecationOptions): DeprecationFields {
  const { WarnMessage, DeprecationDate, DeprecationInfo, Sunset } = options;
  const fields = [["X-Api-Warn", WarnMessage || DefaultDeprecationOptions.WarnMessage]];
  if (DeprecationDate !== undefined) {
    fields.push(["X-Api-Deprecation-Date", DeprecationDate.toUTCString()]);
    fields.push(["Deprecation", `@${Math.floor(DeprecationDate.getTime() / 1000)}`]);
  }
  if (DeprecationInfo) fields.push(["X-Api-Deprecation-Info", DeprecationInfo]);
  if (Sunset !== undefined) fields.push(["Sunset", Sunset.toUTCString()]);
  return fields.map(([name = "", value = ""]) => [name, checkHeaderValue(name, value)]);
}
