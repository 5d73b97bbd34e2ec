/**
 * A check for missing translations, for use in tests.
 *
 * @module
 */

import { record, texts } from "../../base/config/option_kinds.ts";
import { checkArgument } from "../../base/config/option_table.ts";
import { loadCatalog } from "./catalog.ts";
import type { Messages } from "./locale.ts";

/** A key that is missing in a language. */
export interface MissingKey {
  /** The language in which the key is missing. */
  readonly Language: string;
  /** The missing key. */
  readonly Key: string;
}

/**
 * Finds keys that exist in some languages but not in others. Use it in your application's tests.
 *
 * @example
 * ```ts
 * import { MissingKeys } from "@fw/web/i18n";
 *
 * await MissingKeys({ en: { hi: "Hello", bye: "Bye" }, el: { hi: "Γεια" } }); // → [{ Language: "el", Key: "bye" }]
 * ```
 *
 * @param source The folder with the translation files, or the translations by language.
 * @param tags The languages, as passed to `app.I18n.Load`.
 * @returns The missing keys, sorted by language and key.
 */
export async function MissingKeys(
  source: string | URL | Readonly<Record<string, Messages>>,
  ...tags: string[]
): Promise<MissingKey[]> {
  if (typeof source !== "string") checkArgument(source, record(), "source", "MissingKeys");
  checkArgument(tags, texts(), "tags", "MissingKeys");
  const isFolder = typeof source === "string" || source instanceof URL;
  // The application's functions are not known here, but keys do not depend on them.
  const { locales } = await loadCatalog([isFolder ? { folder: source, tags } : { messages: source, tags }], () => ({}));
  const all = new Set(locales.flatMap((locale) => locale.Keys()));
  return locales.flatMap((locale) => {
    const present = new Set(locale.Keys());
    return [...all].filter((key) => !present.has(key)).map((Key) => ({ Language: locale.Language(), Key }));
  });
}

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
