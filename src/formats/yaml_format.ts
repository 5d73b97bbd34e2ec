/**
 * YAML documents.
 *
 * @module
 */

import { parse } from "@std/yaml/parse";
import { stringify } from "@std/yaml/stringify";
import { toJSON } from "../base/json.ts";
import { checkedValue } from "./checked_value.ts";

/** Writes a value as YAML: what JSON would write of it. */
export function toYAML(value: unknown): string {
  return stringify(JSON.parse(toJSON(value)), { useAnchors: false, lineWidth: -1 });
}

/**
 * Reads one document. The schema is JSON's, so that a text is never taken for a date or a number in base 60.
 *
 * @throws {Error} If the text is not YAML.
 */
export function fromYAML(text: string): unknown {
  return checkedValue(parse(text, { schema: "json" }), "YAML");
}
