/**
 * Splits translations into pieces when they are loaded.
 *
 * @module
 */

import { type Expression, parseExpression } from "./expression.ts";

/** A piece of a translation. */
export type Piece =
  | { readonly kind: "text"; readonly text: string }
  /** A printf verb. `index` is the position of its argument. */
  | { readonly kind: "verb"; readonly verb: string; readonly source: string; readonly index: number }
  /** A variable such as `${Dogs}` whose form depends on a count. `order` is its position among the variables. */
  | { readonly kind: "variable"; readonly name: string; readonly source: string; readonly order: number }
  | { readonly kind: "expression"; readonly expression: Expression };

const parts = /\{\{([\s\S]*?)\}\}|\$\{(\w+)\}|%%|%([-+# 0]*(?:[1-9]\d*)?(?:\.\d+)?)(?:\[(\d+)\])?([a-zA-Z])/g;

/**
 * Splits a translation. If it contains `{{…}}`, it is a template, and percent signs have no special meaning.
 *
 * @throws {SyntaxError} If an expression is invalid.
 */
export function splitText(text: string): Piece[] {
  const isTemplate = /\{\{[\s\S]*?\}\}/.test(text);
  const pieces: Piece[] = [];
  const variables: string[] = [];
  let end = 0;
  let argument = 0;
  for (const match of text.matchAll(parts)) {
    const [source, expression, variable, flags = "", index, verb] = match;
    if (isTemplate && source.startsWith("%")) continue;
    if (match.index > end) pieces.push({ kind: "text", text: text.slice(end, match.index) });
    end = match.index + source.length;
    if (expression !== undefined) pieces.push({ kind: "expression", expression: parseExpression(expression) });
    else if (variable !== undefined) {
      if (!variables.includes(variable)) variables.push(variable);
      pieces.push({ kind: "variable", name: variable, source, order: variables.indexOf(variable) });
    } else if (verb !== undefined) {
      if (index !== undefined) argument = Number(index) - 1;
      pieces.push({ kind: "verb", verb: `%${flags}${verb}`, source, index: argument++ });
    } else pieces.push({ kind: "text", text: "%" });
  }
  const open = text.indexOf("{{", end);
  if (isTemplate ? open !== -1 : /\{\{\s*[.\w]/.test(text)) throw new SyntaxError(`a "}}" is missing`);
  if (end < text.length) pieces.push({ kind: "text", text: text.slice(end) });
  return pieces;
}
