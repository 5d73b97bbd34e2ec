/**
 * Derives responses from the declared return type of a method.
 *
 * @module
 */

import type { ResponseDescription } from "../../../core/app/record/route_description.ts";
import type { JSONSchema } from "../json_schema.ts";
import type { DocType, DocTypeRef } from "./doc_nodes.ts";
import type { TypeSchemas, TypeScope } from "./type_schema.ts";

/** A possible response of a method. */
interface Outcome {
  /** A status code, `2XX`, or `default` for any status. */
  readonly status: string;
  readonly type?: string;
  readonly schema?: JSONSchema;
}

const binary: JSONSchema = { type: "string", format: "binary" };
const text: JSONSchema = { type: "string" };
const unknownOutcome: readonly Outcome[] = [{ status: "default" }];

/**
 * Describes a method's responses.
 *
 * @param type The method's return type.
 * @param scope The scope of the type.
 * @param types The schema writer.
 * @param literals The literal status codes in the method's source, for types that do not declare one.
 * @returns The responses by status code.
 */
export function describeReturn(
  type: DocType,
  scope: TypeScope,
  types: TypeSchemas,
  literals: readonly number[],
): Record<string, ResponseDescription> {
  const successes = literals.filter((status) => status < 300).map(String);
  const outcomes = outcomesOf(type, { scope, types }).flatMap((outcome) =>
    outcome.status === "2XX" && successes.length > 0 ? successes.map((status) => ({ ...outcome, status })) : [outcome]
  );
  const responses: Record<string, { Content?: Record<string, unknown> }> = {};
  for (const { status, type: contentType, schema } of outcomes) {
    const response = responses[status] ??= {};
    if (contentType === undefined) continue;
    const content = response.Content ??= {};
    content[contentType] = eitherOf(content[contentType], schema ?? {});
  }
  return responses;
}

function eitherOf(before: unknown, schema: JSONSchema): JSONSchema {
  if (before === undefined || JSON.stringify(before) === JSON.stringify(schema)) return schema;
  const parts = Object(before)["anyOf"];
  return { anyOf: [...Array.isArray(parts) ? parts : [before], schema] };
}

interface Reading {
  readonly scope: TypeScope;
  readonly types: TypeSchemas;
}

function outcomesOf(type: DocType, reading: Reading): readonly Outcome[] {
  switch (type.kind) {
    case "union":
      return (type.value as DocType[]).flatMap((part) => outcomesOf(part, reading));
    case "parenthesized":
      return outcomesOf(type.value as DocType, reading);
    case "keyword":
      return ofKeyword(String(type.value));
    case "literal":
      return ofLiteral(type);
    case "typeRef":
      return ofReference(type, type.value as DocTypeRef, reading);
    default:
      return ofJSON(type, reading);
  }
}

/** The responses for keyword types. */
const keywordOutcomes: Readonly<Record<string, readonly Outcome[]>> = {
  string: [{ status: "200", type: "text/plain", schema: text }],
  boolean: [{ status: "200" }, { status: "404" }],
  bigint: [{ status: "200", type: "application/json", schema: { type: "integer", format: "int64" } }],
  null: [{ status: "200", type: "application/json", schema: { type: "null" } }],
  never: [],
};

function ofKeyword(name: string): readonly Outcome[] {
  return (Object.hasOwn(keywordOutcomes, name) ? keywordOutcomes[name] : undefined) ?? unknownOutcome;
}

function ofLiteral(type: DocType): readonly Outcome[] {
  const value = literalOf(type);
  if (typeof value === "number") return [{ status: String(value) }];
  if (typeof value === "boolean") return [{ status: value ? "200" : "404" }];
  return ofKeyword(typeof value);
}

/** The responses for types that have a special meaning. */
const named: Readonly<Record<string, (args: readonly DocType[], reading: Reading) => readonly Outcome[]>> = {
  Promise: ofFirst,
  PromiseLike: ofFirst,
  Tuple: ofTuple,
  Uint8Array: () => [{ status: "200", type: "application/octet-stream", schema: binary }],
  ArrayBuffer: () => [{ status: "200", type: "application/octet-stream", schema: binary }],
  ReadableStream: () => [{ status: "200", type: "application/octet-stream", schema: binary }],
  Blob: () => [{ status: "200", type: "*/*", schema: binary }],
  File: () => [{ status: "200", type: "*/*", schema: binary }],
  Generator: ofChunks,
  AsyncGenerator: ofChunks,
  AsyncIterable: ofChunks,
  AsyncIterableIterator: ofChunks,
  View: () => [{ status: "200", type: "text/html", schema: text }],
  Error: () => [],
  HTTPError: () => [],
  ValidationError: () => [],
  // These types choose their response at run time.
  Dispatcher: () => unknownOutcome,
  Response: () => unknownOutcome,
};

function ofReference(type: DocType, reference: DocTypeRef, reading: Reading): readonly Outcome[] {
  const name = reference.typeName.slice(reference.typeName.lastIndexOf(".") + 1);
  const { scope, types } = reading;
  const alias = types.aliasOf(reference, scope);
  // An alias of a promise or tuple is treated like its target.
  if (alias !== undefined) return outcomesOf(alias.type, { types, scope: alias.scope });
  const row = Object.hasOwn(named, name) && !types.isDeclared(reference, scope) ? named[name] : undefined;
  return row === undefined ? ofJSON(type, reading) : row(reference.typeParams ?? [], reading);
}

function ofFirst([first]: readonly DocType[], reading: Reading): readonly Outcome[] {
  return first === undefined ? unknownOutcome : outcomesOf(first, reading);
}

/**
 * Describes a stream. Strings and bytes are sent unchanged, events as server-sent events, and other values as JSON
 * lines.
 */
function ofChunks([chunk]: readonly DocType[], reading: Reading): readonly Outcome[] {
  if (chunk === undefined) return unknownOutcome;
  const name = String(chunk.repr ?? chunk.value ?? "");
  if (/(?:^|\.)ServerEvent$/.test(name)) return [{ status: "200", type: "text/event-stream", schema: text }];
  if (name === "string" || name === "Uint8Array") {
    return [{ status: "200", type: "application/octet-stream", schema: binary }];
  }
  return ofJSON(chunk, reading).map((outcome) => ({ ...outcome, type: "application/jsonl" }));
}

/** Describes a tuple. Its second element determines the meaning of the first. */
function ofTuple([first, second]: readonly DocType[], reading: Reading): readonly Outcome[] {
  if (first === undefined || second === undefined) return unknownOutcome;
  const kind = kindOf(second);
  if (kind === "boolean") return [...withoutAbsentValues(outcomesOf(first, reading)), { status: "404" }];
  if (kindOf(first) === "number") {
    return kind === "other" && isErrorOrNull(second) ? unknownOutcome : withStatus(second, first, reading);
  }
  if (kind === "number") return withStatus(first, second, reading);
  if (kind === "string") return withType(first, second, reading);
  return outcomesOf(first, reading);
}

function withStatus(body: DocType, status: DocType, reading: Reading): readonly Outcome[] {
  const statuses = literalsOf(status).map(String);
  const outcomes = outcomesOf(body, reading);
  return (statuses.length === 0 ? ["2XX"] : statuses).flatMap((each) =>
    outcomes.map((outcome) => ({ ...outcome, status: each }))
  );
}

function withType(body: DocType, type: DocType, reading: Reading): readonly Outcome[] {
  const types = literalsOf(type).map(String);
  return (types.length === 0 ? ["*/*"] : types).flatMap((each) =>
    outcomesOf(body, reading).map((outcome) => ({ ...outcome, type: each }))
  );
}

/** Removes responses without a value. If a value was found, it is not `undefined`. */
function withoutAbsentValues(outcomes: readonly Outcome[]): readonly Outcome[] {
  const found = outcomes.filter(({ status }) => status !== "default");
  return found.length === 0 ? outcomes : found;
}

function ofJSON(type: DocType, { scope, types }: Reading): readonly Outcome[] {
  const schema = types.write(type, scope);
  return schema === undefined ? unknownOutcome : [{ status: "200", type: "application/json", schema }];
}

type Kind = "boolean" | "number" | "string" | "other";

function kindOf(type: DocType): Kind {
  if (type.kind === "union") {
    const [first = "other", ...rest] = new Set((type.value as DocType[]).map(kindOf));
    return rest.length === 0 ? first : "other";
  }
  const name = type.kind === "literal" ? typeof literalOf(type) : type.kind === "keyword" ? type.value : "other";
  return name === "boolean" || name === "number" || name === "string" ? name : "other";
}

function isErrorOrNull(type: DocType): boolean {
  const parts = type.kind === "union" ? type.value as DocType[] : [type];
  return parts.every((part) => part.value === "null" || /Error$/.test(part.repr ?? ""));
}

function literalsOf(type: DocType): unknown[] {
  if (type.kind === "union") return (type.value as DocType[]).flatMap(literalsOf);
  return type.kind === "literal" ? [literalOf(type)] : [];
}

function literalOf(type: DocType): unknown {
  const value = type.value as Record<string, unknown> & { kind: string };
  return value[value.kind];
}
