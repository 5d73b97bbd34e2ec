/**
 * A language and its translations.
 *
 * @module
 */

import { isJSONObject } from "../../base/data/plain_object.ts";
import { FrameworkError } from "../../base/errors/errors.ts";
import { messageOf } from "../../base/errors/to_error.ts";
import { formatChecks, formatsOf, type MessageFunc } from "./formats.ts";
import { Message, type Variable } from "./message.ts";
import { isDecisiveForm, isPluralForm, PluralRules } from "./plural_form.ts";

/**
 * Translations by key: strings, plural forms and nested sections.
 *
 * An object whose keys are all plural forms, including `other` or a comparison such as `=0`, is one translation with
 * plural forms. All other objects are sections. The strings in both can also be translated by their own keys, such as
 * `dogs.one`, so a section can have keys that are named like plural forms.
 *
 * @example
 * ```ts
 * import type { Messages } from "@fw/web/i18n";
 *
 * const english: Messages = {
 *   hi: "Hello %s",
 *   nav: { home: "Home" }, // the key "nav.home"
 *   dogs: { one: "%d dog", other: "%d dogs" },
 * };
 * Object.keys(english).length; // → 3
 * ```
 */
export interface Messages {
  /** A translation, a section, or the variables of a section. */
  readonly [key: string]: string | Messages | readonly unknown[];
}

/** The key under which a section lists its variables, as in the Go framework. */
const variablesKey = "Vars";

/** The maximum depth of translations that refer to one another with `{{tr "key"}}`. */
const deepest = 20;

/** A language of the application and its translations. */
export class Locale {
  readonly #tag: string;
  readonly #index: number;
  readonly #messages = new Map<string, Message>();
  /** The single forms of plural translations by their own keys, and sections by their plural forms. */
  readonly #aliases = new Map<string, Message>();
  readonly #functions = new Map<string, MessageFunc>();
  readonly #plurals: PluralRules;
  /** The checks of the built-in functions, except for those that the application replaces. */
  readonly #checks: ReadonlyMap<string, (choices: readonly unknown[]) => void>;
  #depth = 0;

  /**
   * Creates a locale. Called when translations are loaded.
   *
   * @ignore
   */
  constructor(tag: string, index: number, functions: Readonly<Record<string, MessageFunc>> = {}, zone = "") {
    this.#tag = tag;
    this.#index = index;
    this.#plurals = new PluralRules(tag);
    const own: Record<string, MessageFunc> = { tr: (key: string, ...args: unknown[]) => this.GetMessage(key, ...args) };
    for (const [name, fn] of Object.entries({ ...formatsOf(tag, zone), ...own, ...functions })) {
      this.#functions.set(name, fn);
    }
    this.#checks = new Map(Object.entries(formatChecks).filter(([name]) => !Object.hasOwn(functions, name)));
  }

  /**
   * Returns the position of the language. The default language is at position 0.
   *
   * @returns The language's position.
   */
  Index(): number {
    return this.#index;
  }

  /**
   * Returns the language tag.
   *
   * @returns The tag, such as `en-US`.
   */
  Language(): string {
    return this.#tag;
  }

  /**
   * Translates a key.
   *
   * @param key The key, with sections separated by dots.
   * @param args The values for printf verbs, or one object with named values.
   * @returns The translation, or an empty string if the language does not have the key.
   */
  GetMessage(key: string, ...args: unknown[]): string {
    const message = this.#find(key);
    if (message === undefined) return "";
    if (this.#depth > deepest) {
      throw new FrameworkError("FW_LANGUAGE", `Cannot translate "${key}": it refers to itself`);
    }
    this.#depth++;
    try {
      return message.render(args) ?? "";
    } finally {
      this.#depth--;
    }
  }

  /**
   * Reports whether the language has a key.
   *
   * @ignore
   */
  has(key: string): boolean {
    return this.#find(key) !== undefined;
  }

  /**
   * Reports whether a key has plural forms, of which the first argument chooses one.
   *
   * @ignore
   */
  isPlural(key: string): boolean {
    return this.#find(key)?.isPlural === true;
  }

  /**
   * Returns the language's keys.
   *
   * @returns The keys, sorted.
   */
  Keys(): string[] {
    return [...this.#messages.keys()].sort();
  }

  /**
   * Adds translations, replacing existing keys.
   *
   * @ignore
   */
  add(messages: Messages): void {
    for (const _ of this.adding(messages));
  }

  /**
   * Adds translations one by one, so that the caller can pause between them.
   *
   * @ignore
   */
  adding(messages: Messages): Generator<void, void, undefined> {
    return this.#addSection("", messages, new Map());
  }

  #find(key: string): Message | undefined {
    return this.#messages.get(key) ?? this.#aliases.get(key);
  }

  *#addSection(
    prefix: string,
    section: Messages,
    inherited: ReadonlyMap<string, Variable>,
  ): Generator<void, void, undefined> {
    const variables = new Map([...inherited, ...readVariables(section[variablesKey])]);
    const scope = { plurals: this.#plurals, functions: this.#functions, checks: this.#checks };
    const entries = Object.entries(section).filter(([name, value]) => name !== variablesKey || !Array.isArray(value));
    const forms = prefix === ""
      ? []
      : entries.filter(([name, value]) => isPluralForm(name) && typeof value === "string");
    const isPlural = forms.length > 0 && forms.length === entries.length &&
      forms.some(([name]) => isDecisiveForm(name));
    if (forms.length > 0) {
      const plural = new Message(scope, variables);
      const kept = isPlural ? this.#messages : this.#aliases;
      for (const [name, text] of forms) this.#set(kept, prefix, () => plural.setText(String(text), name));
    }
    for (const [name, value] of entries) {
      const key = prefix === "" ? name : `${prefix}.${name}`;
      if (typeof value === "string") {
        const kept = isPlural ? this.#aliases : this.#messages;
        this.#set(kept, key, () => new Message(scope, variables).setText(value));
        yield;
      } else if (isJSONObject(value)) {
        yield* this.#addSection(key, value as Messages, variables);
      } else {
        throw new FrameworkError(
          "FW_LANGUAGE",
          `Cannot load the translation "${key}" (${this.#tag}): it is not a string`,
        );
      }
    }
  }

  #set(kept: Map<string, Message>, key: string, create: () => Message): void {
    try {
      kept.set(key, create());
    } catch (cause) {
      const text = `Cannot load the translation "${key}" (${this.#tag}): ${messageOf(cause)}`;
      throw new FrameworkError("FW_LANGUAGE", text, { cause });
    }
  }
}

/** Reads variables from a list of objects with one key each, as in the Go framework. */
function readVariables(value: unknown): [string, Variable][] {
  if (!Array.isArray(value)) return [];
  return value.flatMap((each: unknown) => typeof each === "object" && each !== null ? Object.entries(each) : []).map(
    ([name, forms]: [string, Record<string, unknown>]) => {
      const texts = Object.entries(forms).filter(([form, text]) => isPluralForm(form) && typeof text === "string");
      return [name, Object.fromEntries(texts) as Variable];
    },
  );
}
