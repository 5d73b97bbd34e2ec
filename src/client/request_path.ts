/**
 * The path of a call: a method's name, read as the server reads it, filled with its path arguments.
 *
 * @module
 */

import type { NamePart } from "../../mvc/reflect/method_parser.ts";
import { callError } from "./call_error.ts";

/** What can stand in a path. */
export type PathArgument = string | number | bigint | boolean;

/**
 * Fills the parts of a name with path arguments: each `By` takes one, the last one all that remain.
 *
 * @param method The method's name, for errors.
 * @param parts What follows its verb.
 * @param values The path arguments.
 * @returns The path, with a slash before every segment; empty for the base itself.
 */
export function requestPath(method: string, parts: readonly NamePart[], values: readonly PathArgument[]): string {
  const binds = parts.filter((part) => part.kind !== "word").length;
  if (values.length < binds || (binds === 0 && values.length > 0)) {
    throw callError(method, `its name has ${binds} "By" for ${values.length} path arguments`);
  }
  let path = "";
  let bound = 0;
  let next = 0;
  for (const part of parts) {
    if (part.kind === "word") {
      path += `/${encodeURIComponent(part.text)}`;
      continue;
    }
    bound++;
    const taken = values.slice(next, bound === binds ? undefined : next + 1);
    next += taken.length;
    path += taken.map((value) => segments(method, value, part)).join("");
  }
  return path;
}

/** One value as the segments of a path: several if it takes the rest of it. */
export function segments(method: string, value: PathArgument, part: NamePart): string {
  const texts = part.kind === "wildcard" ? String(value).replace(/^\//, "").split("/") : [String(value)];
  return texts.map((text) => `/${segment(method, text)}`).join("");
}

/** An empty segment or one of dots would be resolved away on its way, and another resource be asked for. */
function segment(method: string, text: string): string {
  if (/^(?:\.\.?)?$/.test(text)) throw callError(method, `"${text}" cannot be a segment of a path`);
  return encodeURIComponent(text.toWellFormed());
}
