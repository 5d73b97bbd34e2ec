/**
 * The translations of an application, as requests see them.
 *
 * @module
 */

import type { Catalog } from "../i18n/catalog.ts";
import type { Locale } from "../i18n/locale.ts";

/** The settings that determine the language of a request (`app.I18n`). `C` is the type of the context. */
export interface LanguageSettings<C> {
  readonly URLParameter: string;
  readonly Cookie: string;
  readonly Subdomain: boolean;
  readonly Strict: boolean;
  readonly ExtractFunc: ((ctx: C) => string) | undefined;
  readonly DefaultMessageFunc:
    | ((input: string, matched: string, key: string, ...args: unknown[]) => string)
    | undefined;
}

/** The translations of an application. */
export interface Languages {
  readonly catalog: Catalog;
  // Higher layers have only one context class; here the type is only passed through.
  readonly settings: LanguageSettings<never>;
}

/** The language of a request: the language the client requested, and the locale that serves it. */
export interface RequestLanguage {
  readonly input: string;
  readonly locale: Locale;
}
