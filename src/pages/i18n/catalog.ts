/**
 * The loaded languages of an application, by tag.
 *
 * @module
 */

import { inSlices } from "../../base/async/slices.ts";
import { isJSONObject } from "../../base/data/plain_object.ts";
import { FrameworkError } from "../../base/errors/errors.ts";
import { checkZone, type MessageFunc } from "./formats.ts";
import { checkTag, LanguageMatcher } from "./language_match.ts";
import { Locale, type Messages } from "./locale.ts";
import { readMessageFiles } from "./read_messages.ts";

/** A folder of translation files, or translations by language. */
export type MessageSource =
  | { readonly folder: string | URL; readonly tags: readonly string[] }
  | { readonly messages: Readonly<Record<string, Messages>>; readonly tags: readonly string[] };

/** The languages of an application. */
export class Catalog {
  readonly tags: readonly string[];
  readonly locales: readonly Locale[];
  readonly matcher: LanguageMatcher;
  /** The files in the folders that are not named after a language. */
  readonly ignored: readonly string[];

  constructor(locales: readonly Locale[], ignored: readonly string[] = []) {
    this.locales = locales;
    this.ignored = ignored;
    this.tags = locales.map((locale) => locale.Language());
    this.matcher = new LanguageMatcher(this.tags);
  }

  /** Reports whether a language has a key. */
  has(key: string): boolean {
    return this.locales.some((locale) => locale.has(key));
  }

  /** Returns the locale of the closest language, or `undefined` if there is none. */
  find(language: string): Locale | undefined {
    return this.locales[this.matcher.match(language)];
  }
}

/**
 * Loads all sources. The languages are the given tags, in that order. If no tags are given, all languages in the
 * sources are loaded.
 *
 * @param zone The default time zone of dates. If empty, it is that of the system.
 */
export async function loadCatalog(
  sources: readonly MessageSource[],
  functionsOf: (tag: string) => Readonly<Record<string, MessageFunc>>,
  zone = "",
): Promise<Catalog> {
  checkZone(zone);
  const given = [...new Set(sources.flatMap(({ tags }) => tags).map(checkTag))];
  const supported = given.length === 0 ? undefined : { tags: given, matcher: new LanguageMatcher(given) };
  const loaded = new Map<string, Messages[]>(given.map((tag) => [tag, []]));
  const ignored: string[] = [];
  for (const source of sources) {
    for (const [tag, messages] of await readSource(source, supported, (path) => ignored.push(path))) {
      loaded.set(tag, [...loaded.get(tag) ?? [], messages]);
    }
  }
  const locales: Locale[] = [];
  for (const [tag, sections] of loaded) {
    if (sections.length === 0) {
      throw new FrameworkError(
        "FW_LANGUAGE",
        `Cannot load the language "${tag}": no file or object contains translations for it`,
      );
    }
    const locale = new Locale(tag, locales.length, functionsOf(tag), zone);
    // A reload must not delay the requests that arrive in the meantime.
    for (const section of sections) await inSlices(locale.adding(section), () => {});
    locales.push(locale);
  }
  return new Catalog(locales, ignored);
}

async function readSource(
  source: MessageSource,
  supported: { readonly tags: readonly string[]; readonly matcher: LanguageMatcher } | undefined,
  ignored: (path: string) => void,
): Promise<[tag: string, messages: Messages][]> {
  if ("folder" in source) {
    return (await readMessageFiles(source.folder, supported, ignored)).map(({ tag, messages }) => [tag, messages]);
  }
  return Object.entries(source.messages).flatMap(([name, messages]) => {
    const tag = checkTag(name);
    if (!isJSONObject(messages)) {
      throw new FrameworkError("FW_LANGUAGE", `Cannot load the language "${tag}": its translations are not an object`);
    }
    if (supported === undefined) return [[tag, messages]];
    const index = supported.matcher.match(tag);
    const known = supported.tags[index];
    // Languages that are not in the given tags are skipped, as in the Go framework.
    return known === undefined ? [] : [[known, messages] as [string, Messages]];
  });
}
