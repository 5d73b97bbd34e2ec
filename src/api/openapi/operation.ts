/**
 * Describes a route as an OpenAPI operation.
 *
 * @module
 */

import { checkArgument } from "../../base/config/option_table.ts";
import { filled, func, record } from "../../base/config/option_kinds.ts";
import type { RouteRecord } from "../../core/app/record/registry.ts";
import type { RouteDescription } from "../../core/app/record/route_description.ts";
import type { Handler } from "../../core/context/handler.ts";
import { factsOf, noteFacts } from "../../core/exchange/handler_facts.ts";
import type { Components } from "./components.ts";
import { acceptsNoItems, isOptional, type JSONSchema, withoutAbsent } from "./json_schema.ts";
import { summaryOf, tagOf } from "./operation_name.ts";
import { examplesOf, handlersOf, type OperationSources, useOf } from "./operation_sources.ts";
import { describeParameters } from "./parameters.ts";
import { describeResponses } from "./responses.ts";

/** An operation of the document. */
export type Operation = Record<string, unknown>;

/** Describes a route as an operation. */
export function describeOperation(sources: OperationSources): Operation {
  const { record, id, said } = sources;
  const security = securityOf(record, said, sources.schemas.components);
  const facts = handlersOf(record).map(factsOf);
  const needsUser = said.Security === undefined && facts.some((fact) => fact.needsUser === true);
  return withoutAbsent({
    operationId: id,
    summary: said.Summary ?? (sources.isGuessing ? summaryOf(record.route.Method, sources.shape.path) : undefined),
    description: said.Description,
    tags: said.Tags ?? (record.route.Controller === undefined ? undefined : [tagOf(record.route.Controller)]),
    deprecated: said.Deprecated ?? (facts.some((fact) => fact.isDeprecated === true) || undefined),
    externalDocs: said.ExternalDocs === undefined
      ? undefined
      : withoutAbsent({ url: said.ExternalDocs.URL, description: said.ExternalDocs.Description }),
    parameters: describeParameters(sources),
    requestBody: describeBody(sources),
    responses: describeResponses(sources, {
      needsLogin: security.length > 0 || needsUser,
      hasGuard: facts.some((fact) => fact.isGuard === true),
      hasLimit: facts.some((fact) => fact.isLimit === true),
    }),
    callbacks: said.Callbacks,
    // An empty array means that no authentication is required. Linters complain if it is missing. If a guard requires a
    // user, but the scheme is unknown, neither is known to be true.
    security: security.length === 0 && needsUser ? undefined : security,
  });
}

/** Describes a route's request body. Returns `undefined` if the route does not read one. */
function describeBody(sources: OperationSources): Record<string, unknown> | undefined {
  const { record, schemas, said } = sources;
  const content: Record<string, unknown> = {};
  let isRequired = false;
  for (const { Kind, Schema } of record.route.Inputs) {
    if (Kind !== "Body" && Kind !== "Form") continue;
    const written = schemas.read(Schema, "input", `the ${Kind} of "${record.route.Name}"`);
    const found = Kind === "Form" ? formOf(written) : written;
    const placed = schemas.components.place(found, useOf(sources, Kind));
    const media = { schema: placed, ...examplesOf(said.Examples) };
    for (const type of Kind === "Form" ? formTypesOf(found) : ["application/json"]) content[type] = media;
    isRequired ||= Kind === "Body" ? !isOptional(Schema) : hasRequired(found);
  }
  return Object.keys(content).length === 0 ? undefined : withoutAbsent({ required: isRequired || undefined, content });
}

/** Adapts a schema to forms. A form is always an object, and it omits empty arrays. */
function formOf(schema: JSONSchema): JSONSchema {
  if (Object.keys(schema).length === 0) return { type: "object" };
  const { properties, required } = schema;
  if (typeof properties !== "object" || properties === null || !Array.isArray(required)) return schema;
  const members = properties as Readonly<Record<string, JSONSchema>>;
  const { required: _, ...others } = schema;
  const needed = required.filter((name) => !acceptsNoItems(members[name] ?? {}));
  return needed.length === 0 ? others : { ...schema, required: needed };
}

/** Reports whether a form has required fields. A form without any is optional. */
function hasRequired(schema: JSONSchema): boolean {
  return JSON.stringify(schema).includes('"required":[');
}

/** Returns the content types of a form. Files can be sent only as multipart. */
function formTypesOf(schema: JSONSchema): readonly string[] {
  const isFile = JSON.stringify(schema).includes('"format":"binary"');
  return isFile ? ["multipart/form-data"] : ["application/x-www-form-urlencoded", "multipart/form-data"];
}

/** Returns the security requirements of an operation, or an empty array if it has none. */
function securityOf(
  record: RouteRecord,
  { Security }: RouteDescription,
  components: Components,
): readonly Record<string, readonly string[]>[] {
  const needed: Record<string, readonly string[]> = {};
  for (const handler of handlersOf(record)) {
    const { security } = factsOf(handler);
    if (security === undefined) continue;
    const name = components.secure(security.name, security.scheme);
    needed[name] = [...new Set([...needed[name] ?? [], ...security.scopes ?? []])];
  }
  if (Security !== undefined) {
    return Security.map((each) => typeof each === "string" ? { [each]: [] } : { ...each });
  }
  return Object.keys(needed).length === 0 ? [] : [needed];
}

/**
 * Documents a custom guard. The document shows that operations behind the guard require the security scheme.
 *
 * @example Document an API key guard
 * ```ts
 * import * as fw from "@fw/web";
 * import * as openapi from "@fw/web/openapi";
 *
 * const guard = openapi.Security(function byKey(ctx: fw.Context) {
 *   return ctx.GetHeader("x-api-key") === "secret" ? ctx.Next() : ctx.StopWithStatus(401);
 * }, "key", { type: "apiKey", in: "header", name: "X-API-Key" });
 *
 * const app = fw.New();
 * app.Get("/teas", guard, (ctx) => ctx.JSON([]));
 * const document = await openapi.New({ Title: "Teas", Version: "1.0.0" }).Build(app);
 * JSON.stringify(document).includes('"security":[{"key":[]}]'); // → true
 * ```
 *
 * @param guard The guard.
 * @param name The scheme's name in the document.
 * @param scheme The security scheme, as an OpenAPI object.
 * @returns The guard.
 */
export function Security<H extends Handler>(guard: H, name: string, scheme: Readonly<Record<string, unknown>>): H {
  checkArgument(guard, func(), "guard", "openapi.Security");
  checkArgument(name, filled(), "name", "openapi.Security");
  checkArgument(scheme, record(), "scheme", "openapi.Security");
  return noteFacts(guard, { security: { name, scheme }, guard: guard.name || name });
}
