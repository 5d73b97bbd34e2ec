/**
 * Offers GET routes as resources. A client can read a resource without involving the model.
 *
 * @module
 */

import { withoutAbsent } from "../openapi/absent.ts";
import type { BoundTool } from "./tool.ts";

/**
 * The URI scheme of resources. With a custom scheme, clients cannot fetch resources directly with their own
 * credentials.
 */
const scheme = "app://";

/** Lists the resources without parameters. */
export function listResources(tools: Iterable<BoundTool>): Record<string, unknown>[] {
  return [...tools].filter((bound) => bound.isReadable && !hasParameters(bound)).map((bound) => ({
    uri: scheme + pathOf(bound),
    ...wordsOf(bound),
  }));
}

/** Lists the resource templates. These are resources whose path or query has parameters. */
export function listTemplates(tools: Iterable<BoundTool>): Record<string, unknown>[] {
  return [...tools].filter((bound) => bound.isReadable && (hasParameters(bound) || queryOf(bound).length > 0))
    .map((bound) => {
      const query = queryOf(bound).map(encodeURIComponent);
      return {
        uriTemplate: scheme + pathOf(bound) + (query.length === 0 ? "" : `{?${query.join(",")}}`),
        ...wordsOf(bound),
      };
    });
}

/** A requested resource, with its route and arguments. */
export interface FoundResource {
  readonly bound: BoundTool;
  readonly given: Readonly<Record<string, unknown>>;
}

/** Finds the listed resources that a URI can belong to. */
export function* findResources(tools: Iterable<BoundTool>, uri: string): Generator<FoundResource> {
  if (!uri.startsWith(`${scheme}/`)) return;
  const [path = "", query = ""] = uri.slice(scheme.length).split("#", 1)[0]?.split("?", 2) ?? [];
  for (const bound of tools) {
    const values = bound.isReadable ? matchPath(bound, path) : undefined;
    if (values === undefined) continue;
    yield { bound, given: { ...values, ...readQuery(bound, new URLSearchParams(query)) } };
  }
}

function matchPath(bound: BoundTool, path: string): Record<string, string> | undefined {
  const parts = path.slice(1).split("/");
  const { segments } = bound.template;
  const values: Record<string, string> = {};
  for (const [at, segment] of segments.entries()) {
    const isRest = segment.kind === "param" && segment.trailing;
    const text = decode(isRest ? parts.splice(at).join("/") : parts[at]);
    if (text === undefined || (segment.kind === "static" && segment.text !== text)) return undefined;
    if (segment.kind === "static") continue;
    const value = segment.type.Schema?.["type"] === "integer" && !/^-?\d+$/.test(text) ? undefined : text;
    if (value === undefined) return undefined;
    values[segment.name] = value;
    if (isRest) return values;
  }
  return parts.length === Math.max(segments.length, 1) ? values : undefined;
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

function pathOf({ template }: BoundTool): string {
  return "/" +
    template.segments.map((segment) =>
      segment.kind === "static" ? encodeURIComponent(segment.text) : `{${segment.trailing ? "+" : ""}${segment.name}}`
    ).join("/");
}

function hasParameters({ template }: BoundTool): boolean {
  return template.segments.some((segment) => segment.kind === "param");
}

function queryOf({ arguments: all }: BoundTool): string[] {
  return all.filter(({ place, isSpread }) => place === "query" && !isSpread).map(({ key }) => key);
}

function wordsOf({ tool }: BoundTool): Record<string, unknown> {
  return withoutAbsent({ name: tool.name, title: tool.title, description: tool.description });
}
