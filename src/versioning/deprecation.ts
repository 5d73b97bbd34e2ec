/**
 * Response headers that notify clients of a deprecated version.
 *
 * @module
 */

import { checkArgument } from "../config/option_table.ts";
import { func } from "../config/option_kinds.ts";
import type { Context } from "../context/context.ts";
import type { Handler } from "../context/handler.ts";
import { factsOf, noteFacts } from "../exchange/handler_facts.ts";
import { checkHeaderValue } from "../http/header.ts";
import { checkDeprecation, type DeprecationOptions } from "./party_option.ts";

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
  checkArgument(handler, func(), "handler", "versioning.Deprecated");
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

function fieldsOf(options: DeprecationOptions): Fields {
  checkDeprecation(options);
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
