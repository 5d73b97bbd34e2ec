/**
 * Generates requests from an OpenAPI document and checks the responses.
 *
 * @module
 */

import { checkValue } from "../../../src/api/openapi/check_value.ts";
import { Sampler, type Schema } from "./sample.ts";

/** An operation of a document. */
export interface Operation {
  readonly method: string;
  readonly path: string;
  readonly fields: Schema;
}

/** A request, and whether the document allows it. */
export interface Attempt {
  readonly operation: Operation;
  readonly url: string;
  readonly init: RequestInit;
  readonly isValid: boolean;
}

/** Lists the operations of a document. */
export function operationsOf(document: Schema): Operation[] {
  return Object.entries(Object(document["paths"])).flatMap(([path, item]) =>
    Object.entries(Object(item)).map(([method, fields]) => ({
      method: method.toUpperCase(),
      path,
      fields: fields as Schema,
    }))
  );
}

/** Creates a request that matches the document. */
export function validAttempt(operation: Operation, sampler: Sampler): Attempt {
  return attempt(operation, sampler, undefined);
}

/** Creates a request with one part that does not match, or returns `undefined` if the operation has no such part. */
export function invalidAttempt(operation: Operation, sampler: Sampler): Attempt | undefined {
  const parts = [...parametersOf(operation).filter(isBreakable), ...bodyOf(operation) === undefined ? [] : ["body"]];
  if (parts.length === 0) return undefined;
  const made = attempt(operation, sampler, sampler.pick(parts));
  return made.isValid ? undefined : made;
}

interface Parameter {
  readonly name: string;
  readonly in: string;
  readonly required?: boolean;
  readonly schema: Schema;
}

function parametersOf({ fields }: Operation): Parameter[] {
  return (fields["parameters"] ?? []) as Parameter[];
}

/**
 * Reports whether a parameter can be invalid. Any text is a valid string, so the parameter must be required or have
 * another type.
 */
function isBreakable({ in: place, required, schema }: Parameter): boolean {
  return place === "path" ? schema["type"] === "integer" : required === true || schema["type"] === "integer";
}

function bodyOf(
  { fields }: Operation,
): { required?: boolean; content: Record<string, { schema: Schema }> } | undefined {
  return fields["requestBody"] as { content: Record<string, { schema: Schema }> } | undefined;
}

function attempt(operation: Operation, sampler: Sampler, broken: unknown): Attempt {
  let { path } = operation;
  const query = new URLSearchParams();
  const headers = new Headers({ "x-api-key": "secret", accept: "application/json" });
  for (const parameter of parametersOf(operation)) {
    const { name, in: place, required } = parameter;
    const isBroken = parameter === broken;
    if (isBroken && required === true && place !== "path") {
      headers.delete(name);
      continue;
    }
    if (!isBroken && required !== true && sampler.next() < 0.4) continue;
    const value = isBroken ? "not-a-number" : sampler.valid(parameter.schema);
    if (place === "path") path = path.replace(`{${name}}`, segmentOf(value));
    else if (place === "header") headers.set(name, headerText(value));
    else for (const [key, text] of queryTexts(name, value)) query.append(key, text);
  }
  const body = newBody(operation, sampler, broken === "body");
  if (body?.type !== undefined) headers.set("content-type", body.type);
  const isValid = broken === undefined || (broken === "body" && body?.isValid === true);
  const text = query.size === 0 ? "" : `?${query}`;
  return {
    operation,
    url: path + text,
    init: { method: operation.method, headers, body: body?.body ?? null },
    isValid,
  };
}

/** Encodes a path segment. An empty segment or a dot segment would change the path. */
function segmentOf(value: unknown): string {
  const text = String(value);
  return encodeURIComponent(/^\.{0,2}$/.test(text) ? "x" : text.toWellFormed());
}

/** Converts a value to visible Latin-1 characters for a header. */
function headerText(value: unknown): string {
  const texts = (Array.isArray(value) ? value : [value]).map((each) =>
    String(each).replace(/[^a-zA-Z0-9]/g, "") || "x"
  );
  return texts.join(", ");
}

function queryTexts(name: string, value: unknown): [string, string][] {
  if (Array.isArray(value)) return value.map((each) => [name, String(each)]);
  return typeof value === "object" && value !== null
    ? Object.entries(value).map(([key, each]) => [key, String(each)])
    : [[name, String(value)]];
}

interface MadeBody {
  readonly body: BodyInit | null;
  readonly type?: string;
  readonly isValid: boolean;
}

function newBody(operation: Operation, sampler: Sampler, isBroken: boolean): MadeBody | undefined {
  const described = bodyOf(operation);
  if (described === undefined) return undefined;
  if (!isBroken && described.required !== true && sampler.next() < 0.3) return undefined;
  const [type = "", media] = sampler.pick(Object.entries(described.content));
  const schema = media?.schema ?? {};
  if (type === "application/json") {
    const value = isBroken ? sampler.invalid(schema) : sampler.valid(schema);
    if (value === undefined) return { body: "null", type, isValid: true };
    return { body: JSON.stringify(value), type, isValid: !isBroken };
  }
  const value = sampler.valid(schema);
  const fields = isBroken ? {} : value as Record<string, unknown>;
  const required = sampler.resolve(schema)["required"];
  const isValid = !isBroken || !Array.isArray(required) || required.length === 0;
  if (type === "application/x-www-form-urlencoded") {
    const form = new URLSearchParams(Object.entries(fields).flatMap(([name, each]) => queryTexts(name, each)));
    return { body: form, isValid };
  }
  const form = new FormData();
  const members = Object(sampler.resolve(schema)["properties"]);
  for (const [name, each] of Object.entries(fields)) {
    const isFile = JSON.stringify(members[name] ?? {}).includes("binary");
    for (const item of Array.isArray(each) ? each : [each]) {
      if (isFile) form.append(name, new File([String(item)], "file.txt"));
      else form.append(name, String(item));
    }
  }
  return { body: form, isValid };
}

/** Statuses that report an invalid request. */
const refusals: ReadonlySet<number> = new Set([400, 415, 422]);

/** Returns how a response contradicts the document, or `undefined` if it does not. */
export async function faultOf(attempt: Attempt, response: Response, document: Schema): Promise<string | undefined> {
  const { operation, isValid } = attempt;
  const text = await response.text();
  const where = `${operation.method} ${attempt.url} ${JSON.stringify(attempt.init.body) ?? ""}`;
  const said = `${where} responds with ${response.status} ${text.slice(0, 300)}`;
  if (response.status >= 500) return said;
  if (isValid && refusals.has(response.status)) return `${said}, although the document allows it`;
  if (!isValid && (response.status < 400 || response.status > 499)) return `${said}, although the request does not fit`;
  const responses = Object(operation.fields["responses"]);
  const described = responses[response.status] ?? responses[`${String(response.status)[0]}XX`] ?? responses["default"];
  if (described === undefined) return `${said}, which is not described`;
  const { content } = described as { content?: Record<string, { schema?: Schema }> };
  if (content === undefined || text === "") return undefined;
  const type = response.headers.get("content-type")?.split(";")[0]?.trim() ?? "";
  const media = content[type] ?? content["*/*"];
  if (media === undefined) return `${said} of type "${type}", which is not described`;
  if (!/json$/.test(type)) return undefined;
  const [fault] = checkValue(JSON.parse(text), media.schema, document);
  return fault === undefined ? undefined : `${said}, and ${fault}`;
}

/** Options for fuzzing. */
export interface FuzzOptions {
  /** The number of requests per operation. */
  readonly times: number;
  /** The random seed. The same seed produces the same requests. */
  readonly seed: number;
  readonly isSkipped?: (operation: Operation) => boolean;
  /** Whether to send only valid requests. */
  readonly isValidOnly?: boolean;
}

/** Sends requests for every operation of a document and collects the problems. */
export async function fuzz(
  document: Schema,
  send: (url: string, init: RequestInit) => Promise<Response>,
  options: FuzzOptions,
): Promise<{ readonly sent: number; readonly faults: string[] }> {
  const sampler = new Sampler(document, options.seed);
  const faults: string[] = [];
  let sent = 0;
  for (const operation of operationsOf(document)) {
    if (options.isSkipped?.(operation) === true) continue;
    for (let at = 0; at < options.times; at++) {
      const broken = options.isValidOnly === true ? undefined : invalidAttempt(operation, sampler);
      for (const made of [validAttempt(operation, sampler), broken]) {
        if (made === undefined) continue;
        sent++;
        const fault = await faultOf(made, await send(made.url, made.init), document);
        if (fault !== undefined) faults.push(fault);
      }
    }
  }
  return { sent, faults };
}
