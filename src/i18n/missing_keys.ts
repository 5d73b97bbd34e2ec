/**
 * A check for the tests of an application: do all languages have all keys?
 *
 * @module
 */

import { loadCatalog } from "./catalog.ts";
import type { Messages } from "./locale.ts";

/** A key that a language does not have. */
export interface MissingKey {
  /** The language that lacks the key. */
  readonly Language: string;
  /** The key. */
  readonly Key: string;
}

/**
 * Lists the keys that some languages have and others lack, for a test of your application.
 *
 * @example
 * ```ts
 * import { MissingKeys } from "@fw/web/i18n";
 *
 * await MissingKeys({ en: { hi: "Hello", bye: "Bye" }, el: { hi: "Γεια" } }); // → [{ Language: "el", Key: "bye" }]
 * ```
 *
 * @param source The folder of the translation files, or the translations by language.
 * @param tags The languages, as given to `app.I18n.Load`.
 * @returns The missing keys, by language and key.
 */
export async function MissingKeys(
  source: string | URL | Readonly<Record<string, Messages>>,
  ...tags: string[]
): Promise<MissingKey[]> {
  const isFolder = typeof source === "string" || source instanceof URL;
  // Functions of the application are not known here, and keys do not depend on them.
  const { locales } = await loadCatalog([isFolder ? { folder: source, tags } : { messages: source, tags }], () => ({}));
  const all = new Set(locales.flatMap((locale) => locale.Keys()));
  return locales.flatMap((locale) => {
    const present = new Set(locale.Keys());
    return [...all].filter((key) => !present.has(key)).map((Key) => ({ Language: locale.Language(), Key }));
  });
}
