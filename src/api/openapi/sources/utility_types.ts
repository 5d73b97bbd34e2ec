/**
 * Converts TypeScript's utility types and the platform's built-in types.
 *
 * @module
 */

import type { JSONSchema } from "../json_schema.ts";
import type { DocType } from "./doc_nodes.ts";

/** The schema writer methods that are used here. */
interface Writer<Scope> {
  write(type: DocType, scope: Scope): JSONSchema | undefined;
  resolve(schema: JSONSchema | undefined): JSONSchema | undefined;
  open(type: DocType): JSONSchema;
}

/** A utility type in a declaration, with its arguments. */
interface Use<Scope> {
  readonly writer: Writer<Scope>;
  readonly args: readonly DocType[];
  readonly scope: Scope;
  readonly type: DocType;
}

type Row = <Scope>(use: Use<Scope>) => JSONSchema | undefined;

const text: JSONSchema = { type: "string" };
const bytes: JSONSchema = { type: "string", format: "binary" };

/** The converters by type name. */
export const utilityTypes: Readonly<Record<string, Row>> = {
  Promise: first,
  PromiseLike: first,
  Awaited: first,
  Readonly: first,
  NonNullable: withoutNull,
  Required: (use) => members(use, (keys) => keys),
  Partial: (use) => members(use, () => []),
  Pick: (use) => chosen(use, true),
  Omit: (use) => chosen(use, false),
  Array: list,
  ReadonlyArray: list,
  Set: list,
  ReadonlySet: list,
  Iterable: list,
  AsyncIterable: list,
  Generator: list,
  AsyncGenerator: list,
  Record: record,
  Map: record,
  ReadonlyMap: record,
  Date: () => ({ type: "string", format: "date-time" }),
  URL: () => ({ type: "string", format: "uri" }),
  String: () => text,
  Blob: () => bytes,
  File: () => bytes,
  Uint8Array: () => bytes,
  ArrayBuffer: () => bytes,
  ReadableStream: () => bytes,
  Response: () => ({}),
  Error: () => undefined,
  Function: () => undefined,
};

function first<Scope>({ writer, args: [type], scope }: Use<Scope>): JSONSchema | undefined {
  return type === undefined ? {} : writer.write(type, scope);
}

function list<Scope>({ writer, args: [type], scope }: Use<Scope>): JSONSchema {
  return { type: "array", items: (type === undefined ? undefined : writer.write(type, scope)) ?? {} };
}

function record<Scope>({ writer, args: [key, value], scope }: Use<Scope>): JSONSchema {
  const item = (value === undefined ? undefined : writer.write(value, scope)) ?? {};
  const names = key === undefined ? [] : namesOf(key);
  if (names.length === 0) return { type: "object", additionalProperties: item };
  return { type: "object", properties: Object.fromEntries(names.map((name) => [name, item])), required: names };
}

function withoutNull<Scope>({ writer, args: [type], scope }: Use<Scope>): JSONSchema | undefined {
  const schema = type === undefined ? undefined : writer.write(type, scope);
  const parts = schema?.["anyOf"];
  if (!Array.isArray(parts)) return schema;
  const left = parts.filter((part) => part.type !== "null");
  return left.length === 1 ? left[0] : { ...schema, anyOf: left };
}

/** Converts an object type and changes which members are required. */
function members<Scope>(use: Use<Scope>, requires: (keys: string[]) => string[]): JSONSchema {
  const object = flattened(use);
  if (object === undefined) return use.writer.open(use.type);
  const { required: _, ...rest } = object;
  const required = requires(Object.keys(Object(object["properties"])));
  return required.length === 0 ? rest : { ...rest, required };
}

function chosen<Scope>(use: Use<Scope>, isKept: boolean): JSONSchema {
  const object = flattened(use);
  const [, keys] = use.args;
  if (object === undefined || keys === undefined) return use.writer.open(use.type);
  const names = new Set(namesOf(keys));
  const kept = (name: string) => names.has(name) === isKept;
  const entries = Object.entries(Object(object["properties"])).filter(([name]) => kept(name));
  const required = Array.isArray(object["required"]) ? object["required"].filter(kept) : [];
  const { description: _, ...rest } = object;
  return { ...rest, properties: Object.fromEntries(entries), required };
}

/** Returns an object type with all inherited members, or `undefined` if the type is not an object. */
function flattened<Scope>({ writer, args: [type], scope }: Use<Scope>): JSONSchema | undefined {
  return type === undefined ? undefined : joined(writer, writer.resolve(writer.write(type, scope)));
}

function joined<Scope>(writer: Writer<Scope>, schema: JSONSchema | undefined): JSONSchema | undefined {
  if (schema?.["type"] === "object") return schema;
  const parts = schema?.["allOf"];
  if (!Array.isArray(parts)) return undefined;
  const objects = parts.map((part) => joined(writer, writer.resolve(part)));
  if (objects.some((object) => object === undefined)) return undefined;
  return {
    type: "object",
    properties: Object.assign({}, ...objects.map((object) => object?.["properties"])),
    required: objects.flatMap((object) => Array.isArray(object?.["required"]) ? object["required"] : []),
  };
}

function namesOf(type: DocType): string[] {
  const parts = type.kind === "union" ? type.value as DocType[] : [type];
  return parts.filter((part) => part.kind === "literal").map((part) => part.repr ?? "");
}
