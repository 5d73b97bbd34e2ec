/**
 * A parsed form.
 *
 * @module
 */

import { hasMorePairs, parseUrlencoded, type ValueMap, valueMap } from "../../headers/urlencoded.ts";
import { checkField, tooLarge } from "../source/body_errors.ts";
import type { BodyLimits } from "../source/body_limits.ts";
import type { StoredFile } from "./stored_file.ts";

/** The fields and files of a body, regardless of its encoding. */
export class Form {
  /** The fields, in the order received. */
  readonly values: ValueMap;
  /** The files, in the order received. */
  readonly files: StoredFile[] = [];

  /**
   * Creates a form without files.
   *
   * @param values The form fields.
   */
  constructor(values: ValueMap = valueMap()) {
    this.values = values;
  }
}

const urlencodedAct = "read the URL-encoded form";
const decoder = new TextDecoder("utf-8", { ignoreBOM: true });

/**
 * Parses a URL-encoded body.
 *
 * @param bytes The whole body.
 * @param limits The limits for the form.
 * @returns The form, without files.
 */
export function urlencodedForm(bytes: Uint8Array, limits: BodyLimits): Form {
  const { maxFormSize, maxFields } = limits;
  // Another accessor with a higher limit may have read these bytes.
  if (bytes.length > maxFormSize) throw tooLarge(urlencodedAct, `its fields are larger than ${maxFormSize} bytes`);
  const text = decoder.decode(bytes);
  if (hasMorePairs(text, maxFields)) throw tooLarge(urlencodedAct, `it has more than ${maxFields} fields`);
  const values = parseUrlencoded(text);
  if (text.includes("%00") || text.includes("\0")) checkFields(values);
  return new Form(values);
}

function checkFields(values: ValueMap): void {
  for (const name in values) for (const value of values[name] ?? []) checkField(urlencodedAct, name, value);
}
