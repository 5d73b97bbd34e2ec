/**
 * The readers of JSON, forms, query strings and typed inputs. Loaded on first use.
 *
 * @module
 */

export { readerOf } from "../../../http/body/body.ts";
export { readFormResult } from "../../accessors/form_check.ts";
export { readForm, readJSON, readQuery } from "../../accessors/read_input.ts";
export { formRules } from "./form_rules.ts";
export { readInput, readInputNow } from "./input_reader.ts";
