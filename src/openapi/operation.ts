/**
 * Describes a route as an OpenAPI operation.
 *
 * @module
 */

import type { RouteRecord } from "../app/record/registry.ts";
import { factsOf } from "../exchange/handler_facts.ts";
import { withoutAbsent } from "./absent.ts";
import { summaryOf, tagOf } from "./operation_name.ts";
import { handlersOf, type OperationSources } from "./operation_sources.ts";
import { describeParameters } from "./parameters.ts";
import { describeBody } from "./request_body.ts";
import { describeResponses } from "./responses.ts";
import { securityOf } from "./security.ts";

/** An operation of the document. */
export type Operation = Record<string, unknown>;

/** Describes a route as an operation. */
export function describeOperation(sources: OperationSources): Operation {
  const { record, id, said } = sources;
  const security = securityOf(record, said, sources.schemas.components);
  return withoutAbsent({
    operationId: (said.OperationID ?? id).replace(/[^A-Za-z0-9_.~-]/g, "_"),
    summary: said.Summary ?? (sources.isGuessing ? summaryOf(record.route.Method, sources.shape.path) : undefined),
    description: said.Description,
    tags: said.Tags ?? (record.route.Controller === undefined ? undefined : [tagOf(record.route.Controller)]),
    deprecated: said.Deprecated ?? (isDeprecated(record) || undefined),
    externalDocs: said.ExternalDocs === undefined
      ? undefined
      : withoutAbsent({ url: said.ExternalDocs.URL, description: said.ExternalDocs.Description }),
    parameters: describeParameters(sources),
    requestBody: describeBody(sources),
    responses: describeResponses(sources, security.length > 0),
    callbacks: said.Callbacks,
    // An empty array means that no authentication is required. Linters complain if it is missing.
    security,
  });
}

function isDeprecated(record: RouteRecord): boolean {
  return handlersOf(record).some((handler) => factsOf(handler).isDeprecated === true);
}
