/**
 * Response headers that notify clients of a deprecated version.
 *
 * @module
 */

import { FrameworkError } from "../../base/errors/errors.ts";
import type { Context } from "../../core/context/context.ts";
import type { Handler } from "../../core/context/handler.ts";
import { factsOf, noteFacts } from "../../core/exchange/handler_facts.ts";
import { checkHeaderValue } from "../../http/headers/header.ts";

/** Options for {@linkcode Deprecated}. */
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
type Fields = readonly (readonly [name: string, value: string])[];

/**
 * Sets the response headers for a deprecated version.
 *
 * @param ctx The request context.
 * @param options The warning message and the dates.
 */
export function WriteDeprecated(ctx: Context, options: DeprecationOptions = {}): void {
  for (const [name, value] of fieldsOf(options)) ctx.Header(name, value);
}

/**
 * Marks a handler as deprecated. OpenAPI documents mark its routes as deprecated as well.
 *
 * @param handler The handler.
 * @param options The warning message and the dates.
 * @returns A handler that sets the headers and then calls the given handler.
 */
export function Deprecated(handler: Handler, options: DeprecationOptions = {}): Handler {
  const fields = fieldsOf(options);
  const deprecated: Handler = function deprecated(ctx) {
    for (const [name, value] of fields) ctx.Header(name, value);
    return handler(ctx);
  };
  return noteFacts(deprecated, { ...factsOf(handler), isDeprecated: true });
}

/** Creates middleware that marks the routes behind it as deprecated. */
export function deprecation(options: DeprecationOptions): Handler {
  return Deprecated((ctx) => ctx.Next(), options);
}

function fieldsOf({ WarnMessage, DeprecationDate, DeprecationInfo, Sunset }: DeprecationOptions): Fields {
  const fields = [["X-Api-Warn", WarnMessage || DefaultDeprecationOptions.WarnMessage]];
  if (DeprecationDate !== undefined) {
    fields.push(["X-Api-Deprecation-Date", dateText("DeprecationDate", DeprecationDate)]);
    fields.push(["Deprecation", `@${Math.floor(DeprecationDate.getTime() / 1000)}`]);
  }
  if (DeprecationInfo) fields.push(["X-Api-Deprecation-Info", DeprecationInfo]);
  if (Sunset !== undefined) fields.push(["Sunset", dateText("Sunset", Sunset)]);
  return fields.map(([name = "", value = ""]) => [name, checkHeaderValue(name, value)]);
}

function dateText(name: string, date: Date): string {
  if (!Number.isNaN(date.getTime())) return date.toUTCString();
  throw new FrameworkError("FW_CONFIG", `Cannot mark a version as deprecated: ${name} must be a valid date`);
}
