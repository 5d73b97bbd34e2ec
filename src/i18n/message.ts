/**
 * One translation in one language, ready to be rendered.
 *
 * @module
 */

import { formatVerbs } from "../log/printf.ts";
import { evaluate, type Scope } from "./expression.ts";
import { type Piece, splitText } from "./message_text.ts";
import type { PluralForm, PluralRules } from "./plural_form.ts";

/** The forms of a variable by count, such as `one: "dog"` and `other: "dogs"`. */
export type Variable = Readonly<Record<PluralForm, string>>;

/** What the messages of a language share. */
export interface MessageScope {
  readonly plurals: PluralRules;
  readonly functions: ReadonlyMap<string, (...args: never[]) => unknown>;
}

/** A translation: one text, or one per plural form. */
export class Message {
  readonly #scope: MessageScope;
  readonly #variables: ReadonlyMap<string, Variable>;
  #pieces: readonly Piece[] = [];
  #plurals: Map<PluralForm, readonly Piece[]> | undefined = undefined;

  constructor(scope: MessageScope, variables: ReadonlyMap<string, Variable>) {
    this.#scope = scope;
    this.#variables = variables;
  }

  /** Sets the text, or that of one plural form. */
  setText(text: string, form?: PluralForm): this {
    if (form === undefined) this.#pieces = splitText(text);
    else (this.#plurals ??= new Map()).set(form, splitText(text));
    return this;
  }

  /** Renders the translation; `undefined` if it has plural forms and none fits the arguments. */
  render(args: readonly unknown[]): string | undefined {
    if (this.#plurals === undefined) return this.#join(this.#pieces, args, 0);
    const count = pluralCount(args[0]);
    if (count === undefined) return undefined;
    const form = this.#scope.plurals.choose(count, [...this.#plurals.keys()]);
    // The count is the first argument, so variables start with the second.
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
        // Without any argument, "100% sure" is only a text.
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

  /** The count of a variable is named after it in an object (`DogsCount`), and an argument of its own otherwise. */
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
        if (fn === undefined) throw new TypeError(`Cannot call "${name}" in a translation: it is not a known function`);
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
