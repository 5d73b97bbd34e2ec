/**
 * Determines the language of a request and translates. It is loaded with the translations of an application.
 *
 * @module
 */

import { FrameworkError } from "../../../base/errors/errors.ts";
import { readCookie, writeCookie } from "../../../http/response/cookies.ts";
import { varyBy } from "../../../http/response/draft.ts";
import type { Catalog } from "../../../pages/i18n/catalog.ts";
import type { Locale } from "../../../pages/i18n/locale.ts";
import { urlParam } from "../../accessors/query.ts";
import { type Exchange, outerExchange, queryOf } from "../../exchange/exchange.ts";
import { extrasOf } from "../../exchange/extras.ts";
import { type Languages, type LanguageSettings, type RequestLanguage, spellingOf } from "../../exchange/languages.ts";
import { firstLabel, requestHost, subdomainOf } from "../../exchange/peer/request_host.ts";
import { cookieFor, outsideOf } from "../../exchange/public_url.ts";
import type { RequestTarget } from "../../exchange/request_target.ts";
import { handlerHeaders } from "../../exchange/request_header.ts";
import { languagesOf } from "./languages_of.ts";

/** Sets the language of a request. If the language is not supported, the default language is used. */
export function setLanguage<C>(exchange: Exchange<C>, language: string): void {
  const { catalog } = languagesOf(exchange, `set the language "${language}"`);
  const locale = catalog.find(language) ?? defaultOf(catalog);
  extrasOf(exchange).language = { input: language, locale, isChosen: true, isSet: true };
  const { target } = exchange;
  // The path takes precedence over cookies, so links with the old language would undo the choice.
  for (let each: RequestTarget | undefined = target; each !== undefined; each = outsideOf(each)) {
    const found = each === target ? locale : each.runtime.languages?.catalog.find(language);
    if (each.language === "" || found === undefined) continue;
    each.linkLanguage = spellingOf(language, found.Language());
    return;
  }
}

/** The lifetime of the language cookie, in milliseconds. */
const YEAR_MS = 365 * 24 * 60 * 60 * 1000;

/** Sets the language of a request and of later requests by the same browser. */
export function rememberLanguage<C>(exchange: Exchange<C>, language: string): void {
  const { settings: { Cookie } } = languagesOf(exchange, `remember the language "${language}"`);
  if (Cookie === "") {
    throw new FrameworkError(
      "FW_LANGUAGE",
      `Cannot remember the language "${language}": set the name of the cookie with app.I18n.Cookie`,
    );
  }
  setLanguage(exchange, language);
  const cookie = cookieFor(exchange.target, Cookie, localeOf(exchange).Language(), undefined);
  writeCookie(exchange.draft, cookie, { MaxAge: YEAR_MS });
}

/** Returns the locale of a request. It is determined on first use. */
export function localeOf<C>(exchange: Exchange<C>): Locale {
  return (extrasOf(exchange).language ??= decide(exchange)).locale;
}

/**
 * Translates a key into the language of a request. With `Development`, missing translations are logged, and templates
 * show their keys.
 *
 * @param template The template that contains the key, if there is one.
 */
export function tr<C>(exchange: Exchange<C>, key: string, args: readonly unknown[], template?: string): string {
  const languages = languagesOf(exchange, `translate "${String(key)}"`);
  const language = extrasOf(exchange).language ??= decide(exchange);
  const text = translate(languages, language, key, args);
  const { development } = exchange.runtime;
  if (development === undefined || languages.settings.DefaultMessageFunc !== undefined) return text;
  const { locale } = language;
  // An empty translation is intended, unless no plural form matches.
  if (locale.has(key) && (text !== "" || !locale.isPlural(key))) return text;
  development.warnOfTranslation({ key, languages, locale, template, route: exchange.route.info });
  return text === "" && template !== undefined && !languages.settings.Strict ? `[${key}]` : text;
}

/** Translates a key. Falls back to the default language unless `Strict` is set. */
export function translate(
  { catalog, settings }: Languages,
  { input, locale }: Pick<RequestLanguage, "input" | "locale">,
  key: string,
  args: readonly unknown[],
): string {
  const text = locale.GetMessage(key, ...args);
  if (text !== "") return text;
  if (settings.DefaultMessageFunc !== undefined) {
    return settings.DefaultMessageFunc(input, locale.Language(), key, ...args);
  }
  return settings.Strict ? "" : defaultOf(catalog).GetMessage(key, ...args);
}

/**
 * Translates a message if it is a translation key. The language is that of the request or, if the key is missing there,
 * the default language.
 *
 * @param values The named values of the translation.
 */
export function translateIfKnown<C>(exchange: Exchange<C>, text: string, values: object): string {
  const { languages } = exchange.runtime;
  // Do not determine the language unless it is needed, because the response would then depend on `Accept-Language`.
  if (languages === undefined || !languages.catalog.has(text)) return text;
  const locale = localeOf(exchange);
  const own = locale.GetMessage(text, values);
  if (own !== "" || languages.settings.Strict) return own || text;
  return defaultOf(languages.catalog).GetMessage(text, values) || text;
}

/**
 * Determines the language of a request. The sources are tried in order until one of them specifies a supported
 * language.
 */
function decide<C>(exchange: Exchange<C>): RequestLanguage {
  const { catalog, settings } = languagesOf(exchange, "choose a language");
  const { ExtractFunc, URLParameter, Cookie, Subdomain } = settings as LanguageSettings<C>;
  const { draft } = exchange;
  let input = "";
  const accepts = (language: string | undefined): Locale | undefined => {
    // An ExtractFunc in JavaScript may return `null`.
    if (!language) return undefined;
    input = language;
    return catalog.find(language);
  };
  let locale = accepts(exchange.target.language) ?? accepts(outerLanguage(exchange)) ??
    accepts(ExtractFunc?.(exchange.context)) ??
    accepts(URLParameter && urlParam(queryOf(exchange), URLParameter));
  if (locale === undefined && Cookie !== "") {
    // Shared caches must store each language of a URL separately.
    varyBy(draft, "Cookie");
    locale = accepts(readCookie(handlerHeaders(exchange), Cookie));
  }
  if (locale === undefined && Subdomain) {
    const host = requestHost(exchange.target);
    locale = accepts(firstLabel(subdomainOf(host, exchange.runtime.config.VHost)));
  }
  if (locale !== undefined) return { input, locale, isChosen: true };
  varyBy(draft, "Accept-Language");
  const header = handlerHeaders(exchange).get("accept-language") ?? "";
  const matched = catalog.locales[catalog.matcher.matchHeader(header)] ?? defaultOf(catalog);
  return { input: header || input, locale: matched, isChosen: false };
}

/** Returns the language that was chosen for the call before it reached this application. Empty if there is none. */
function outerLanguage<C>(exchange: Exchange<C>): string {
  const outer = outerExchange(exchange);
  if (outer === undefined) return "";
  if (outer.runtime.languages === undefined) return outerLanguage(outer);
  const { isChosen, locale } = extrasOf(outer).language ??= decide(outer);
  return isChosen ? locale.Language() : "";
}

function defaultOf({ locales }: Catalog): Locale {
  // An application without languages has no catalog.
  return locales[0] as Locale;
}
