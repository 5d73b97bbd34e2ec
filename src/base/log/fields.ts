/**
 * Structured fields of log lines.
 *
 * @module
 */

import { describe, escapeControls } from "./describe.ts";

/** Named values that are logged along with a message. */
export type LogFields = Readonly<Record<string, unknown>>;

/** The property names that JSON lines use themselves. A field with one of these names gets a trailing underscore. */
const RESERVED: ReadonlySet<string> = new Set(["timestamp", "level", "message", "stack"]);
/** Matches values that do not need quotes in a text line. */
const BARE = /^[^\s"=\\]+$/;

/**
 * Formats fields for the end of a text line: ` user=ada path="/a b"`.
 *
 * @param fields The fields to format.
 * @returns The formatted fields, each preceded by a space and safe to print.
 */
export function textFields(fields: LogFields): string {
  let text = "";
  for (const [name, value] of Object.entries(fields)) {
    if (value !== undefined) text += ` ${escapeControls(name)}=${textValue(value)}`;
  }
  return text;
}

/**
 * Adds fields to the record of a JSON line, preserving their types.
 *
 * @param record The record to change.
 * @param fields The fields to add.
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

/** Returns a value that `JSON.stringify` can serialize without throwing. */
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
    // The value is serialized immediately, so later changes to it do not matter.
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
