/**
 * Describes a route as a tool.
 *
 * @module
 */

import type { ServedRoute } from "../../../core/app/served_routes.ts";
import type { Handler } from "../../../core/context/handler.ts";
import type { Template } from "../../../http/parameter_types/template.ts";
import { type JSONSchema, listOf, withoutAbsent } from "../../openapi/json_schema.ts";
import type { Operation } from "../../openapi/operation.ts";
import { type Definitions, isFile, resolved, selfContained } from "./tool_schema.ts";
import { versionOf } from "./tool_version.ts";
import { guardsOf } from "./visibility.ts";

/** A tool, as clients see it. */
export interface Tool {
  /** The tool's name, unique within the server. */
  readonly name: string;
  /** A one-line summary. */
  readonly title?: string;
  /** A description for the model. */
  readonly description?: string;
  /** The schema of the arguments. */
  readonly inputSchema: JSONSchema;
  /** The schema of the result, if the result is an object. */
  readonly outputSchema?: JSONSchema;
  /** Hints for clients, such as whether the tool is read-only or destructive. */
  readonly annotations: Readonly<Record<string, boolean | string>>;
}

/** The part of the request that an argument is sent in. */
export type Place = "path" | "query" | "header" | "body" | "form";

/** An argument of a tool. */
export interface Argument {
  /** The argument's name. */
  readonly name: string;
  /** The parameter's name in the request. */
  readonly key: string;
  readonly place: Place;
  /** Whether each property of the value becomes a separate parameter. */
  readonly isSpread: boolean;
  /** The form fields that are files. */
  readonly files: ReadonlySet<string>;
  /** The allowed form fields, or `undefined` if all fields are allowed. */
  readonly members: ReadonlySet<string> | undefined;
  /** The content type of the request body. */
  readonly type: string;
}

/** A tool and the route that it calls. */
export interface BoundTool {
  readonly tool: Tool;
  readonly method: string;
  readonly template: Template;
  /** The registered route. No other route serves a call of the tool. */
  readonly route: object;
  /** The routes of the mounts that lead to it. */
  readonly mounts: ReadonlySet<object>;
  /** Returns the API version of the route, which calls ask for, or `undefined` if it serves all versions. */
  readonly version: () => string | undefined;
  readonly arguments: readonly Argument[];
  /** The URI template of the resource, or `undefined` if the route is not offered as one. */
  readonly uri: string | undefined;
  /** The guards that decide whether a caller sees the tool. */
  readonly guards: readonly Handler[];
}

/** The headers that identify the caller or belong to the connection. Arguments must not replace them. */
const ofCaller =
  /^(?:cookie|authorization|host|origin|forwarded|via|connection|upgrade|te|(?:x-forwarded|x-real|proxy|sec|mcp)-.*)$/i;

interface Described extends Argument {
  readonly schema: JSONSchema;
  readonly isRequired: boolean;
}

/** A route and its description. */
export interface DescribedRoute extends Pick<ServedRoute, "record" | "target" | "mounts"> {
  readonly name: string;
  readonly operation: Operation;
  /** The URI template of the resource, or `undefined` if the route is not offered as one. */
  readonly uri: string | undefined;
}

/** Creates a tool from a route. */
export function bindTool(described: DescribedRoute, definitions: Definitions): BoundTool {
  const { name, record, target, mounts, operation, uri } = described;
  const taken = new Set<string>();
  const found = [...parametersOf(operation), ...bodyOf(operation, definitions)].map((argument) => {
    const free = taken.has(argument.name) ? `${argument.place}_${argument.name}` : argument.name;
    taken.add(free);
    return { ...argument, name: free };
  });
  const required = found.filter(({ isRequired }) => isRequired);
  const inputSchema = selfContained(
    withoutAbsent({
      type: "object",
      properties: Object.fromEntries(found.map((argument) => [argument.name, argument.schema])),
      required: required.length === 0 ? undefined : required.map((argument) => argument.name),
      additionalProperties: false,
    }),
    definitions,
  );
  const { Method } = record.route;
  return {
    tool: withoutAbsent({
      name,
      title: operation["summary"],
      description: descriptionOf(operation),
      inputSchema,
      outputSchema: outputOf(operation, definitions),
      annotations: annotationsOf(Method),
    }) as unknown as Tool,
    method: Method,
    template: record.template,
    route: target,
    mounts: new Set(mounts),
    version: () => versionOf(record),
    arguments: found,
    uri: Method === "GET" && required.every(({ place }) => place === "path") ? uri : undefined,
    guards: guardsOf(record),
  };
}

function parametersOf(operation: Operation): Described[] {
  return listOf(operation["parameters"])
    .filter((parameter) => parameter["in"] !== "header" || !ofCaller.test(String(parameter["name"])))
    .map((parameter) => {
      const description = parameter["description"];
      const schema = Object(parameter["schema"]);
      return {
        name: String(parameter["name"]),
        key: String(parameter["name"]),
        place: parameter["in"] as Place,
        isSpread: parameter["explode"] === true && schema["type"] === "object",
        files: new Set<string>(),
        members: undefined,
        type: "",
        schema: typeof description === "string" ? { ...schema, description } : schema,
        isRequired: parameter["required"] === true,
      };
    });
}

function bodyOf(operation: Operation, definitions: Definitions): Described[] {
  const body = Object(operation["requestBody"]);
  const content = Object.entries(Object(body["content"]));
  const [type, media] = content.find(([type]) => type === "application/json") ?? content.at(-1) ?? [];
  if (type === undefined) return [];
  const schema: JSONSchema = Object(Object(media)["schema"]);
  const shape = resolved(schema, definitions);
  const properties = Object.entries(Object(shape["properties"]));
  const isOpen = properties.length === 0 || (shape["additionalProperties"] ?? false) !== false;
  const place = type === "application/json" ? "body" : "form";
  const files = properties.filter(([, member]) => isFile(Object(member), definitions)).map(([key]) => key);
  const isRequired = body["required"] === true;
  return [{
    name: place,
    key: place,
    place,
    isSpread: false,
    files: new Set(files),
    members: isOpen ? undefined : new Set(properties.map(([key]) => key)),
    type,
    schema,
    isRequired,
  }];
}

/**
 * Returns the result schema if every successful response is a JSON object. Clients reject results that do not match it.
 */
function outputOf(operation: Operation, definitions: Definitions): JSONSchema | undefined {
  const responses = Object.entries(Object(operation["responses"]));
  const [success, another] = responses.filter(([status]) => /^[23]/.test(status));
  if (success === undefined || another !== undefined) return undefined;
  const content = Object.entries(Object(Object(success[1])["content"]));
  const [only, other] = content;
  if (only === undefined || other !== undefined || only[0] !== "application/json") return undefined;
  const schema = resolved(Object(Object(only[1])["schema"]), definitions);
  return schema["type"] === "object" ? selfContained(schema, definitions) : undefined;
}

function descriptionOf(operation: Operation): string | undefined {
  const { summary, description, deprecated } = operation;
  const texts = [summary, description, deprecated === true ? "Deprecated." : undefined];
  return texts.filter((text) => typeof text === "string" && text !== "").join("\n\n") || undefined;
}

function annotationsOf(method: string): Tool["annotations"] {
  if (method === "GET") return { readOnlyHint: true };
  return {
    readOnlyHint: false,
    destructiveHint: method !== "POST",
    idempotentHint: method === "PUT" || method === "DELETE",
  };
}
