/**
 * The text of a template becomes a function: eta reads the tags, this file writes the code.
 *
 * eta's own code generator is not used, because it keeps layouts and blocks in the data: a data key `__blocks` would be
 * written without escaping, and every partial would get a copy of the data without its class.
 *
 * @module
 */

import { Eta } from "npm:eta@^4/core";
import { messageOf } from "../base/to_error.ts";
import type { ViewFunc } from "./engine.ts";
import { locateMistake } from "./syntax_error_line.ts";
import { compileFault, sourceURL } from "./template_error.ts";
import type { Template } from "./template_parts.ts";

/** What the code of a template may call without being added, and how each is built from the frame. */
export const builtins: Readonly<Record<string, string>> = {
  body: "const body=__view.body;",
  include: "const include=(name,data)=>__view.include(name,it,data);",
  layout: "const layout=(name,data)=>__view.wrap(name,data);",
  block: "const block=(name,write)=>__view.block(name,write);",
  capture: "const capture=(write)=>__view.capture(write);",
  urlpath: "const urlpath=(name,...values)=>__view.links(name).URLPath(name,...values);",
  url: "const url=(name,...values)=>__view.links(name).URL(name,...values);",
  tr: "const tr=(key,...args)=>__view.links(key).Tr(key,...args);",
};

/** Those that functions of the same name replace: they came later than applications that have their own. */
export const replaceable: ReadonlySet<string> = new Set(["urlpath", "url", "tr"]);

/** `it.body` in any of its spellings. */
const readsBody = /\bit\s*(?:\??\.\s*body\b|(?:\?\.)?\[\s*["'`]body["'`]\s*\])/;

/** Generated code and, for each of its lines, the line of the template. */
interface Code {
  readonly rows: string[];
  readonly lines: number[];
}

/** Compiles templates that share delimiters and functions. */
export class Compiler {
  readonly #eta: Eta;
  readonly #opening: string;
  readonly #names: readonly string[];
  readonly #functions: readonly ViewFunc[];

  readonly #translate: ((name: string, source: string) => string) | undefined;

  constructor(
    delimiters: readonly [string, string],
    functions: ReadonlyMap<string, ViewFunc>,
    translate?: (name: string, source: string) => string,
  ) {
    this.#translate = translate;
    this.#eta = new Eta({ tags: [...delimiters] });
    this.#opening = delimiters[0];
    this.#names = [...functions.keys()];
    this.#functions = [...functions.values()];
  }

  /** Compiles one file or throws with the line of the mistake. */
  compile(file: string, name: string, written: string): Template {
    const source = this.#translate?.(name, written) ?? written;
    const code = this.#generate(source, this.#parse(file, source));
    const text = `${code.rows.join("\n")}\n//# sourceURL=${sourceURL(name)}`;
    let make: (...functions: readonly ViewFunc[]) => Template["run"];
    try {
      make = new Function(...this.#names, text) as typeof make;
    } catch (error) {
      const mistake = locateMistake(code.rows);
      throw compileFault({ file, source }, code.lines[mistake.row] ?? 1, error, mistake.reason);
    }
    return { name, file, source, lines: code.lines, readsBody: readsBody.test(source), run: make(...this.#functions) };
  }

  #parse(file: string, source: string): ReturnType<Eta["parse"]> {
    try {
      return this.#eta.parse(source);
    } catch (error) {
      const [, reason, line] = messageOf(error).match(/^(.*?) at line (\d+)/) ?? [];
      throw compileFault({ file, source }, Number(line ?? 1), error, reason);
    }
  }

  #generate(source: string, parts: ReturnType<Eta["parse"]>): Code {
    // Only what the template mentions is built, since it is built at every rendering.
    const used = Object.keys(builtins).filter((name) =>
      !this.#names.includes(name) && new RegExp(`\\b${name}\\b`).test(source)
    );
    // Strict, or a forgotten "const" would create a global variable that all requests share. The inner braces let a
    // template declare a variable of the same name as a builtin.
    const head = `return function(__view,it){"use strict";${used.map((name) => builtins[name]).join("")}{`;
    const code: Code = { rows: [head], lines: [1] };
    let at = 0;
    let line = 1;
    for (const part of parts) {
      if (typeof part === "string") {
        push(code, `__view.text+='${part}';`, line);
        continue;
      }
      // eta tells the line of the opening tag; the code may begin lines below it, so its place is looked up.
      const begin = source.indexOf(part.val, source.indexOf(this.#opening, at) + this.#opening.length);
      line += newlines(source.slice(at, begin));
      // A value is one expression, line and all, so that an "if (x)" without braces governs the whole of it.
      const prefix = part.t === "e" ? "" : `__view.line=${line},__view.${part.t === "r" ? "raw" : "escaped"}=`;
      push(code, prefix + part.val, line);
      line += newlines(part.val);
      // On a row of its own, because the value may end in a comment.
      if (prefix !== "") push(code, ";", line);
      at = begin + part.val.length;
    }
    push(code, "}}", line + newlines(source.slice(at).trimEnd()));
    return code;
  }
}

function push(code: Code, text: string, line: number): void {
  for (const row of text.split("\n")) {
    code.rows.push(row);
    code.lines.push(line++);
  }
}

function newlines(text: string): number {
  return text.split("\n").length - 1;
}
