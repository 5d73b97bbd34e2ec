/**
 * The translations of an application, as used by requests, and the language prefix of a path.
 *
 * @module
 */

import { decodePath } from "../../http/headers/path.ts";
import type { Catalog } from "../../pages/i18n/catalog.ts";
import type { Locale } from "../../pages/i18n/locale.ts";

/**
 * Matches a language tag with an optional script and region. Longer segments are part of the application's own paths.
 */
const languageTag = /^[a-z]{2,3}(?:-[a-z]{4})?(?:-(?:[a-z]{2}|\d{3}))?$/i;
/** The maximum length of a segment to check. It is longer than the longest tag with escape sequences. */
const longest = 36;

/** The language at the start of a path. */
export interface PathLanguage {
  /** The language, in the spelling that links use. */
  readonly language: string;
  /** The length of the prefix in the path, including its slashes. */
  readonly length: number;
}

/** Finds the language at the start of a path. Returns `undefined` if the path does not start with a language. */
export function leadingLanguage(path: string, catalog: Catalog): PathLanguage | undefined {
  const [sent = "", segment = ""] = /^\/+([^/?#]+)/.exec(path.slice(0, longest + 2)) ?? [];
  if (segment === "" || segment.length > longest) return undefined;
  // Decode the segment, so that two spellings of a path cannot lead to two different routes.
  const tag = segment.includes("%") ? decodePath(segment) ?? "" : segment;
  const known = languageTag.test(tag) ? catalog.find(tag)?.Language() : undefined;
  return known === undefined ? undefined : { language: spellingOf(tag, known), length: sent.length };
}

/**
 * Returns all spellings of a language in links: its tag, and the tag without script and region. Pages contain links, so
 * a cache stores a page once for each spelling. Other spellings are replaced by the tag, because clients could
 * otherwise fill a cache with an unlimited number of copies that a write does not invalidate.
 */
export function spellingsOf(tag: string): readonly string[] {
  const [short = tag] = tag.split("-", 1);
  return short === tag ? [tag] : [tag, short];
}

/** Returns the spelling of a language in links. Unknown spellings are replaced by the tag. */
export function spellingOf(sent: string, tag: string): string {
  return spellingsOf(tag).find((each) => each.toLowerCase() === sent.toLowerCase()) ?? tag;
}

/** The settings that determine the language of a request (`app.I18n`). `C` is the type of the context. */
export interface LanguageSettings<C> {
  readonly URLParameter: string;
  readonly Cookie: string;
  readonly Subdomain: boolean;
  readonly PathRedirect: boolean;
  readonly Strict: boolean;
  readonly ExtractFunc: ((ctx: C) => string) | undefined;
  readonly DefaultMessageFunc:
    | ((input: string, matched: string, key: string, ...args: unknown[]) => string)
    | undefined;
}

/** The translations of an application. */
export interface Languages {
  readonly catalog: Catalog;
  // There is only one context class in the higher layers, and its type does not matter here.
  readonly settings: LanguageSettings<never>;
}

/** The language of a request: the language the client asked for, and the locale used for the response. */
export interface RequestLanguage {
  readonly input: string;
  readonly locale: Locale;
  /**
   * Whether the language was chosen for this call, by its path, a setting or a handler, and not only derived from
   * `Accept-Language`. Mounted applications then use it too.
   */
  readonly isChosen: boolean;
  /** Whether a handler has set the language. */
  readonly isSet?: true;
}
