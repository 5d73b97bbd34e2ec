/**
 * Handlers that notify clients of a deprecated version.
 *
 * @module
 */

import { checkArgument } from "../../base/config/option_table.ts";
import { func } from "../../base/config/option_kinds.ts";
import { type Context, exchangeOf } from "../../core/context/context.ts";
import type { Handler } from "../../core/context/handler.ts";
import { factsOf, noteFacts } from "../../core/exchange/handler_facts.ts";
import { type DeprecationFields, deprecationFields, type DeprecationOptions } from "./deprecation_fields.ts";
import { checkDeprecation } from "./party_option.ts";

/**
 * Sets the response headers for a deprecated version.
 *
 * @param ctx The request context.
 * @param options The warning message and the dates.
 */
export function WriteDeprecated(ctx: Context, options: DeprecationOptions = {}): void {
  const { context } = exchangeOf(ctx);
  for (const [name, value] of fieldsOf(options)) context.Header(name, value);
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

function fieldsOf(options: DeprecationOptions): DeprecationFields {
  checkDeprecation(options);
  return deprecationFields(options);
}
