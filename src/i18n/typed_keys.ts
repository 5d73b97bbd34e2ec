/**
 * Keys that the compiler knows: the translations of an object, typed.
 *
 * @module
 */

/** The plural forms that the keys of an object can be. */
export type PluralFormKey = "zero" | "one" | "two" | "few" | "many" | "other" | `${"=" | "<" | ">"}${number}`;

/** The keys of a translations object, with dots between sections and their keys. */
export type MessageKeys<M> = {
  [K in keyof M & string]: M[K] extends string ? K
    : keyof M[K] extends PluralFormKey ? K
    : M[K] extends readonly unknown[] ? never
    : `${K}.${MessageKeys<M[K]>}`;
}[keyof M & string];

/** A request context, as far as translations need it. */
export interface TrContext {
  /**
   * Translates a key into the language of the request.
   *
   * @param key The key.
   * @param args The values.
   * @returns The translation.
   */
  Tr(key: string, ...args: unknown[]): string;
}

/** Translates the keys of one object. */
export type Translator<M> = (ctx: TrContext, key: MessageKeys<M>, ...args: unknown[]) => string;

/**
 * Creates a translator that accepts only the keys of an object, checked by the compiler.
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
 * @param _messages The translations of one language; only their type is used.
 * @returns The translator.
 */
export function Typed<const M>(_messages: M): Translator<M> {
  return (ctx, key, ...args) => ctx.Tr(key, ...args);
}
