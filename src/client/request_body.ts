/**
 * What a call sends beside its path: query, headers and body.
 *
 * @module
 */

import { callError } from "./call_error.ts";
import type { CallOptions } from "./options.ts";
import { requestJSON } from "./request_json.ts";

/** A body with the content type that it needs, if the platform does not know it. */
export interface RequestBody {
  readonly body: BodyInit | undefined;
  readonly type: string | undefined;
}

/** Writes the body: JSON, or a form, which is multipart if it holds a file. */
export function requestBody(method: string, { Body, Form }: CallOptions): RequestBody {
  if (Body !== undefined && Form !== undefined) throw callError(method, "it cannot send both a Body and a Form");
  if (Body !== undefined) return { body: requestJSON(Body), type: "application/json" };
  // The platform names the type of both itself, with the boundary of the one.
  const fields = fieldsOf(method, "Form", Form);
  const hasFile = fields.some(([, value]) => value instanceof Blob);
  const form = hasFile ? new FormData() : new URLSearchParams();
  for (const [name, value] of fields) {
    form.append(name, (value instanceof Blob ? value : textOf(method, name, value)) as string);
  }
  return { body: Form === undefined ? undefined : form, type: undefined };
}

/** Lists the values of a query or of headers as texts. */
export function textsOf(method: string, kind: string, record: unknown): [name: string, text: string][] {
  return fieldsOf(method, kind, record).map(([name, value]) => [name, textOf(method, name, value)]);
}

/** One pair for each value; a list is as many, and what is absent is left out. */
function fieldsOf(method: string, kind: string, record: unknown): [name: string, value: unknown][] {
  if (record === undefined) return [];
  if (typeof record !== "object" || record === null) throw callError(method, `its ${kind} is not a record`);
  return Object.entries(record).flatMap(([name, value]) =>
    (Array.isArray(value) ? value : [value])
      .filter((each) => each !== undefined && each !== null)
      .map((each): [string, unknown] => [name, each])
  );
}

function textOf(method: string, name: string, value: unknown): string {
  if (typeof value !== "object") return String(value);
  if (value instanceof Date) return value.toISOString();
  throw callError(method, `the field "${name}" is an object, which has no text`);
}
