/**
 * The default template engine. It uses HTML files with JavaScript tags, and values are escaped by default.
 *
 * @module
 */

import { record } from "../../../base/config/option_kinds.ts";
import { checkArgument, checkText } from "../../../base/config/option_table.ts";
import { assertFunction } from "../../../base/config/returned.ts";
import { loadModule } from "../../../base/async/lazy_module.ts";
import { FrameworkError } from "../../../base/errors/errors.ts";
import { type Engine, NoLayout, type RenderOptions, type ViewFunc } from "../engine.ts";
import {
  type OpenTemplates,
  openTemplates,
  provideTemplates,
  reservedNames,
  type SourceLanguage,
  type Templates,
} from "../template_parts.ts";

/**
 * Creates the default engine for the templates in a directory.
 *
 * @example A page with a layout and a function
 * ```ts
 * import * as fw from "@fw/web";
 *
 * const views = await Deno.makeTempDir();
 * await Deno.writeTextFile(`${views}/main.html`, "<title><%= it.Title %></title><%~ body %>");
 * await Deno.writeTextFile(`${views}/hello.html`, "<h1><%= upper(it.Name) %></h1>");
 *
 * const engine = fw.HTML(views).Layout("main").AddFunc("upper", (text: string) => text.toUpperCase());
 * await engine.Render("hello", { Title: "Hi", Name: "Ann & Bob" }); // → "<title>Hi</title><h1>ANN &amp; BOB</h1>"
 * await Deno.remove(views, { recursive: true });
 * ```
 *
 * @param directory A path, or a `file:` URL such as `new URL("./views/", import.meta.url)`, which also works in a
 * compiled program. Pass an empty string if all templates are added with `ParseTemplate`.
 * @param extension The template file extension. Defaults to `.html`.
 * @returns The engine, to be configured and passed to `RegisterView`.
 */
export function HTML(directory: string | URL, extension = ".html"): HTMLEngine {
  return new HTMLEngine(directory, extension);
}

/** The default engine, created by {@linkcode HTML}. Configure it before the templates are loaded. */
export class HTMLEngine implements Engine {
  readonly #directory: string | URL;
  readonly #extension: string;
  readonly #source: SourceLanguage;
  readonly #functions = new Map<string, ViewFunc>();
  readonly #parsed = new Map<string, string>();
  #delimiters: readonly [string, string] = ["<%", "%>"];
  #layout = "";
  #reload = false;
  #templates: Templates | undefined = undefined;

  /**
   * Creates an engine. {@linkcode HTML} is a shorthand for it.
   *
   * @param directory A path or a `file:` URL.
   * @param extension The template file extension.
   * @param language The language of the text around the tags. Defaults to HTML.
   */
  constructor(directory: string | URL, extension: string, language: SourceLanguage = {}) {
    assertFile(directory);
    checkText(extension, "extension", "HTML");
    this.#source = language;
    this.#directory = directory;
    this.#extension = extension.startsWith(".") ? extension : `.${extension}`;
  }

  /**
   * Sets the default layout for all views.
   *
   * @param name The layout's name.
   * @returns The engine itself.
   */
  Layout(name: string): this {
    this.#expectUnloaded("set the layout");
    checkText(name, "name", "Layout");
    this.#layout = name === NoLayout ? "" : name;
    return this;
  }

  /**
   * Adds a function that templates can call: `<%= upper(it.Name) %>`. Its result is escaped like any value.
   *
   * @param name The function's name in templates.
   * @param fn The function to add. It must return a value rather than a promise.
   * @returns The engine itself.
   */
  AddFunc(name: string, fn: ViewFunc): this {
    this.#expectUnloaded(`add function "${String(name)}"`);
    const isTaken = name === "it" || name === "__view" || reservedNames.has(name);
    if (isTaken || typeof name !== "string" || !isIdentifier(name)) {
      const fault = isTaken ? "the name is already in use" : "it is not a valid JavaScript name";
      throw new FrameworkError("FW_VIEW", `Cannot add function "${String(name)}": ${fault}`);
    }
    assertFunction(fn, "a view function");
    this.#functions.set(name, fn);
    return this;
  }

  /**
   * Reports whether the engine has a function, not counting those that all templates have.
   *
   * @param name The function's name in templates.
   * @returns Whether the function was added.
   */
  HasFunc(name: string): boolean {
    return this.#functions.has(name);
  }

  /**
   * Adds a template from a string instead of a file.
   *
   * @param name The template's name. It takes precedence over a file with the same name.
   * @param text The template's source.
   * @param functions Functions for the engine's templates, by name.
   * @returns The engine itself.
   *
   * @example
   * ```ts
   * import * as fw from "@fw/web";
   *
   * const engine = fw.HTML("").ParseTemplate("hello.html", "<p>Hello, <%= it.Name %></p>");
   * await engine.Render("hello", { Name: "Ann" }); // → "<p>Hello, Ann</p>"
   * ```
   */
  ParseTemplate(name: string, text: string, functions: Readonly<Record<string, ViewFunc>> = {}): this {
    checkText(name, "name", "ParseTemplate");
    checkText(text, "text", "ParseTemplate");
    checkArgument(functions, record(), "functions", "ParseTemplate");
    this.#expectUnloaded(`add template "${name}"`);
    for (const [each, fn] of Object.entries(functions)) this.AddFunc(each, fn);
    this.#parsed.set(name, text);
    return this;
  }

  /**
   * Sets whether to check the files for changes before every rendering. Changes then take effect at the next request,
   * and an invalid template only fails the pages that use it. Every rendering reads the directory, so use this only for
   * development. `fw.WithDevelopment` turns it on.
   *
   * @param on Whether to check for changes. Defaults to `true`.
   * @returns The engine itself.
   */
  Reload(on = true): this {
    this.#reload = on;
    return this;
  }

  /**
   * Sets the tag delimiters.
   *
   * @param left The opening delimiter, `<%` by default.
   * @param right The closing delimiter, `%>` by default.
   * @returns The engine itself.
   */
  Delims(left: string, right: string): this {
    this.#expectUnloaded("set the delimiters");
    checkText(left, "left", "Delims");
    checkText(right, "right", "Delims");
    if (left === "" || right === "") {
      throw new FrameworkError("FW_VIEW", `Cannot set the delimiters "${left}" and "${right}": they must not be empty`);
    }
    this.#delimiters = [left, right];
    return this;
  }

  /**
   * Loads and compiles all templates.
   *
   * @returns A promise the first time, while the template parser is loaded. If `@fw/web/view` is imported, the parser
   * is already loaded and nothing is returned.
   * @throws {FrameworkError} If a template is invalid, with its file, line and an excerpt.
   */
  Load(): void | Promise<void> {
    if (this.#templates !== undefined) return;
    if (openTemplates !== undefined) return this.#open(openTemplates);
    return loadModule(() => import("../../view/open_templates.ts")).then((room) => {
      provideTemplates(room.openTemplates);
      this.Load();
    });
  }

  /**
   * Renders a view in its layout.
   *
   * @param name The path relative to the directory, with or without the extension.
   * @param data The data, available in templates as `it`.
   * @param options The layout chosen by the handler.
   * @returns The rendered text, or a promise if the templates still have to be loaded; see {@linkcode Load}.
   */
  Render(name: string, data?: unknown, options: RenderOptions = {}): string | Promise<string> {
    if (this.#templates === undefined) {
      const loading = this.Load();
      if (loading !== undefined) return loading.then(() => this.#render(name, data, options));
    }
    return this.#render(name, data, options);
  }

  #render(name: string, data: unknown, options: RenderOptions): string {
    const templates = this.#templates as Templates;
    if (this.#reload) templates.read();
    const asked = options.Layout ?? "";
    const forced = asked !== "";
    const layout = forced ? asked : options.DefaultLayout ?? this.#layout;
    return templates.render(name, data ?? {}, { layout: layout === NoLayout ? "" : layout, forced }, options.Links);
  }

  #open(open: OpenTemplates): void {
    const { translate } = this.#source;
    this.#templates = open({
      directory: this.#directory,
      extensions: [this.#extension, ...this.#source.alsoReads ?? []],
      parsed: this.#parsed,
      translate: translate && ((name, source) => translate(name, source, this.#delimiters)),
      delimiters: this.#delimiters,
      functions: this.#functions,
      layout: this.#layout,
      reload: this.#reload,
    });
  }

  #expectUnloaded(act: string): void {
    if (this.#templates !== undefined) {
      throw new FrameworkError("FW_STATE", `Cannot ${act} of the views: the templates are already loaded`);
    }
  }
}

function assertFile(directory: string | URL): void {
  if (typeof directory === "string" && !directory.startsWith("file:")) return;
  const isURL = directory instanceof URL || typeof directory === "string";
  if (isURL && URL.parse(directory)?.protocol === "file:") return;
  throw new FrameworkError("FW_VIEW", `Cannot read views from "${String(directory)}": it is not a path or a file URL`);
}

function isIdentifier(name: string): boolean {
  if (!/^[\p{ID_Start}$_][\p{ID_Continue}$]*$/u.test(name)) return false;
  try {
    new Function(`"use strict";var ${name}`);
    return true;
  } catch {
    return false;
  }
}
