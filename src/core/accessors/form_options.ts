/**
 * The options of forms that are shown again.
 *
 * @module
 */

import { texts } from "../../base/config/option_kinds.ts";
import { optionTable, readOptions } from "../../base/config/option_table.ts";

/**
 * Submitted strings by field name. The value is an array if the field was submitted several times or is declared as an
 * array.
 */
export type KeptValues = Readonly<Record<string, string | readonly string[]>>;

/** Options for a form that is shown again with its errors. */
export interface FormOptions {
  /**
   * The names of further fields that are secrets, in addition to those that fw recognizes by their names. They are
   * never shown again.
   */
  Secrets?: readonly string[];
  /** The names of fields that are shown again, even if fw recognizes them as secrets by their names. */
  Kept?: readonly string[];
}

/** Decides which values are kept. */
export interface KeepRules {
  readonly options?: FormOptions | undefined;
  /** Called with the name of each field that is dropped although the form does not list it as a secret. */
  readonly onDrop?: ((name: string) => void) | undefined;
}

const table = optionTable<FormOptions>("FormOptions", "the form")({ Secrets: texts([]), Kept: texts([]) });

/** Returns the options of a form with their defaults. Throws if they are not valid. */
export function readFormOptions(options: FormOptions): Required<FormOptions> {
  return readOptions(table, options);
}
