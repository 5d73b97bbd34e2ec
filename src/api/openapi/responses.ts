/**
 * Describes responses.
 *
 * @module
 */

import { statusText } from "../../base/errors/errors.ts";
import type { PartyRecord } from "../../core/app/record/registry.ts";
import type { ResponseDescription } from "../../core/app/record/route_description.ts";
import { WriteProblem } from "../../core/app/serve/write_problem.ts";
import { withoutAbsent } from "./json_schema.ts";
import { examplesOf, type OperationSources, useOf } from "./operation_sources.ts";

type Responses = Record<string, Record<string, unknown>>;

/** The key of the handlers that `OnAnyErrorCode` registers. */
const anyStatus = 0;

const problemType = "application/problem+json";

/** Status codes without a response body. */
const bodiless: ReadonlySet<string> = new Set(["204", "205", "304"]);

/** The guards of a route. */
interface Guarded {
  /** Whether requests without a login are rejected. */
  readonly needsLogin: boolean;
  /** Whether a guard decides which callers may use the route, such as users with a role. */
  readonly hasGuard: boolean;
  /** Whether the rate of requests is limited. */
  readonly hasLimit: boolean;
}

/** Describes a route's responses. */
export function describeResponses(sources: OperationSources, guarded: Guarded): Responses {
  const responses: Responses = {};
  addSuccess(sources, responses);
  const { Responses = {}, Errors = {} } = sources.said;
  for (const [status, said] of [...Object.entries(Responses), ...Object.entries(Errors)]) {
    responses[status] = describe(sources, status, typeof said === "string" ? { Description: said } : said);
  }
  addRefusals(sources, responses, guarded);
  return responses;
}

/** Adds the success response. If nothing is known about a route, it may respond with any status. */
function addSuccess(sources: OperationSources, responses: Responses): void {
  const { Returns, Status, ContentType, Responses } = sources.said;
  const isSaid = Object.keys(Responses ?? {}).some((status) => /^(?:[23]|default)/i.test(status));
  if (Returns === undefined && Status === undefined && (isSaid || !sources.isGuessing)) return;
  const status = String(Status ?? (Returns === undefined ? "default" : 200));
  responses[status] = describe(sources, status, {
    ...Returns === undefined ? {} : { Schema: Returns },
    ...ContentType === undefined ? {} : { ContentType },
  });
}

/** Adds the error responses that follow from the route's inputs, parameters and guards. */
function addRefusals(sources: OperationSources, responses: Responses, guarded: Guarded): void {
  const { record: { route, party }, shape } = sources;
  const problem = { content: { [problemType]: { schema: sources.schemas.components.problem() } } };
  const text = { "text/plain": { schema: { type: "string" } } };
  // By default, clients that accept JSON receive problem details, and other clients receive plain text.
  const error = writesProblems(party) ? problem : { content: { ...problem.content, ...text } };
  const add = (status: string, description: string, body: object) => {
    responses[status] ??= { description, ...body };
  };
  if (route.Inputs.length > 0) {
    const hasBody = route.Inputs.some((input) => input.Kind === "Body" || input.Kind === "Form");
    add("400", "Malformed input", problem);
    if (hasBody) add("415", "Unsupported content type", problem);
    add("422", "Validation failed", problem);
  }
  if (guarded.needsLogin) add("401", "Authentication required", error);
  if (guarded.hasGuard) add("403", "Not allowed", error);
  if (guarded.hasLimit) add("429", "Too many requests", error);
  for (const { elseCode } of shape.parameters) {
    add(String(elseCode), elseCode === 404 ? "Not found" : describeStatus(String(elseCode)), error);
  }
  add("400", "Bad request", error);
  // Some generators copy "4XX" into their code verbatim, so use "default" instead.
  add("default", "Unexpected error", {});
}

/** Reports whether the errors of a party are always problem details, because `fw.WriteProblem` handles them. */
function writesProblems({ errorHandlers, parent }: PartyRecord): boolean {
  const handlers = errorHandlers.get(anyStatus);
  if (handlers === undefined) return parent !== undefined && writesProblems(parent);
  return handlers.flat().includes(WriteProblem);
}

function describe(sources: OperationSources, status: string, said: ResponseDescription): Record<string, unknown> {
  const { Description, Headers } = said;
  return withoutAbsent({
    description: Description ?? describeStatus(status),
    headers: Headers === undefined ? undefined : describeHeaders(sources, status, Headers),
    content: bodiless.has(status) ? undefined : contentOf(sources, status, said),
  });
}

function contentOf(sources: OperationSources, status: string, said: ResponseDescription): unknown {
  const { Schema, ContentType, Content, Examples } = said;
  if (Content !== undefined) {
    return Object.fromEntries(
      Object.entries(Content).map(([type, each]) => [
        type,
        withoutAbsent({ schema: writeBody(sources, status, each), ...examplesOf(Examples) }),
      ]),
    );
  }
  if (Schema === undefined && ContentType === undefined && Examples === undefined) return undefined;
  const types = typeof ContentType === "string" ? [ContentType] : ContentType ?? ["application/json"];
  const schema = Schema === undefined ? undefined : writeBody(sources, status, Schema);
  return Object.fromEntries(
    types.map((type) => [type, withoutAbsent({ schema: schema ?? schemaFor(type), ...examplesOf(Examples) })]),
  );
}

function schemaFor(type: string): Record<string, unknown> | undefined {
  if (/^text\/|[/+]xml\b/.test(type)) return { type: "string" };
  return /^(?:image|audio|video|font)\/|octet-stream|zip|pdf/.test(type)
    ? { type: "string", format: "binary" }
    : undefined;
}

function writeBody(
  sources: OperationSources,
  status: string,
  schema: unknown,
): Record<string, unknown> {
  const use = useOf(sources, /^2|^default/.test(status) ? "Returns" : status);
  return sources.schemas.write(schema, "output", use, `the response of "${sources.record.route.Name}"`);
}

function describeHeaders(
  sources: OperationSources,
  status: string,
  headers: NonNullable<ResponseDescription["Headers"]>,
): Record<string, unknown> {
  const { schemas, record } = sources;
  return Object.fromEntries(
    Object.entries(headers).map(([name, said]) => {
      const { Description, Schema } = typeof said === "string" ? { Description: said, Schema: undefined } : said;
      const schema = Schema === undefined ? { type: "string" } : schemas.write(
        Schema,
        "output",
        useOf(sources, `${status}_${name}`),
        `the header "${name}" of "${record.route.Name}"`,
      );
      return [name, withoutAbsent({ description: Description, schema })];
    }),
  );
}

const classes: Readonly<Record<string, string>> = {
  2: "Success",
  3: "Redirection",
  4: "Client error",
  5: "Server error",
};

function describeStatus(status: string): string {
  if (status === "default") return "Response";
  if (/^\dXX$/i.test(status)) return classes[status[0] ?? ""] ?? `Status ${status}`;
  return statusText(Number(status));
}
