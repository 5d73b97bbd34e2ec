/**
 * Finds the templates that another one includes by a literal name, so that a missing one is reported at the start.
 *
 * @module
 */

import { type SourceToken, Tokenizer } from "../../base/signature/js_tokenizer.ts";
import type { Template } from "../engine/template_parts.ts";
import type { TemplateKind } from "./template_files.ts";

/** A template that another one includes or uses as its layout. */
export interface LiteralName {
  readonly name: string;
  readonly kind: TemplateKind;
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
 */
export function literalNames(template: Template): LiteralName[] {
  const code = String(template.run);
  const tokens = tokensOf(code);
  return Object.entries(kinds).flatMap(([called, kind]) => {
    const calls = tokens.flatMap(({ text }, at) => text === called && tokens[at - 1]?.text !== "." ? [at] : [])
      // The first one is the declaration of the built-in function.
      .slice(1);
    // A template may declare a variable of the same name.
    if (calls.some((at) => tokens[at + 1]?.text !== "(" || tokens[at - 1]?.text === "function")) return [];
    return calls.flatMap((at) => {
      const [, , name] = plain.exec(tokens[at + 2]?.text ?? "") ?? [];
      const isWhole = [",", ")"].includes(tokens[at + 3]?.text ?? "");
      if (name === undefined || !isWhole) return [];
      const row = code.slice(0, tokens[at]?.start).split("\n").length - 1;
      return [{ name, kind, line: template.lines[row] ?? 1 }];
    });
  });
}

function tokensOf(code: string): SourceToken[] {
  const tokenizer = new Tokenizer(code);
  const tokens: SourceToken[] = [];
  for (let token = tokenizer.next(); token.kind !== "end"; token = tokenizer.next()) tokens.push(token);
  return tokens;
}
