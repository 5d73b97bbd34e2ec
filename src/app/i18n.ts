/**
 * Translations of an application: `app.I18n`.
 *
 * Only the settings are here; everything else is loaded when the application is built with translations.
 *
 * @module
 */

import { FrameworkError } from "../base/errors.ts";
import type { Context } from "../context/context.ts";
import { translate } from "../context/language.ts";
import type { Catalog, MessageSource } from "../i18n/catalog.ts";
import type { MessageFunc } from "../i18n/formats.ts";
import type { Messages } from "../i18n/locale.ts";

/**
 * The translations of an application and the settings that say which language a request is in.
 *
 * @example A greeting in two languages
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
   * The name of the query parameter that selects the language. An empty string turns it off.
   *
   * @default {"lang"}
   */
  URLParameter = "lang";
  /**
   * The name of the cookie that selects the language. An empty string turns it off.
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
   * Whether a first path segment that is a language, as in `/el/users` and `/zh-Hant-TW/users`, is cut off before
   * routing and selects the language. Routes, guards and logs see the path without it.
   *
   * @default {true}
   */
  PathRedirect = true;
  /**
   * Whether a missing key is an empty string instead of the translation of the default language.
   *
   * @default {false}
   */
  Strict = false;
  /** Selects the language of a request before the other settings do. An empty string leaves it to them. */
  ExtractFunc: ((ctx: Context) => string) | undefined = undefined;
  /** Returns the text for a key that is missing in the language of the request. */
  DefaultMessageFunc: ((input: string, matched: string, key: string, ...args: unknown[]) => string) | undefined =
    undefined;
  /** Returns the functions that translations of a language can call between `{{` and `}}`. */
  Funcs: ((language: string) => Readonly<Record<string, MessageFunc>>) | undefined = undefined;
  readonly #sources: MessageSource[] = [];
  #catalog: Catalog | undefined = undefined;

  /**
   * Loads translations from files when the application is built. The language is the last part of a path that names
   * one: `el-GR/user.yml` or `texts_el-GR.json`. Files can be JSON, YAML, TOML or INI.
   *
   * @param folder A path or a `file:` URL such as `new URL("./locales/", import.meta.url)`.
   * @param tags The languages; the first one is the default. If omitted, all languages found are used.
   * @returns The translations themselves.
   */
  Load(folder: string | URL, ...tags: string[]): this {
    return this.#add({ folder, tags });
  }

  /**
   * Loads translations from an object when the application is built.
   *
   * @param messages The translations by language.
   * @param tags The languages; the first one is the default. If omitted, all languages of the object are used.
   * @returns The translations themselves.
   */
  LoadKV(messages: Readonly<Record<string, Messages>>, ...tags: string[]): this {
    return this.#add({ messages, tags });
  }

  /**
   * Reports whether translations were registered.
   *
   * @returns Whether `Load` or `LoadKV` was called.
   */
  Loaded(): boolean {
    return this.#sources.length > 0;
  }

  /**
   * Lists the languages, the default first.
   *
   * @returns The tags; empty before the application is built.
   */
  Tags(): readonly string[] {
    return this.#catalog?.tags ?? [];
  }

  /**
   * Translates a key outside of a request.
   *
   * @param language The language; if it is not supported, the default language is used.
   * @param key The key.
   * @param args The values for printf verbs, or one object of named values.
   * @returns The translation.
   * @throws {FrameworkError} If the application is not built yet.
   */
  Tr(language: string, key: string, ...args: unknown[]): string {
    const catalog = this.#built(`translate "${key}"`);
    const locale = catalog.find(language) ?? catalog.locales[0];
    return locale === undefined ? "" : translate({ catalog, settings: this }, { input: language, locale }, key, args);
  }

  /**
   * Loads everything; called when the application is built.
   *
   * @ignore
   */
  async load(): Promise<Catalog> {
    const { loadCatalog } = await import("../i18n/catalog.ts");
    return this.#catalog = await loadCatalog(this.#sources, this.Funcs ?? (() => ({})));
  }

  #add(source: MessageSource): this {
    if (this.#catalog !== undefined) {
      throw new FrameworkError("FW_STATE", "Cannot load translations: the application is already built");
    }
    this.#sources.push(source);
    return this;
  }

  #built(act: string): Catalog {
    if (this.#catalog !== undefined) return this.#catalog;
    throw new FrameworkError("FW_STATE", `Cannot ${act}: the application is not built`);
  }
}
