/**
 * The translations of an application (`app.I18n`).
 *
 * This module contains only the settings. Everything else is loaded during the build if the application has
 * translations.
 *
 * @module
 */

import { record, texts } from "../../base/config/option_kinds.ts";
import { checkArgument } from "../../base/config/option_table.ts";
import { FrameworkError } from "../../base/errors/errors.ts";
import type { Catalog, MessageSource } from "../../pages/i18n/catalog.ts";
import type { MessageFunc } from "../../pages/i18n/formats.ts";
import type { Messages } from "../../pages/i18n/locale.ts";
import type { Context } from "../context/context.ts";
import type { Host, HostParty } from "../context/extension.ts";
import { loadLanguageRules, translate } from "../context/format/language.ts";
import { loadTranslationFiles, loadTranslations } from "../feature_list.ts";
import { pathRule } from "./folder_route.ts";

/**
 * The translations of an application and the settings that determine the language of a request.
 *
 * @example Greet in two languages
 * ```ts
 * import * as fw from "@fw/web";
 *
 * const app = fw.New();
 * app.I18n.LoadKV({ "en-US": { hi: "Hello %s" }, "el-GR": { hi: "Γεια %s" } });
 * app.Get("/", (ctx) => ctx.Text(ctx.Tr("hi", "Ada")));
 *
 * const get = async (path: string) => await (await app.fetch(new Request("http://localhost" + path))).text();
 * await get("/"); // → "Hello Ada"
 * await get("/?lang=el"); // → "Γεια Ada"
 * ```
 */
export class I18n {
  /**
   * The name of the query parameter that selects the language. An empty string disables it.
   *
   * @default {"lang"}
   */
  URLParameter = "lang";
  /**
   * The name of the cookie that selects the language. `ctx.RememberLanguage` writes it. An empty string disables it,
   * because responses that depend on a cookie cannot be stored in shared caches.
   *
   * @default {""}
   */
  Cookie = "";
  /**
   * Whether the first label of the subdomain can select the language, as in `el.example.com`.
   *
   * @default {true}
   */
  Subdomain = true;
  /**
   * Whether a language tag in the first path segment selects the language, as in `/el/users` and `/zh-Hant-TW/users`.
   * The segment is removed before routing, so routes, guards and logs see the path without it.
   *
   * @default {true}
   */
  PathRedirect = true;
  /**
   * Whether a missing translation is an empty string instead of the translation in the default language.
   *
   * @default {false}
   */
  Strict = false;
  /**
   * A function that selects the language of a request whose path has none. It takes precedence over the query string
   * and all other settings. If it returns an empty string, these apply.
   */
  ExtractFunc: ((ctx: Context) => string) | undefined = undefined;
  /** A function that returns the message for a key that is missing in the request's language. */
  DefaultMessageFunc: ((input: string, matched: string, key: string, ...args: unknown[]) => string) | undefined =
    undefined;
  /** A function that returns custom functions for a language. Translations can call them between `{{` and `}}`. */
  Funcs: ((language: string) => Readonly<Record<string, MessageFunc>>) | undefined = undefined;
  /**
   * The time zone of dates in translations, such as `Europe/Athens`. A translation can use another one:
   * `{{datetime .At "Europe/Paris"}}`.
   *
   * @default {""} The time zone of the system.
   */
  TimeZone = "";
  readonly #app: HostParty;
  readonly #sources: MessageSource[] = [];
  #catalog: Catalog | undefined = undefined;
  #publish: ((catalog: Catalog) => void) | undefined = undefined;
  /** The state of the translation files when they were last checked. */
  #seen: string | undefined = undefined;
  #reloading: Promise<unknown> | undefined = undefined;

  /**
   * Created with an application.
   *
   * @ignore
   */
  constructor(app: HostParty) {
    this.#app = app;
  }

  /**
   * Loads translations from files when the application is built. The language is the last part of the file path that is
   * a language tag, as in `el-GR/user.yml` or `texts_el-GR.json`. The files can be JSON, YAML, TOML or INI.
   *
   * @param folder A path or a `file:` URL, such as `new URL("./locales/", import.meta.url)`.
   * @param tags The languages. The first one is the default. If omitted, all languages found are used.
   * @returns This object, for chaining.
   */
  Load(folder: string | URL, ...tags: string[]): this {
    checkArgument(folder, pathRule, "folder", "Load");
    return this.#add({ folder, tags });
  }

  /**
   * Loads translations from an object when the application is built.
   *
   * @param messages The translations, by language.
   * @param tags The languages. The first one is the default. If omitted, all languages in the object are used.
   * @returns This object, for chaining.
   */
  LoadKV(messages: Readonly<Record<string, Messages>>, ...tags: string[]): this {
    checkArgument(messages, record(), "messages", "LoadKV");
    return this.#add({ messages, tags });
  }

  /**
   * Reports whether any translations were registered.
   *
   * @returns `true` if `Load` or `LoadKV` was called.
   */
  Loaded(): boolean {
    return this.#sources.length > 0;
  }

  /**
   * Returns the languages, with the default language first.
   *
   * @returns The language tags. Empty before the application is built.
   */
  Tags(): readonly string[] {
    return this.#catalog?.tags ?? [];
  }

  /**
   * Translates a key outside a request.
   *
   * @param language The language. If it is not supported, the default language is used.
   * @param key The key.
   * @param args The values for printf verbs, or a single object with named values.
   * @returns The translation.
   * @throws {FrameworkError} If the application has not been built.
   */
  Tr(language: string, key: string, ...args: unknown[]): string {
    const catalog = this.#built(`translate "${String(key)}"`);
    const locale = catalog.find(language) ?? catalog.locales[0];
    return locale === undefined ? "" : translate({ catalog, settings: this }, { input: language, locale }, key, args);
  }

  /**
   * Loads all translations again, for example after a translation file has changed. If loading fails, the current
   * translations are kept.
   *
   * @returns A promise that is resolved when the new translations are in use.
   * @throws {FrameworkError} If a translation is invalid, or if the application has not been built.
   */
  async Reload(): Promise<void> {
    this.#built("reload translations");
    await this.#load();
  }

  /**
   * Lets an application use the translations, also after each reload.
   *
   * @param publish Receives the translations.
   * @ignore
   */
  publishTo(publish: (catalog: Catalog) => void): void {
    this.#publish = publish;
  }

  /**
   * Loads the translations again if a file has changed, for development. If loading fails, the current translations are
   * kept.
   *
   * @returns The error, if the translations could not be loaded.
   * @ignore
   */
  reloadChanged(): Promise<unknown> {
    return this.#reloading ??= this.#reloadChanged().finally(() => this.#reloading = undefined);
  }

  async #reloadChanged(): Promise<unknown> {
    const before = this.#seen;
    this.#seen = await this.#look();
    try {
      if (this.#seen !== before) await this.#load();
    } catch (error) {
      return error;
    }
  }

  /** Returns the current state of the translation files. */
  async #look(): Promise<string> {
    const { fingerprintOf } = await loadTranslationFiles();
    return await fingerprintOf(this.#sources.flatMap((source) => "folder" in source ? source.folder : []));
  }

  async #load(): Promise<void> {
    const [{ loadCatalog }] = await Promise.all([loadTranslations(), loadLanguageRules()]);
    this.#catalog = await loadCatalog(this.#sources, this.Funcs ?? (() => ({})), this.TimeZone);
    this.#publish?.(this.#catalog);
  }

  #add(source: MessageSource): this {
    checkArgument(source.tags, texts(), "tags", "Load");
    if (this.#catalog !== undefined) {
      throw new FrameworkError("FW_STATE", "Cannot load translations: the application has already been built");
    }
    if (this.#sources.length === 0) {
      this.#app.Install({
        Name: "i18n",
        Install: (host) => host.Check("translations", () => this.#start(host), "start"),
      });
    }
    this.#sources.push(source);
    return this;
  }

  async #start({ App }: Host): Promise<void> {
    // With `Development`, changed files are loaded again.
    if (App.Configuration().Development) this.#seen = await this.#look();
    await this.#load();
    for (const path of this.#catalog?.ignored ?? []) {
      App.Logger().Warn(`The translations in "${path}" are not used: its path contains no language`);
    }
  }

  #built(act: string): Catalog {
    if (this.#catalog !== undefined) return this.#catalog;
    throw new FrameworkError("FW_STATE", `Cannot ${act}: the application has not been built`);
  }
}
