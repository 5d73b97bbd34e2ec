/**
 * Encodes a call's query, headers and body.
 *
 * @module
 */

import { callError } from "./call_error.ts";
import type { CallOptions } from "./options.ts";

/** A request body, with its content type if the platform does not set one. */
export interface RequestBody {
  readonly body: BodyInit | undefined;
  readonly type: string | undefined;
}

/** Encodes the body as JSON or as a form. A form is multipart if it contains a file. */
export function requestBody(method: string, { Body, Form }: CallOptions): RequestBody {
  if (Body !== undefined && Form !== undefined) throw callError(method, "Body and Form cannot be combined");
  if (Body !== undefined) return { body: requestJSON(Body), type: "application/json" };
  // The platform sets the content type of both, including the multipart boundary.
  const fields = fieldsOf(method, "Form", Form);
  const hasFile = fields.some(([, value]) => value instanceof Blob);
  const form = hasFile ? new FormData() : new URLSearchParams();
  for (const [name, value] of fields) {
    form.append(name, (value instanceof Blob ? value : textOf(method, name, value)) as string);
  }
  return { body: Form === undefined ? undefined : form, type: undefined };
}

/** Returns the values of a query or of headers as strings. */
export function textsOf(method: string, kind: string, record: unknown): [name: string, text: string][] {
  return fieldsOf(method, kind, record).map(([name, value]) => [name, textOf(method, name, value)]);
}

/** Returns one pair per value. Arrays and sets are expanded, and undefined values are skipped. */
function fieldsOf(method: string, kind: string, record: unknown): [name: string, value: unknown][] {
  if (record === undefined) return [];
  if (typeof record !== "object" || record === null) throw callError(method, `${kind} must be an object`);
  return Object.entries(record).flatMap(([name, value]) =>
    (Array.isArray(value) || value instanceof Set ? [...value] : [value])
      .filter((each) => each !== undefined && each !== null)
      .map((each): [string, unknown] => [name, each])
  );
}

/** Returns a value as a string. Objects are sent as JSON, which is how a server reads them. */
function textOf(method: string, name: string, value: unknown): string {
  if (typeof value === "function" || typeof value === "symbol") {
    throw callError(method, `the field "${name}" cannot be sent: it is a ${typeof value}`);
  }
  if (typeof value !== "object" || value === null) return String(value);
  if (value instanceof Date) return value.toISOString();
  if (value instanceof URL) return value.href;
  const json = value instanceof Blob || ArrayBuffer.isView(value) || Array.isArray(value) ? "" : requestJSON(value);
  // JSON escapes let headers carry any character.
  if (json.startsWith("{")) return json.replace(/[^ -~]/g, (unit) => `\\u${hexOf(unit)}`);
  // The JSON form of other classes, such as those of `Temporal`, is a string.
  if (json !== "" && !json.startsWith("[")) return String(JSON.parse(json));
  throw callError(method, `the field "${name}" cannot be sent: it is a list in a list, a file or binary data`);
}

function hexOf(unit: string): string {
  return unit.charCodeAt(0).toString(16).padStart(4, "0");
}

/** Encodes a value as JSON. A bigint becomes a number, a `Map` an object, and a `Set` an array. */
function requestJSON(value: unknown): string {
  // The marker is random, so that no user string can be mistaken for a bigint. `JSON.rawJSON` is not available in
  // Node.js 20.
  const mark = `bigint${Math.random()}:`;
  const text = JSON.stringify(value, (_key, each) => {
    if (typeof each === "bigint") return mark + each;
    return each instanceof Map ? Object.fromEntries(each) : each instanceof Set ? [...each] : each;
  }) ?? "null";
  return text.replace(RegExp(`"${mark}(-?\\d+)"`, "g"), "$1");
}
