/**
 * Offers GET routes as resources. A client can read a resource without involving the model.
 *
 * @module
 */

import type { Template } from "../../../http/parameter_types/template.ts";
import { withoutAbsent } from "../../openapi/json_schema.ts";
import type { BoundTool } from "./tool.ts";

/**
 * The URI scheme of resources. With a custom scheme, clients cannot fetch resources directly with their own
 * credentials.
 */
const scheme = "app://";

/** Returns the URI of a route as a template with its path parameters. */
export function uriOf({ segments }: Template): string {
  const parts = segments.map((segment) =>
    segment.kind === "static"
      ? encodeURIComponent(segment.text)
      : `{${segment.trailing ? "+" : ""}${segment.name}}${encodeURIComponent(segment.suffix)}`
  );
  return `${scheme}/${parts.join("/")}`;
}

/** Lists the resources without parameters. */
export function listResources(tools: Iterable<BoundTool>): Record<string, unknown>[] {
  return [...tools].flatMap((bound) =>
    bound.uri === undefined || bound.uri.includes("{") ? [] : [{ uri: bound.uri, ...wordsOf(bound) }]
  );
}

/** Lists the resource templates. These are resources whose path or query has parameters. */
export function listTemplates(tools: Iterable<BoundTool>): Record<string, unknown>[] {
  return [...tools].flatMap((bound) => {
    const { uri } = bound;
    const query = queryOf(bound).map(encodeURIComponent);
    if (uri === undefined || !uri.includes("{") && query.length === 0) return [];
    return [{ uriTemplate: uri + (query.length === 0 ? "" : `{?${query.join(",")}}`), ...wordsOf(bound) }];
  });
}

/** A requested resource, with its route and arguments. */
export interface FoundResource {
  readonly bound: BoundTool;
  readonly given: Readonly<Record<string, unknown>>;
}

/** Finds the listed resources that a URI can belong to. */
export function* findResources(tools: Iterable<BoundTool>, uri: string): Generator<FoundResource> {
  const [path = "", query = ""] = uri.split("#", 1)[0]?.split("?", 2) ?? [];
  for (const bound of tools) {
    const values = bound.uri === undefined ? undefined : matchURI(bound, bound.uri, path);
    if (values === undefined) continue;
    yield { bound, given: { ...values, ...readQuery(bound, new URLSearchParams(query)) } };
  }
}

/** Returns the parameter values of a URI, or `undefined` if it does not have the form of the template. */
function matchURI(bound: BoundTool, template: string, uri: string): Record<string, string> | undefined {
  const names: string[] = [];
  const pattern = template.replace(/\{(\+?)(\w+)\}|[^{]+|\{/g, (text, rest: string | undefined, name?: string) => {
    if (name === undefined) return RegExp.escape(text);
    names.push(name);
    return rest === "+" ? "(.+)" : "([^/?#]+)";
  });
  const found = new RegExp(`^${pattern}$`).exec(uri);
  if (found === null) return undefined;
  const values: Record<string, string> = {};
  for (const [at, name] of names.entries()) {
    const value = decode(found[at + 1]);
    if (value === undefined || isInteger(bound.template, name) && !/^-?\d+$/.test(value)) return undefined;
    values[name] = value;
  }
  return values;
}

function isInteger({ segments }: Template, name: string): boolean {
  return segments.some((segment) =>
    segment.kind === "param" && segment.name === name && segment.type.Schema?.["type"] === "integer"
  );
}

function readQuery({ arguments: all }: BoundTool, query: URLSearchParams): Record<string, unknown> {
  const given: Record<string, unknown> = {};
  for (const { name, key, place } of all) {
    const values = place === "query" ? query.getAll(key) : [];
    if (values.length > 0) given[name] = values.length === 1 ? values[0] : values;
  }
  return given;
}

function decode(text: string | undefined): string | undefined {
  try {
    return text === undefined ? undefined : decodeURIComponent(text);
  } catch {
    return undefined;
  }
}

function queryOf({ arguments: all }: BoundTool): string[] {
  return all.filter(({ place, isSpread }) => place === "query" && !isSpread).map(({ key }) => key);
}

function wordsOf({ tool }: BoundTool): Record<string, unknown> {
  return withoutAbsent({ name: tool.name, title: tool.title, description: tool.description });
}
