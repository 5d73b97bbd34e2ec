/**
 * Helpers and types for translations. They complement `app.I18n`.
 *
 * Load translations with `app.I18n.Load("./locales", "en-US", "el-GR")`, and translate with `ctx.Tr("hi", "Ada")`. The
 * language of a request is taken from the first of these sources that specifies one: `ctx.SetLanguage`, `ExtractFunc`,
 * the query parameter `lang`, the cookie, the first label of the subdomain, the `Accept-Language` header, and the
 * default language.
 *
 * A translation is a string with printf verbs (`"Hello %s"`), named values (`"Hello {{.Name}}"`) or plural forms
 * according to the rules of its language (`{ one: "%d dog", other: "%d dogs", "=0": "no dogs" }`). An object is a
 * translation with plural forms if all of its keys are plural forms and one of them is `other` or a comparison. Other
 * objects are sections, and `{ one: "First", two: "Second" }` has the keys `steps.one` and `steps.two`. Between `{{`
 * and `}}`, it can call `date`, `time`, `datetime`, `number`, `percent`, `currency`, `list`, `tr` and your own
 * functions (`app.I18n.Funcs`). The functions for dates accept a style and a time zone: `{{datetime .At "short"
 * "Europe/Athens"}}` or `{{date .At .Zone}}`. The default time zone is `app.I18n.TimeZone`.
 *
 * With `fw.WithDevelopment`, translation files are read again when they have changed, and missing keys are logged and
 * shown in templates as `[key]`.
 *
 * @example Plurals, named values, dates and numbers
 * ```ts
 * import * as fw from "@fw/web";
 *
 * const app = fw.New();
 * app.I18n.LoadKV({
 *   en: {
 *     dogs: { "=0": "no dogs", one: "%d dog", other: "%d dogs" },
 *     invoice: "{{.Name}} owes {{currency .Total \"EUR\"}}",
 *   },
 * });
 * app.Get("/", (ctx) => ctx.JSON([ctx.Tr("dogs", 2), ctx.Tr("invoice", { Name: "Ada", Total: 9.5 })]));
 *
 * await (await app.fetch(new Request("http://localhost/"))).json(); // → ["2 dogs", "Ada owes €9.50"]
 * ```
 *
 * @module
 */

export type { MessageFunc } from "./formats.ts";
export { Locale, type Messages } from "./locale.ts";
export { type MissingKey, MissingKeys } from "./missing_keys.ts";
export { type MessageKeys, type PluralFormKey, type Translator, type TrContext, Typed } from "./missing_keys.ts";
