/**
 * JSON in another layout than the compact one, and JSON as a script.
 *
 * @module
 */

import { HTTPError } from "../base/errors.ts";
import { toJSON } from "../base/json.ts";

/** Options for the layout of JSON. */
export interface JSONLayout {
  /** The indentation of one level, such as two spaces. If omitted, the JSON is compact. */
  Indent?: string;
  /** The text at the start of every line but the first, if the JSON is indented. */
  Prefix?: string;
  /** Whether characters beyond ASCII are written as escapes. */
  ASCII?: boolean;
  /** Whether arrays begin with `while(1);`, so that old browsers cannot run them as a script. */
  Secure?: boolean;
  /**
   * Whether `<`, `>` and `&` are written as they are. If false, they are escapes, for JSON inside of HTML.
   *
   * @default {true}
   */
  UnescapeHTML?: boolean;
}

/** Options for `ctx.JSONP`. */
export interface JSONPOptions {
  /** The name of the function to call. If omitted, the query parameter `callback` names it. */
  Callback?: string;
  /** The indentation of one level. If omitted, the JSON is compact. */
  Indent?: string;
}

/** Writes a value as JSON in a layout. */
export function layoutJSON(value: unknown, options: JSONLayout): string {
  const { Indent = "", Prefix = "", ASCII = false, Secure = false, UnescapeHTML = true } = options;
  let text = toJSON(value, Indent);
  if (Prefix !== "") text = text.replaceAll("\n", `\n${Prefix}`);
  if (!UnescapeHTML) text = text.replace(/[<>&]/g, escaped);
  if (ASCII) text = text.replace(/[\x80-\uffff]/g, escaped);
  return Secure && Array.isArray(value) ? `while(1);${text}` : text;
}

const functionName = /^[a-z_$][\w$]*(?:\.[a-z_$][\w$]*)*$/i;

/**
 * Writes a value as a script that passes it to a function.
 *
 * @throws {HTTPError} 400 if the name is not that of a function: it comes from the client, and would be run.
 */
export function scriptOf(value: unknown, callback: string, indent = ""): string {
  if (callback.length > 128 || !functionName.test(callback)) {
    throw new HTTPError(400, "Cannot respond with JSONP: the callback is not the name of a function", {
      Code: "FW_FIELD",
    });
  }
  // The comment keeps the first bytes from being chosen by the client. The two separators end a line in old scripts.
  const text = toJSON(value, indent).replace(/[\u2028\u2029]/g, escaped);
  return `/**/ typeof ${callback} === "function" && ${callback}(${text});`;
}

function escaped(sign: string): string {
  return `\\u${sign.charCodeAt(0).toString(16).padStart(4, "0")}`;
}
