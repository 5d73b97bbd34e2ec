/**
 * The translations of an application, as used by requests.
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
