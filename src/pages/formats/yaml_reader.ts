/**
 * YAML parsing.
 *
 * @module
 */

import { parse } from "@std/yaml/parse";
import { decodeText } from "../../base/text/charset.ts";
import { checkedValue } from "./checked_value.ts";

/** Parses a YAML document in a charset. */
export function readYAML(bytes: Uint8Array, charset: string): unknown {
  return fromYAML(decodeText(bytes, charset));
}

/**
 * Parses a YAML document. The JSON schema is used, so strings are never interpreted as dates or base-60 numbers.
 *
 * @throws {Error} If the document is not valid YAML.
 */
export function fromYAML(text: string): unknown {
  return checkedValue(parse(text, { schema: "json" }), "YAML");
}
