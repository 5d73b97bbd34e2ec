/**
 * Finds the templates that another one includes by a literal name, and the functions that it calls, so that missing
 * ones are reported at the start.
 *
 * @module
 */

import { type SourceToken, Tokenizer } from "../../base/signature/js_tokenizer.ts";
import type { Template } from "../engine/template_parts.ts";
import type { TemplateKind } from "./template_files.ts";

/** A template that another one includes or uses as its layout, or a function that does not exist. */
export interface LiteralName {
  readonly name: string;
  readonly kind: TemplateKind | "function";
  /** The line of the other template. */
  readonly line: number;
}

/** The built-in functions that take the name of a template. */
const kinds: Readonly<Record<string, TemplateKind>> = { include: "partial", layout: "layout" };

/** A string without escape sequences. */
const plain = /^(["'])([^\\]*)\1$/;

/**
 * Returns the names in the calls `include("name")` and `layout("name")` of a compiled template. Names that are computed
 * are known only when the template is rendered.
 *
 * @param template The compiled template.
 * @param known The names of the engine's functions.
 * @returns The templates, and the functions that do not exist.
 */
export function literalNames({ run, lines }: Template, known: readonly string[]): LiteralName[] {
  const code = String(run);
  const tokens = tokensOf(code);
  const found = (name: string, kind: LiteralName["kind"], { start }: SourceToken) => [
    { name, kind, line: lines[code.slice(0, start).split("\n").length - 1] ?? 1 },
  ];
  const named = Object.entries(kinds).flatMap(([called, kind]) => {
    const calls = tokens.flatMap(({ text }, at) => text === called && tokens[at - 1]?.text !== "." ? [at] : [])
      // The first one is the declaration of the built-in function.
      .slice(1);
    // A template may declare a variable of the same name.
    if (calls.some((at) => tokens[at + 1]?.text !== "(" || tokens[at - 1]?.text === "function")) return [];
    return calls.flatMap((at) => {
      const [, , name] = plain.exec(tokens[at + 2]?.text ?? "") ?? [];
      const isWhole = [",", ")"].includes(tokens[at + 3]?.text ?? "");
      return name === undefined || !isWhole ? [] : found(name, kind, tokens[at] as SourceToken);
    });
  });
  return [...unknownCalls(tokens, known).flatMap((each) => found(each.text, "function", each)), ...named];
}

/** Words before or in the place of a name that show that no function is called. */
const isNoCall = /^(?:\??\.|function|async|await|of)$/;

/** Finds calls of functions that exist nowhere. */
function unknownCalls(tokens: readonly SourceToken[], known: readonly string[]): SourceToken[] {
  const isCall = (at: number) => tokens[at + 1]?.text === "(";
  return tokens.filter(({ kind, text }, at) =>
    kind === "name" && isCall(at) && !isNoCall.test(tokens[at - 1]?.text ?? "") && !isNoCall.test(text) &&
    !known.includes(text) && !isDeclared(tokens, at + 1) &&
    // The template may declare it, as a variable, a parameter or a function.
    tokens.every((each, i) => each.text !== text || isCall(i) && tokens[i - 1]?.text !== "function") &&
    isUndefined(text)
  );
}

/** Reports whether parentheses are those of a method in a class or an object: a block follows them. */
function isDeclared(tokens: readonly SourceToken[], opening: number): boolean {
  let depth = 0;
  const closing = tokens.findIndex(({ text }, at) =>
    at >= opening && (depth += text === "(" ? 1 : text === ")" ? -1 : 0) === 0
  );
  return tokens[closing + 1]?.text === "{";
}

/** Reports whether a name is neither a keyword nor that of a global value. */
function isUndefined(name: string): boolean {
  try {
    return new Function(`return typeof ${name}`)() === "undefined";
  } catch {
    return false;
  }
}

function tokensOf(code: string): SourceToken[] {
  const tokenizer = new Tokenizer(code);
  const tokens: SourceToken[] = [];
  for (let token = tokenizer.next(); token.kind !== "end"; token = tokenizer.next()) tokens.push(token);
  return tokens;
}
