/**
 * JSON layouts and JSONP.
 *
 * @module
 */

import { filled, flag, type OptionRows, text } from "../../base/config/option_kinds.ts";
import { type OptionTable, optionTable, readOptions } from "../../base/config/option_table.ts";
import { HTTPError } from "../../base/errors/errors.ts";
import { assertSettled, toJSON } from "../../base/text/json.ts";

/** Options for the JSON layout. */
export interface JSONLayout {
  /** The indentation for each level, such as two spaces. If omitted, the JSON is compact. */
  Indent?: string;
  /** The prefix of every line except the first, if the JSON is indented. */
  Prefix?: string;
  /**
   * Whether to escape non-ASCII characters.
   *
   * @default {false}
   */
  ASCII?: boolean;
  /**
   * Whether to start arrays with `while(1);`, so that old browsers cannot run them as a script.
   *
   * @default {false}
   */
  Secure?: boolean;
  /**
   * Whether to leave `<`, `>` and `&` unescaped. Set it to `false` to embed the JSON in HTML.
   *
   * @default {true}
   */
  UnescapeHTML?: boolean;
}

/** Options for `ctx.JSONP`. */
export interface JSONPOptions {
  /** The name of the function to call. Defaults to the value of the `callback` query parameter. */
  Callback?: string;
  /** The indentation for each level. If omitted, the JSON is compact. */
  Indent?: string;
}

const table = optionTable<JSONLayout>("JSONLayout", "JSON")({
  Indent: text(""),
  Prefix: text(""),
  ASCII: flag(false),
  Secure: flag(false),
  UnescapeHTML: flag(true),
});

/** The table of {@linkcode JSONPOptions}. */
export const scriptTable: OptionTable<OptionRows<JSONPOptions>> = optionTable<JSONPOptions>("JSONPOptions", "JSONP")({
  Callback: filled(),
  Indent: text(),
});

/** Serializes a value as JSON with a layout. */
export function layoutJSON(value: unknown, options: JSONLayout): string {
  const { Indent, Prefix, ASCII, Secure, UnescapeHTML } = readOptions(table, options);
  assertSettled(value, "JSON");
  let text = toJSON(value, Indent);
  if (Prefix !== "") text = text.replaceAll("\n", `\n${Prefix}`);
  if (!UnescapeHTML) text = text.replace(/[<>&]/g, escaped);
  if (ASCII) text = text.replace(/[\x80-\uffff]/g, escaped);
  return Secure && Array.isArray(value) ? `while(1);${text}` : text;
}

/** Reserved words that are not valid as the name of a callback. */
const reserved: ReadonlySet<string> = new Set(
  ("break case catch class const continue debugger default delete do else enum export extends false finally for " +
    "function if import in instanceof new null return super switch this throw true try typeof var void while with")
    .split(" "),
);

const functionName = /^[a-z_$][\w$]*(?:\.[a-z_$][\w$]*)*$/i;

/**
 * Serializes a value as a script that passes it to a function.
 *
 * @throws {HTTPError} With status 400 if the callback is not a function name. The callback comes from the client, and
 * the browser executes it.
 */
export function scriptOf(value: unknown, callback: string, indent = ""): string {
  if (callback.length > 128 || !functionName.test(callback) || reserved.has(callback.split(".", 1)[0] ?? "")) {
    throw new HTTPError(400, "Cannot respond with JSONP: the callback is not a valid function name", {
      Code: "FW_FIELD",
    });
  }
  assertSettled(value, "JSON");
  // The comment prevents the client from choosing the first bytes of the response. U+2028 and U+2029 are line breaks in
  // old JavaScript engines.
  const text = toJSON(value, indent).replace(/[\u2028\u2029]/g, escaped);
  return `/**/ typeof ${callback} === "function" && ${callback}(${text});`;
}

function escaped(sign: string): string {
  return `\\u${sign.charCodeAt(0).toString(16).padStart(4, "0")}`;
}
