/**
 * The language of a request and its translations. Their rules are loaded with the translations of an application.
 *
 * @module
 */

import { LazyModule } from "../../../base/async/lazy_module.ts";
import { FrameworkError } from "../../../base/errors/errors.ts";
import type { Locale } from "../../../pages/i18n/locale.ts";
import type { Exchange } from "../../exchange/exchange.ts";
import type { Languages, RequestLanguage } from "../../exchange/languages.ts";
import { languagesOf } from "./languages_of.ts";

const rules = new LazyModule(() => import("./language_rules.ts"));

/** Loads the rules. An application does so with its translations, before any request. */
export async function loadLanguageRules(): Promise<void> {
  await rules.get();
}

/** Returns the rules for a request, or throws if the application has no translations. */
function rulesOf<C>(exchange: Exchange<C>, act: string): typeof import("./language_rules.ts") {
  languagesOf(exchange, act);
  return loadedRules();
}

function loadedRules(): typeof import("./language_rules.ts") {
  if (rules.loaded !== undefined) return rules.loaded;
  throw new FrameworkError("FW_STATE", "Cannot choose a language: the application has not been built");
}

/** Sets the language of a request. If the language is not supported, the default language is used. */
export function setLanguage<C>(exchange: Exchange<C>, language: string): void {
  rulesOf(exchange, `set the language "${String(language)}"`).setLanguage(exchange, language);
}

/** Sets the language of a request and of later requests by the same browser. */
export function rememberLanguage<C>(exchange: Exchange<C>, language: string): void {
  rulesOf(exchange, `remember the language "${String(language)}"`).rememberLanguage(exchange, language);
}

/** Returns the locale of a request. It is determined on first use. */
export function localeOf<C>(exchange: Exchange<C>): Locale {
  return rulesOf(exchange, "choose a language").localeOf(exchange);
}

/**
 * Translates a key into the language of a request.
 *
 * @param template The template that contains the key, if there is one.
 */
export function tr<C>(exchange: Exchange<C>, key: string, args: readonly unknown[], template?: string): string {
  return rulesOf(exchange, `translate "${String(key)}"`).tr(exchange, key, args, template);
}

/** Translates a key outside a request. Falls back to the default language unless `Strict` is set. */
export function translate(
  languages: Languages,
  language: Pick<RequestLanguage, "input" | "locale">,
  key: string,
  args: readonly unknown[],
): string {
  return loadedRules().translate(languages, language, key, args);
}

/**
 * Translates a message if it is a translation key. The language is that of the request or, if the key is missing there,
 * the default language.
 *
 * @param values The named values of the translation.
 */
export function translateIfKnown<C>(exchange: Exchange<C>, text: string, values: object): string {
  return exchange.runtime.languages === undefined ? text : loadedRules().translateIfKnown(exchange, text, values);
}
