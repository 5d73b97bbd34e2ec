/**
 * Merges routes that differ only in their parameter types. OpenAPI allows a single operation for them.
 *
 * @module
 */

import { listOf, withoutAbsent } from "./json_schema.ts";
import type { Operation } from "./operation.ts";

type Fields = Record<string, unknown>;

interface Parameter extends Fields {
  readonly in: string;
  readonly name: string;
  readonly schema: unknown;
}

/** Merges two operations into one that describes requests to either. */
export function mergeOperations(a: Operation, b: Operation): Operation {
  return withoutAbsent({
    ...b,
    ...a,
    summary: joinedText(a["summary"], b["summary"], " / "),
    description: joinedText(a["description"], b["description"], "\n\n"),
    tags: a["tags"] === undefined && b["tags"] === undefined
      ? undefined
      : [...new Set([...listOf<string>(a["tags"]), ...listOf<string>(b["tags"])])],
    deprecated: (a["deprecated"] === true && b["deprecated"] === true) || undefined,
    parameters: mergedParameters(listOf(a["parameters"]), listOf(b["parameters"])),
    requestBody: mergedBody(a["requestBody"], b["requestBody"]),
    responses: mergedRecords(Object(a["responses"]), Object(b["responses"]), mergedResponse),
    security: a["security"] === undefined || b["security"] === undefined
      ? undefined
      : [...listOf(a["security"]), ...listOf(b["security"])],
  });
}

function joinedText(a: unknown, b: unknown, separator: string): string | undefined {
  const texts = [...new Set([a, b].filter((text) => typeof text === "string"))];
  return texts.length === 0 ? undefined : texts.join(separator);
}

function mergedParameters(a: readonly Parameter[], b: readonly Parameter[]): readonly Parameter[] | undefined {
  const joined = a.map((parameter) => {
    const other = b.find((candidate) => candidate.in === parameter.in && candidate.name === parameter.name);
    if (other !== undefined) {
      const isRequired = parameter["required"] === true && other["required"] === true;
      return { ...parameter, schema: either(parameter.schema, other.schema), required: isRequired };
    }
    return parameter.in === "path" ? parameter : { ...parameter, required: false };
  });
  const known = new Set(a.map((parameter) => `${parameter.in} ${parameter.name}`));
  const added = b.filter((parameter) => !known.has(`${parameter.in} ${parameter.name}`));
  const all = [...joined, ...added.map((parameter) => ({ ...parameter, required: false }))];
  return all.length === 0 ? undefined : all;
}

/** Merges two request bodies. The merged body is optional unless both are required. */
function mergedBody(a: unknown, b: unknown): Fields | undefined {
  if (a === undefined || b === undefined) {
    return a === undefined && b === undefined ? undefined : { ...Object(a ?? b), required: false };
  }
  return {
    ...Object(b),
    ...Object(a),
    required: Object(a)["required"] === true && Object(b)["required"] === true,
    content: mergedRecords(Object(Object(a)["content"]), Object(Object(b)["content"]), mergedMedia),
  };
}

function mergedResponse(a: Fields, b: Fields): Fields {
  return withoutAbsent({
    ...b,
    ...a,
    content: a["content"] === undefined && b["content"] === undefined
      ? undefined
      : mergedRecords(Object(a["content"]), Object(b["content"]), mergedMedia),
  });
}

function mergedMedia(a: Fields, b: Fields): Fields {
  return { ...b, ...a, schema: either(a["schema"], b["schema"]) };
}

function mergedRecords(a: Fields, b: Fields, merge: (a: Fields, b: Fields) => Fields): Fields {
  const merged: Fields = { ...b, ...a };
  for (const key of Object.keys(a)) if (Object.hasOwn(b, key)) merged[key] = merge(Object(a[key]), Object(b[key]));
  return merged;
}

function either(a: unknown, b: unknown): unknown {
  return JSON.stringify(a) === JSON.stringify(b) ? a : { anyOf: [a ?? {}, b ?? {}] };
}
