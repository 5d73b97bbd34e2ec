/**
 * Routes that are written out: a method and a path template.
 *
 * @module
 */

import { callError } from "./call_error.ts";
import { type PathArgument, segments } from "./request_path.ts";

/**
 * Fills the parameters of a path template.
 *
 * @param method The method's name, for errors.
 * @param template The template: `/users/{id:int}`.
 * @param valueOf Returns the value of a parameter by its name and position.
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

/** Reads a method and a path template: `GET /users/{id:int}`. */
export function readRoute(route: string): { readonly methods: readonly string[]; readonly template: string } {
  const [, method = "", template = ""] = /^\s*(\w+)\s+(\S.*)$/.exec(route) ?? [];
  return { methods: /^(?:any|all)$/i.test(method) ? ["GET", "POST"] : [method.toUpperCase()], template };
}
