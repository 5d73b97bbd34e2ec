/**
 * A form as it was received.
 *
 * @module
 */

import { type ValueMap, valueMap } from "../http/urlencoded.ts";
import type { StoredFile } from "./stored_file.ts";

/** The fields and files of a body, whatever it was encoded as. */
export class Form {
  /** The fields, in the order they came. */
  readonly values: ValueMap;
  /** The files, in the order they came. */
  readonly files: StoredFile[] = [];

  /**
   * Creates a form without files.
   *
   * @param values The fields.
   */
  constructor(values: ValueMap = valueMap()) {
    this.values = values;
  }
}
