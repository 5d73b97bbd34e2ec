/**
 * YAML serialization.
 *
 * @module
 */

import { parse } from "@std/yaml/parse";
import { stringify } from "@std/yaml/stringify";
import { decodeText } from "../../base/text/charset.ts";
import { toJSON } from "../../base/text/json.ts";
import { parseLossless } from "../../base/text/lossless_json.ts";
import { checkedValue } from "./checked_value.ts";

/** Serializes a value as YAML. Values are converted as for JSON. */
export function toYAML(value: unknown): string {
  // The library rejects bigints, so those that a number would round are passed as strings that begin with a mark.
  const mark = `integer${crypto.randomUUID().replaceAll("-", "")}x`;
  const marked = JSON.stringify(
    parseLossless(toJSON(value)),
    (_, each) => typeof each === "bigint" ? mark + each : each,
  );
  return stringify(JSON.parse(marked), { useAnchors: false, lineWidth: -1 }).replaceAll(mark, "");
}

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
