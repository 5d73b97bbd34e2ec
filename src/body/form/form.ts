/**
 * A parsed form.
 *
 * @module
 */

import { type ValueMap, valueMap } from "../../http/urlencoded.ts";
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
