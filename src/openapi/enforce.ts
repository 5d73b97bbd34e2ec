/**
 * Validates responses against the document.
 *
 * @module
 */

import type { Registry } from "../app/record/registry.ts";
import type { Context } from "../context/context.ts";
import type { Handler } from "../context/handler.ts";
import { FrameworkError } from "../errors/errors.ts";
import { checkValue } from "./check_value.ts";
import type { BuiltDocument } from "./document_options.ts";

/** Adds response validation to all routes when the application is built, if enabled. */
export function enforceResponses(
  registry: Registry,
  complete: () => Promise<BuiltDocument>,
  isWanted: boolean | undefined,
): void {
  if (isWanted === false) return;
  // The build determines whether the application is in development mode.
  registry.builders.push((config) => {
    if (isWanted ?? config.Development) registry.globals.push(newEnforcer(complete));
  });
}

function newEnforcer(complete: () => Promise<BuiltDocument>): Handler {
  return async function enforceReturns(ctx: Context): Promise<void> {
    const recorder = ctx.Recorder();
    await ctx.Next();
    const route = ctx.GetCurrentRoute();
    const body = recorder.Body();
    if (body === null || body.length === 0 || route === undefined || ctx.GetErr() !== undefined) return;
    const { document, operations } = await complete();
    const operation = operations.get(route);
    const media = operation === undefined ? undefined : mediaOf(operation, ctx);
    if (media === undefined) return;
    const [fault] = checkValue(JSON.parse(new TextDecoder().decode(body)), media, document);
    if (fault === undefined) return;
    throw new FrameworkError(
      "FW_RETURN",
      `Cannot respond to "${route.Name}" with ${ctx.GetStatusCode()}: the response does not match its description: ` +
        `${fault}`,
    );
  };
}

/** Returns the schema of a JSON response, if the document has one. */
function mediaOf(operation: Record<string, unknown>, ctx: Context): unknown {
  const status = String(ctx.GetStatusCode());
  const responses = Object(operation["responses"]);
  const response = responses[status] ?? responses[`${status[0]}XX`] ?? responses["default"];
  const type = ctx.GetResponseHeader("content-type").split(";", 1)[0]?.trim() ?? "";
  return /[/+]json$/i.test(type) ? Object(Object(Object(response)["content"])[type])["schema"] : undefined;
}
