/**
 * What the sources say of a controller's methods: summaries, return types, what is deprecated.
 *
 * @module
 */

import type { RouteRecord } from "../../app/registry.ts";
import type { RouteDescription } from "../../app/route_description.ts";
import type { SourceFacts } from "../document.ts";
import type { JSONSchema } from "../json_schema.ts";
import type { DocComment, DocMethod, DocNodes, DocType, DocTypeRef, Found } from "./doc_nodes.ts";
import { TypeSchemas } from "./type_schema.ts";

/** The facts of a program, with what could not be said. */
export interface CollectedFacts extends SourceFacts {
  readonly warnings: ReadonlySet<string>;
}

/** Collects what the sources say of the routes of an application. */
export function collectFacts(nodes: DocNodes, records: readonly RouteRecord[]): CollectedFacts {
  const types = new TypeSchemas(nodes);
  const described = new Map<RouteRecord, RouteDescription>();
  for (const record of records) {
    const { Controller, Action } = record.route;
    const found = Controller === undefined ? undefined : findMethod(nodes, Controller, Action ?? "");
    if (found === undefined) continue;
    described.set(record, describeMethod(found, types));
    warnOfInferred(record, found, types);
  }
  return { describe: (record) => described.get(record) ?? {}, schemas: types.schemas, warnings: types.warnings };
}

interface FoundMethod {
  readonly owner: Found;
  readonly method: DocMethod;
}

/** Finds a method in its class, or in the class that it is inherited from. */
function findMethod(nodes: DocNodes, controller: string, action: string): FoundMethod | undefined {
  let owner = nodes.findClass(controller);
  for (let depth = 0; owner !== undefined && depth < 32; depth++) {
    const method = owner.declaration.def?.methods?.find((candidate) => candidate.name === action);
    if (method !== undefined) return { owner, method };
    const base = owner.declaration.def?.extends;
    owner = typeof base === "string" ? nodes.find(owner.module, base) : undefined;
  }
  return undefined;
}

/**
 * `deno doc` shows the types that are declared and no others: what a method with an inferred one returns is left out.
 */
function warnOfInferred({ route }: RouteRecord, { method }: FoundMethod, types: TypeSchemas): void {
  const { Hidden, Returns } = route.Description;
  if (method.functionDef.returnType !== undefined || Returns !== undefined || Hidden === true) return;
  types.warnings.add(
    `Cannot describe what "${route.Controller}.${route.Action}" returns: its return type is inferred; declare it, or ` +
      "describe it with Returns",
  );
}

function describeMethod({ owner, method }: FoundMethod, types: TypeSchemas): RouteDescription {
  const { returnType } = method.functionDef;
  const returns = returnType === undefined ? undefined : bodyOf(returnType, owner.module, types);
  return {
    ...wordsOf(method.jsDoc),
    ...returns === undefined ? {} : { Returns: returns },
    ...method.jsDoc?.tags?.some((tag) => tag.kind === "deprecated") ? { Deprecated: true } : {},
  };
}

/** The first sentence of a comment is the summary, the rest the description. */
function wordsOf(comment: DocComment | undefined): RouteDescription {
  const text = comment?.doc?.trim() ?? "";
  if (text === "") return {};
  const [, first = text, rest = ""] = /^([^]+?)(?:\.\s+|\.?\n\s*\n|\.?$(?![^]))([^]*)$/.exec(text) ?? [];
  const summary = first.replace(/\s+/g, " ").trim();
  return rest.trim() === "" ? { Summary: summary } : { Summary: summary, Description: rest.trim() };
}

/**
 * What a method's return type sends as its body: `mvc.Tuple` its first, a status or `mvc.Result` nothing that is known.
 */
function bodyOf(type: DocType, module: string, types: TypeSchemas): JSONSchema | undefined {
  const scope = { module, parameters: {} };
  if (type.kind === "union") {
    const parts = (type.value as DocType[]).map((part) => bodyOf(part, module, types)).filter((part) =>
      part !== undefined
    );
    return parts.length > 1 ? { anyOf: parts } : parts[0];
  }
  if (type.kind === "keyword" && (type.value === "number" || type.value === "boolean")) return undefined;
  if (type.kind !== "typeRef") return types.write(type, scope);
  const reference = type.value as DocTypeRef;
  const [first, second] = reference.typeParams ?? [];
  const name = reference.typeName.slice(reference.typeName.lastIndexOf(".") + 1);
  if (name === "Promise" && first !== undefined) return bodyOf(first, module, types);
  if (name === "Tuple" && first !== undefined) {
    const isStatusFirst = first.kind === "keyword" && first.value === "number";
    const body = isStatusFirst && second !== undefined ? second : first;
    return types.write(body, scope);
  }
  return opaque.has(name) ? undefined : types.write(type, scope);
}

/** Results that say at run time what they send. */
const opaque: ReadonlySet<string> = new Set(["Result", "View", "Response", "Error", "HTTPError"]);
