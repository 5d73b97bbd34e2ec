/**
 * A check for missing translations, for use in tests.
 *
 * @module
 */

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
  const isFolder = typeof source === "string" || source instanceof URL;
  // The application's functions are not known here, but keys do not depend on them.
  const { locales } = await loadCatalog([isFolder ? { folder: source, tags } : { messages: source, tags }], () => ({}));
  const all = new Set(locales.flatMap((locale) => locale.Keys()));
  return locales.flatMap((locale) => {
    const present = new Set(locale.Keys());
    return [...all].filter((key) => !present.has(key)).map((Key) => ({ Language: locale.Language(), Key }));
  });
}
