/**
 * One route as an OpenAPI operation.
 *
 * @module
 */

import { STATUS_TEXT, type StatusCode } from "@std/http/status";
import type { RouteRecord } from "../app/registry.ts";
import type { RouteDescription, RouteInput } from "../app/route_description.ts";
import { factsOf } from "../context/handler_facts.ts";
import type { Components } from "./components.ts";
import { type JSONSchema, type SchemaConverter, toJSONSchema } from "./json_schema.ts";
import type { PathParameter, PathShape } from "./path_parameters.ts";

/** An operation of the document. */
export type Operation = Record<string, unknown>;

/** What an operation is described with. */
export interface OperationSources {
  readonly record: RouteRecord;
  readonly shape: PathShape;
  readonly id: string;
  readonly components: Components;
  /** What the source files say: kept behind what the program itself says. */
  readonly documented: RouteDescription;
  readonly convert: SchemaConverter | undefined;
}

const jsonType = "application/json";
const problemType = "application/problem+json";

/** The methods whose requests have no body that a server may count on. */
const bodiless: ReadonlySet<string> = new Set(["GET", "HEAD", "DELETE", "OPTIONS", "TRACE"]);

/** Describes a route. */
export function describeOperation(sources: OperationSources): Operation {
  const { record, id } = sources;
  const said = { ...sources.documented, ...record.route.Description };
  const { Inputs: inputs } = record.route;
  const security = securityOf(sources);
  const isGuarded = Object.keys(security).length > 0;
  return withoutAbsent({
    operationId: said.OperationID ?? id,
    summary: said.Summary,
    description: said.Description,
    tags: said.Tags ?? (record.route.Controller === undefined ? undefined : [tagOf(record.route.Controller)]),
    deprecated: said.Deprecated,
    parameters: parametersOf(sources, inputs),
    requestBody: bodiless.has(record.route.Method) ? undefined : bodyOf(sources, inputs),
    responses: responsesOf(sources, said, isGuarded),
    security: isGuarded ? [security] : undefined,
  });
}

/** The name of a controller's group: `Users` for `UsersController`. */
function tagOf(controller: string): string {
  return controller.replace(/(?<=.)Controller$/, "");
}

function parametersOf(sources: OperationSources, inputs: readonly RouteInput[]): unknown[] | undefined {
  const path = sources.shape.parameters.map((parameter) => pathParameter(parameter));
  const others = inputs.flatMap((input) => {
    const place = input.Kind === "Query" ? "query" : input.Kind === "Header" ? "header" : undefined;
    return place === undefined ? [] : membersOf(sources, input, place);
  });
  const all = [...path, ...others];
  return all.length === 0 ? undefined : all;
}

function pathParameter({ name, schema, isTrailing }: PathParameter): Record<string, unknown> {
  const note = isTrailing ? { description: "Takes the rest of the path, slashes included" } : {};
  return { name, in: "path", required: true, schema, ...note };
}

/** One parameter for each member of an object schema. */
function membersOf(sources: OperationSources, input: RouteInput, place: string): unknown[] {
  const schema = toJSONSchema(input.Schema, "input", sources.convert);
  const properties = schema?.["properties"];
  if (schema === undefined || typeof properties !== "object" || properties === null) return [];
  const required = new Set(Array.isArray(schema["required"]) ? schema["required"] : []);
  return Object.entries(properties).map(([name, member]) =>
    withoutAbsent({
      name,
      in: place,
      required: required.has(name) || undefined,
      description: textOf(member, "description"),
      schema: sources.components.place(withDefinitions(member, schema), `${sources.id}.${name}`),
    })
  );
}

/** A member taken out of its schema keeps the definitions that it may refer to. */
function withDefinitions(member: unknown, schema: JSONSchema): JSONSchema {
  const own = typeof member === "object" && member !== null ? { ...member } : {};
  return schema["$defs"] === undefined ? own : { ...own, $defs: schema["$defs"] };
}

function bodyOf(sources: OperationSources, inputs: readonly RouteInput[]): Record<string, unknown> | undefined {
  const content: Record<string, unknown> = {};
  for (const input of inputs) {
    if (input.Kind !== "Body" && input.Kind !== "Form") continue;
    const found = toJSONSchema(input.Schema, "input", sources.convert) ?? {};
    const media = { schema: sources.components.place(found, `${sources.id}.${input.Kind}`) };
    const isForm = input.Kind === "Form";
    for (const type of isForm ? formTypesOf(found) : [jsonType]) content[type] = media;
  }
  return Object.keys(content).length === 0 ? undefined : { required: true, content };
}

/** A form with a file can only be sent as multipart. */
function formTypesOf(schema: JSONSchema): readonly string[] {
  const isFile = JSON.stringify(schema).includes('"format":"binary"');
  return isFile ? ["multipart/form-data"] : ["application/x-www-form-urlencoded", "multipart/form-data"];
}

function responsesOf(sources: OperationSources, said: RouteDescription, isGuarded: boolean): Record<string, unknown> {
  const { record, shape } = sources;
  const problem = { content: { [problemType]: { schema: sources.components.problem() } } };
  const responses: Record<string, unknown> = { [said.Status ?? 200]: successOf(sources, said) };
  const add = (status: number, description: string, body: object = {}) => {
    responses[status] ??= { description, ...body };
  };
  for (const [status, text] of Object.entries(said.Errors ?? {})) add(Number(status), text);
  if (record.route.Inputs.length > 0) {
    const hasBody = record.route.Inputs.some((input) => input.Kind === "Body" || input.Kind === "Form");
    add(400, "The input cannot be read", problem);
    if (hasBody) add(415, "The body is of another content type", problem);
    add(422, "The input does not fit", problem);
  }
  if (isGuarded) add(401, "The request is not authenticated");
  for (const parameter of shape.parameters) {
    add(parameter.elseCode, parameter.elseCode === 404 ? "There is no such resource" : statusText(parameter.elseCode));
  }
  return responses;
}

function successOf(sources: OperationSources, said: RouteDescription): Record<string, unknown> {
  const status = said.Status ?? 200;
  const description = statusText(status);
  if (said.Returns === undefined || status === 204 || status === 304) return { description };
  const schema = toJSONSchema(said.Returns, "output", sources.convert) ?? {};
  const placed = sources.components.place(schema, `${sources.id}.Returns`);
  return { description, content: { [said.ContentType ?? jsonType]: { schema: placed } } };
}

function statusText(status: number): string {
  return STATUS_TEXT[status as StatusCode] ?? `Status ${status}`;
}

/** The schemes that guard a route: a request passes all handlers of the chain, so it needs each of them. */
function securityOf({ record, components }: OperationSources): Record<string, readonly string[]> {
  const needed: Record<string, readonly string[]> = {};
  for (const handler of chainOf(record)) {
    const { security } = factsOf(handler);
    if (security === undefined) continue;
    components.secure(security.name, security.scheme);
    needed[security.name] = [];
  }
  return needed;
}

/** All handlers that a request of the route meets, the router's own of its parties included. */
function chainOf(record: RouteRecord): readonly object[] {
  const above: object[] = [];
  for (let party: RouteRecord["party"] | undefined = record.party; party !== undefined; party = party.parent) {
    above.unshift(...party.routerUses);
  }
  return [...above, ...record.uses, ...record.handlers];
}

function textOf(value: unknown, key: string): string | undefined {
  const text = typeof value === "object" && value !== null ? Reflect.get(value, key) : undefined;
  return typeof text === "string" ? text : undefined;
}

function withoutAbsent(object: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(object).filter(([, value]) => value !== undefined));
}
