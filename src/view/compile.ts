/**
 * Compiles templates to functions. Eta parses the tags, and this module generates the code.
 *
 * Eta's own code generator is not used, because it stores layouts and blocks in the data. A data key named `__blocks`
 * would be written unescaped, and every partial would get a copy of the data without its class.
 *
 * @module
 */

import { Eta } from "npm:eta@^4/core";
import { messageOf } from "../errors/to_error.ts";
import type { ViewFunc } from "../engine/engine.ts";
import { locateMistake } from "./syntax_error_line.ts";
import { compileFault, sourceURL } from "./template_error.ts";
import type { Template } from "../engine/template_parts.ts";

/** The built-in functions of templates. Each one has the code that creates it from the frame. */
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

/**
 * The built-in functions that custom functions with the same name can replace. They were added after applications had
 * defined their own.
 */
export const replaceable: ReadonlySet<string> = new Set(["urlpath", "url", "tr"]);

/** Matches `it.body` in all its spellings. */
const readsBody = /\bit\s*(?:\??\.\s*body\b|(?:\?\.)?\[\s*["'`]body["'`]\s*\])/;

/** The generated code and the template line for each of its lines. */
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
    // Line breaks after tags are kept, because text in a `<pre>`, a text file or an email depends on them.
    this.#eta = new Eta({ tags: [...delimiters], autoTrim: false });
    this.#opening = delimiters[0];
    this.#names = [...functions.keys()];
    this.#functions = [...functions.values()];
  }

  /**
   * Compiles a file.
   *
   * @throws {FrameworkError} If the template is invalid, with the line of the error.
   */
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
    // This code runs at every rendering, so only the functions that the template mentions are created.
    const used = Object.keys(builtins).filter((name) =>
      !this.#names.includes(name) && new RegExp(`\\b${name}\\b`).test(source)
    );
    // In strict mode, a missing "const" cannot create a global variable that all requests share. The inner braces let a
    // template declare a variable with the name of a built-in function.
    const head = `return function(__view,it){"use strict";${used.map((name) => builtins[name]).join("")}{`;
    const code: Code = { rows: [head], lines: [1] };
    let at = 0;
    let line = 1;
    for (const part of parts) {
      if (typeof part === "string") {
        push(code, `__view.text+='${part}';`, line);
        continue;
      }
      // Eta reports the line of the opening tag, but the code may start on a later line, so the actual position is
      // looked up.
      const begin = source.indexOf(part.val, source.indexOf(this.#opening, at) + this.#opening.length);
      line += newlines(source.slice(at, begin));
      // A value and its line number are written as a single expression, so that an "if (x)" without braces applies to
      // both.
      const prefix = part.t === "e" ? "" : `__view.line=${line},__view.${part.t === "r" ? "raw" : "escaped"}=`;
      push(code, prefix + part.val, line);
      line += newlines(part.val);
      // The semicolon is on a separate line, because the value may end with a comment.
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
