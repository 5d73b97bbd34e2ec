/**
 * Builds the path of a call from the method's name and its path arguments.
 *
 * @module
 */

import type { NamePart } from "../../../mvc/reflect/method_parser.ts";
import { callError } from "./call_error.ts";

/** A value for a path parameter. */
export type PathArgument = string | number | bigint | boolean;

/**
 * Inserts path arguments into the parts of a name. Each `By` takes one argument, and the last one takes all remaining
 * arguments.
 *
 * @param method The method's name, for error messages.
 * @param parts The parts of the name after its verb.
 * @param values The path arguments.
 * @returns The path, with a slash before every segment, or an empty string for the base URL itself.
 */
export function requestPath(method: string, parts: readonly NamePart[], values: readonly PathArgument[]): string {
  const binds = parts.filter((part) => part.kind !== "word").length;
  if (values.length < binds || (binds === 0 && values.length > 0)) {
    throw callError(method, `wrong number of path arguments: expected ${binds}, got ${values.length}`);
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

/** Encodes a value as a path segment, or as several segments if the parameter is a catch-all. */
function segments(method: string, value: PathArgument, part: NamePart): string {
  const texts = part.kind === "wildcard" ? String(value).replace(/^\//, "").split("/") : [String(value)];
  return texts.map((text) => `/${segment(method, text)}`).join("");
}

/**
 * Encodes a path segment. Throws for an empty segment, for dot segments, also between escaped slashes, and for lone
 * surrogates, because URL parsers and servers remove or replace them and the request would reach another resource.
 */
function segment(method: string, text: string): string {
  if (/^$|(?:^|\/)\.\.?(?:\/|$)/.test(text) || !text.isWellFormed()) {
    throw callError(method, `"${text.toWellFormed()}" is not a valid path segment`);
  }
  return encodeURIComponent(text);
}

/**
 * Fills in the parameters of a path template.
 *
 * @param method The method's name, for error messages.
 * @param template The template, such as `/users/{id:int}`.
 * @param valueOf Returns a parameter's value, given its name and position.
 * @returns The path.
 */
export function templatePath(
  method: string,
  template: string,
  valueOf: (parameter: string, at: number) => PathArgument | undefined,
): string {
  let at = 0;
  return template.replace(
    /\/?\{([^:}\s]+)(?:\s*:\s*(\w+)(?:[^{}]|\{[^}]*\})*)?\}/g,
    (_whole, name: string, type?: string) => {
      const value = valueOf(name, at++);
      if (value === undefined) throw callError(method, `the path parameter "${name}" is missing`);
      return segments(method, value, { kind: type === "path" ? "wildcard" : "by" });
    },
  );
}

/** Parses a method and a path template, such as `GET /users/{id:int}`. */
export function readRoute(route: string): { readonly methods: readonly string[]; readonly template: string } {
  const [, method = "", template = ""] = /^\s*(\w+)\s+(\S.*)$/.exec(route) ?? [];
  return { methods: /^(?:any|all)$/i.test(method) ? ["GET", "POST"] : [method.toUpperCase()], template };
}
