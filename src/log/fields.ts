/**
 * Fields of log lines: names and values beside the message, for programs that read the log.
 *
 * @module
 */

import { describe, escapeControls } from "./describe.ts";

/** Names and values that a line carries beside its message. */
export type LogFields = Readonly<Record<string, unknown>>;

/**
 * The names that a line of JSON gives its own parts; a field of such a name is written with an underscore behind it.
 */
const RESERVED: ReadonlySet<string> = new Set(["timestamp", "level", "message", "stack"]);
/** A value that needs no quotes in a line of text. */
const BARE = /^[^\s"=\\]+$/;

/**
 * Writes fields as a line of text ends with them: ` user=ada path="/a b"`.
 *
 * @param fields The fields.
 * @returns The text, with a blank before each field, safe to print.
 */
export function textFields(fields: LogFields): string {
  let text = "";
  for (const [name, value] of Object.entries(fields)) {
    if (value !== undefined) text += ` ${escapeControls(name)}=${textValue(value)}`;
  }
  return text;
}

/**
 * Puts fields into the record of a line of JSON, each with its own type.
 *
 * @param record The record.
 * @param fields The fields.
 */
export function addFields(record: Record<string, unknown>, fields: LogFields): void {
  for (const [name, value] of Object.entries(fields)) {
    if (value !== undefined) record[RESERVED.has(name) ? `${name}_` : name] = jsonValue(value);
  }
}

function textValue(value: unknown): string {
  const text = escapeControls(typeof value === "object" && value !== null ? inJSON(value) : describe(value));
  return BARE.test(text) ? text : JSON.stringify(text);
}

/** A value as `JSON.stringify` takes it without a failure. */
function jsonValue(value: unknown): unknown {
  switch (typeof value) {
    case "string":
    case "boolean":
      return value;
    case "number":
      return Number.isFinite(value) ? value : String(value);
    case "bigint":
      return Number.isSafeInteger(Number(value)) ? Number(value) : String(value);
    case "object":
      return value === null ? null : jsonObject(value);
    default:
      return describe(value);
  }
}

function jsonObject(value: object): unknown {
  if (value instanceof Error) return describe(value);
  try {
    // As it is written, so that what changes afterwards or cannot be written does not matter.
    return JSON.parse(inJSON(value));
  } catch {
    return describe(value);
  }
}

function inJSON(value: object): string {
  if (value instanceof Error) return describe(value);
  try {
    return JSON.stringify(value, (_key, inner) => typeof inner === "bigint" ? jsonValue(inner) : inner) ?? "null";
  } catch {
    return describe(value);
  }
}
