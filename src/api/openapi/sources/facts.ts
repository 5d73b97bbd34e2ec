/**
 * Collects summaries, return types and deprecations of controller methods and named handlers from their sources.
 *
 * @module
 */

import type { RouteRecord } from "../../../core/app/record/registry.ts";
import type { RouteDescription } from "../../../core/app/record/route_description.ts";
import type { SourceFacts } from "../document.ts";
import type { SchemaConverter } from "../json_schema.ts";
import { literalStatuses } from "../literal_status.ts";
import { tagOf } from "../operation_name.ts";
import { type DocComment, type DocMethod, DocNodes, type Found } from "./doc_nodes.ts";
import { locateClass } from "./locate_class.ts";
import { describeReturn } from "./return_type.ts";
import { SchemaValues } from "./schema_values.ts";
import { TypeSchemas, type TypeScope } from "./type_schema.ts";

/** The collected information about a program, and warnings about the parts that could not be described. */
export interface CollectedFacts extends SourceFacts {
  readonly warnings: ReadonlySet<string>;
}

/**
 * Collects information about an application's routes from the sources.
 *
 * @param nodes The declarations of the program.
 * @param records The routes.
 * @param convert The document's converter for schemas of libraries without JSON Schema.
 */
export async function collectFacts(
  nodes: DocNodes,
  records: readonly RouteRecord[],
  convert?: SchemaConverter,
): Promise<CollectedFacts> {
  const owners = await findOwners(nodes, records);
  const values = await new SchemaValues(nodes).load();
  for (const [record, { module }] of owners) values.learn(module, record);
  const types = new TypeSchemas(nodes, { values, convert });
  const described = new Map<RouteRecord, RouteDescription>();
  const tags: Record<string, string> = {};
  for (const record of records) {
    const { Controller, Action, Description } = record.route;
    const owner = owners.get(record);
    if (Controller === undefined) {
      if (owner !== undefined) described.set(record, describeHandler(record, owner, types));
      continue;
    }
    const comment = owner?.declaration.jsDoc?.doc?.trim();
    if (comment && Description.Hidden !== true) tags[tagOf(Controller)] ??= comment;
    const found = owner === undefined ? undefined : findMethod(nodes, types, owner, Action ?? "");
    if (found === undefined) continue;
    described.set(record, describeMethod(record, found, types));
    warnOfInferred(record, found, types);
  }
  return {
    describe: (record) => described.get(record) ?? {},
    schemas: types.schemas,
    warnings: types.warnings,
    tags,
  };
}

/** Finds the declarations of the controllers and handlers. */
async function findOwners(nodes: DocNodes, records: readonly RouteRecord[]): Promise<Map<RouteRecord, Found>> {
  const owners = new Map<RouteRecord, Found>();
  for (const record of records) {
    const { Controller } = record.route;
    const found = Controller === undefined
      ? findHandler(nodes, record)
      : await locateClass(nodes, Controller, record.owner);
    if (found !== undefined) owners.set(record, found);
  }
  return owners;
}

/** Finds the declaration of a route's last handler if its name is unique in the program. */
function findHandler(nodes: DocNodes, { handlers }: RouteRecord): Found | undefined {
  const name = handlers.at(-1)?.name ?? "";
  const [first, ...others] = name === "" ? [] : nodes.findAll("function", name);
  return others.length === 0 ? first : undefined;
}

/** Describes a named handler. Only the return values of handlers with injected arguments are responses. */
function describeHandler(record: RouteRecord, { module, declaration }: Found, types: TypeSchemas): RouteDescription {
  const returnType = record.dependent === undefined ? undefined : declaration.def?.returnType;
  const scope: TypeScope = { module, parameters: {} };
  return {
    ...wordsOf(declaration.jsDoc),
    ...returnType === undefined ? {} : { Responses: describeReturn(returnType, scope, types, []) },
    ...declaration.jsDoc?.tags?.some((tag) => tag.kind === "deprecated") ? { Deprecated: true } : {},
  };
}

interface FoundMethod {
  readonly scope: TypeScope;
  readonly method: DocMethod;
}

/** Finds a method in a class or its superclasses, with the type arguments that apply there. */
function findMethod(nodes: DocNodes, types: TypeSchemas, start: Found, action: string): FoundMethod | undefined {
  let owner: Found | undefined = start;
  let scope: TypeScope = { module: start.module, parameters: {} };
  for (let depth = 0; owner !== undefined && depth < 32; depth++) {
    const definition: NonNullable<Found["declaration"]["def"]> = owner.declaration.def ?? {};
    const method = definition.methods?.find((candidate) => candidate.name === action);
    if (method !== undefined) return { scope, method };
    const base: Found | undefined = typeof definition.extends === "string"
      ? nodes.find(owner.module, definition.extends)
      : undefined;
    if (base !== undefined) scope = types.scopeOf(base, definition.superTypeParams ?? [], scope);
    owner = base;
  }
  return undefined;
}

/** Warns about inferred return types. `deno doc` only shows declared types, so an inferred type cannot be described. */
function warnOfInferred({ route }: RouteRecord, { method }: FoundMethod, types: TypeSchemas): void {
  const { Hidden, Returns, Responses } = route.Description;
  if (
    method.functionDef.returnType !== undefined || Returns !== undefined || Responses !== undefined || Hidden === true
  ) {
    return;
  }
  types.warnings.add(
    `Cannot describe the response of "${route.Controller}.${route.Action}": its return type is inferred; declare it, or ` +
      "set Returns in its description",
  );
}

function describeMethod(
  { owner, route }: RouteRecord,
  { scope, method }: FoundMethod,
  types: TypeSchemas,
): RouteDescription {
  const { returnType } = method.functionDef;
  const literals = owner === undefined ? [] : literalStatuses(owner, route.Action ?? "");
  return {
    ...wordsOf(method.jsDoc),
    ...returnType === undefined ? {} : { Responses: describeReturn(returnType, scope, types, literals) },
    ...method.jsDoc?.tags?.some((tag) => tag.kind === "deprecated") ? { Deprecated: true } : {},
  };
}

/** Splits a doc comment. The first sentence becomes the summary, and the rest becomes the description. */
function wordsOf(comment: DocComment | undefined): RouteDescription {
  const text = comment?.doc?.trim() ?? "";
  if (text === "") return {};
  const [, first = text, rest = ""] = /^([^]+?)(?:\.\s+|\.?\n\s*\n|\.?$(?![^]))([^]*)$/.exec(text) ?? [];
  const summary = first.replace(/\s+/g, " ").trim();
  return rest.trim() === "" ? { Summary: summary } : { Summary: summary, Description: rest.trim() };
}

/** Reads the declarations of a program's local modules. */
export async function readSources(main: string): Promise<DocNodes> {
  const { modules } = JSON.parse(await runDeno(["info", "--json", main])) as { modules: { specifier?: string }[] };
  const local = modules.map((module) => module.specifier ?? "").filter((specifier) => specifier.startsWith("file:"));
  const { nodes } = JSON.parse(await runDeno(["doc", "--json", "--private", ...local]));
  return new DocNodes(nodes);
}

async function runDeno(args: readonly string[]): Promise<string> {
  const env = { NO_COLOR: "1" };
  const command = new Deno.Command(Deno.execPath(), { args: [...args], env, stdout: "piped", stderr: "piped" });
  const { code, stdout, stderr } = await command.output();
  if (code === 0) return new TextDecoder().decode(stdout);
  throw new Error(`Cannot read the sources with "deno ${args[0]}": ${new TextDecoder().decode(stderr).trim()}`);
}
