/**
 * Translation keys checked by the compiler.
 *
 * @module
 */

/** The plural forms that an object's keys can be. */
export type PluralFormKey = "zero" | "one" | "two" | "few" | "many" | "other" | `${"=" | "<" | ">"}${number}`;

/** The keys of a translations object, with dots between sections and keys. */
export type MessageKeys<M> = {
  [K in keyof M & string]: M[K] extends string ? K
    : keyof M[K] extends PluralFormKey ? K | `${K}.${MessageKeys<M[K]>}`
    : M[K] extends readonly unknown[] ? never
    : `${K}.${MessageKeys<M[K]>}`;
}[keyof M & string];

/** The part of the request context needed for translations. */
export interface TrContext {
  /**
   * Translates a key into the request's language.
   *
   * @param key The key to translate.
   * @param args The values for the translation.
   * @returns The translation.
   */
  Tr(key: string, ...args: unknown[]): string;
}

/** Translates the keys of an object. */
export type Translator<M> = (ctx: TrContext, key: MessageKeys<M>, ...args: unknown[]) => string;

/**
 * Creates a translator that accepts only an object's keys, checked by the compiler.
 *
 * @example
 * ```ts
 * import * as fw from "@fw/web";
 * import { Typed } from "@fw/web/i18n";
 *
 * const english = { hi: "Hello %s", nav: { home: "Home" } };
 * const tr = Typed(english);
 *
 * const app = fw.New();
 * app.I18n.LoadKV({ en: english });
 * app.Get("/", (ctx) => ctx.Text(tr(ctx, "nav.home"))); // tr(ctx, "nav.hom") does not compile
 * await (await app.fetch(new Request("http://localhost/"))).text(); // → "Home"
 * ```
 *
 * @param _messages The translations of one language. Only their type is used.
 * @returns The translator.
 */
export function Typed<const M>(_messages: M): Translator<M> {
  return (ctx, key, ...args) => ctx.Tr(key, ...args);
}
