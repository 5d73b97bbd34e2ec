/**
 * Parses explicit routes, which consist of a method and a path template.
 *
 * @module
 */

import { callError } from "./call_error.ts";
import { type PathArgument, segments } from "./request_path.ts";

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
