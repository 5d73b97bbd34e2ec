/**
 * A parsed translation in one language.
 *
 * @module
 */

import { formatVerbs } from "../../base/log/printf.ts";
import { checkCalls, evaluate, type Expression, type KnownCalls, parseExpression, type Scope } from "./expression.ts";
import type { PluralForm, PluralRules } from "./plural_form.ts";

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
function splitText(text: string): Piece[] {
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

/** The plural forms of a variable, such as `one: "dog"` and `other: "dogs"`. */
export type Variable = Readonly<Record<PluralForm, string>>;

/** The state shared by all messages of a language. */
export interface MessageScope extends KnownCalls {
  readonly plurals: PluralRules;
  readonly functions: ReadonlyMap<string, (...args: never[]) => unknown>;
}

/** A translation: a single message, or one per plural form. */
export class Message {
  readonly #scope: MessageScope;
  readonly #variables: ReadonlyMap<string, Variable>;
  #pieces: readonly Piece[] = [];
  #plurals: Map<PluralForm, readonly Piece[]> | undefined = undefined;

  constructor(scope: MessageScope, variables: ReadonlyMap<string, Variable>) {
    this.#scope = scope;
    this.#variables = variables;
  }

  /** Sets the message, or one of its plural forms. */
  setText(text: string, form?: PluralForm): this {
    const pieces = splitText(text);
    for (const piece of pieces) if (piece.kind === "expression") checkCalls(piece.expression, this.#scope);
    if (form === undefined) this.#pieces = pieces;
    else (this.#plurals ??= new Map()).set(form, pieces);
    return this;
  }

  /** Reports whether the message has plural forms. */
  get isPlural(): boolean {
    return this.#plurals !== undefined;
  }

  /** Renders the translation. Returns `undefined` if none of its plural forms matches the arguments. */
  render(args: readonly unknown[]): string | undefined {
    if (this.#plurals === undefined) return this.#join(this.#pieces, args, 0);
    const count = pluralCount(args[0]);
    if (count === undefined) return undefined;
    const form = this.#scope.plurals.choose(count, [...this.#plurals.keys()]);
    // The first argument is the count, so the variables start at the second.
    return form === undefined ? undefined : this.#join(this.#plurals.get(form) ?? [], args, 1);
  }

  #join(pieces: readonly Piece[], args: readonly unknown[], firstVariable: number): string {
    let text = "";
    for (const piece of pieces) text += this.#piece(piece, args, firstVariable);
    return text;
  }

  #piece(piece: Piece, args: readonly unknown[], firstVariable: number): string {
    switch (piece.kind) {
      case "text":
        return piece.text;
      case "verb":
        // Without arguments, percent signs have no special meaning, as in "100% sure".
        if (args.length === 0) return piece.source;
        return formatVerbs(piece.verb, piece.index < args.length ? [args[piece.index]] : []);
      case "variable":
        return this.#variable(piece.name, piece.source, args, firstVariable + piece.order);
      case "expression": {
        const value = evaluate(piece.expression, this.#templateScope(args[0]));
        return value === undefined || value === null ? "" : String(value);
      }
    }
  }

  /**
   * Renders a variable. Its count is a property such as `DogsCount` if the argument is an object, or a separate
   * argument otherwise.
   */
  #variable(name: string, source: string, args: readonly unknown[], index: number): string {
    const forms = this.#variables.get(name);
    if (forms === undefined) return source;
    const [data] = args;
    const given = typeof data === "object" && data !== null
      ? (data as Record<string, unknown>)[`${name}Count`]
      : args[index];
    const count = pluralCount(given);
    const form = count === undefined ? undefined : this.#scope.plurals.choose(count, Object.keys(forms));
    return form === undefined ? source : forms[form] ?? source;
  }

  #templateScope(data: unknown): Scope {
    const { functions } = this.#scope;
    return {
      data,
      has: (name) => functions.has(name),
      call(name, args) {
        const fn = functions.get(name);
        if (fn === undefined) throw new TypeError(`Cannot call "${name}" in a translation: there is no such function`);
        return (fn as (...args: readonly unknown[]) => unknown)(...args);
      },
    };
  }
}

function pluralCount(value: unknown): number | undefined {
  if (typeof value === "number") return value;
  if (typeof value === "bigint") return Number(value);
  if (typeof value !== "object" || value === null) return undefined;
  const { PluralCount } = value as { PluralCount?: unknown };
  return typeof PluralCount === "object" ? undefined : pluralCount(PluralCount);
}
