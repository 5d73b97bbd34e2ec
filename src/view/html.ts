/**
 * The default template engine: HTML files with tags of JavaScript, escaped unless they say otherwise.
 *
 * @module
 */

import { FrameworkError } from "../base/errors.ts";
import { type Engine, NoLayout, type RenderOptions, type ViewFunc } from "./engine.ts";
import { type OpenTemplates, reservedNames, type Templates } from "./template_parts.ts";

let openTemplates: OpenTemplates | undefined;

/**
 * Gives the engines what reads and compiles templates, so that they need not load it themselves.
 *
 * @param open What the module `open_templates.ts` has.
 */
export function provideTemplates(open: OpenTemplates): void {
  openTemplates = open;
}

/**
 * Creates the default engine for the templates of a directory.
 *
 * @example A page, its layout and a function
 * ```ts
 * import { HTML } from "@fw/web/view";
 *
 * const views = await Deno.makeTempDir();
 * await Deno.writeTextFile(`${views}/main.html`, "<title><%= it.Title %></title><%~ body %>");
 * await Deno.writeTextFile(`${views}/hello.html`, "<h1><%= upper(it.Name) %></h1>");
 *
 * const engine = HTML(views).Layout("main").AddFunc("upper", (text: string) => text.toUpperCase());
 * engine.Render("hello", { Title: "Hi", Name: "Ann & Bob" }); // → "<title>Hi</title><h1>ANN &amp; BOB</h1>"
 * await Deno.remove(views, { recursive: true });
 * ```
 *
 * @param directory A path, or a `file:` URL such as `new URL("./views/", import.meta.url)`, which also works inside
 * a compiled program. An empty string is for an engine whose templates are all given to `ParseTemplate`.
 * @param extension How the names of the templates end.
 * @returns The engine, to be configured and given to `RegisterView`.
 */
export function HTML(directory: string | URL, extension = ".html"): HTMLEngine {
  return new HTMLEngine(directory, extension);
}

/** The language of templates around the tags, if it is not HTML. */
export interface SourceLanguage {
  /** Further endings of template files. */
  readonly alsoReads?: readonly string[];
  /** Turns the source of a template into HTML that has the same tags. */
  readonly translate?: (name: string, source: string, delimiters: readonly [string, string]) => string;
}

/** The default engine, created by {@linkcode HTML}. Everything is set before the templates are loaded. */
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
   * Creates an engine; {@linkcode HTML} is the shorter way.
   *
   * @param directory A path or a `file:` URL.
   * @param extension How the names of the templates end.
   * @param language Another language around the tags than HTML.
   */
  constructor(directory: string | URL, extension: string, language: SourceLanguage = {}) {
    assertFile(directory);
    this.#source = language;
    this.#directory = directory;
    this.#extension = extension.startsWith(".") ? extension : `.${extension}`;
  }

  /**
   * Puts a layout around every view that asks for no other.
   *
   * @param name The layout's name.
   * @returns The engine itself.
   */
  Layout(name: string): this {
    this.#expectUnloaded("set the layout");
    this.#layout = name === NoLayout ? "" : name;
    return this;
  }

  /**
   * Makes a function known to the templates: `<%= upper(it.Name) %>`. What it returns is escaped as any value.
   *
   * @param name The name in templates.
   * @param fn The function; it must return a value, not a promise.
   * @returns The engine itself.
   */
  AddFunc(name: string, fn: ViewFunc): this {
    this.#expectUnloaded(`add function "${name}"`);
    if (!isIdentifier(name)) {
      throw new FrameworkError("FW_VIEW", `Cannot add function "${name}": it is not a name in JavaScript`);
    }
    if (name === "it" || name === "__view" || reservedNames.has(name)) {
      throw new FrameworkError("FW_VIEW", `Cannot add function "${name}": templates already know that name`);
    }
    this.#functions.set(name, fn);
    return this;
  }

  /**
   * Adds a template that is a string instead of a file.
   *
   * @param name The name of the template; a file of the same name is hidden by it.
   * @param text The template.
   * @param functions Functions for the templates of the engine, by name.
   * @returns The engine itself.
   *
   * @example
   * ```ts
   * import { HTML } from "@fw/web/view";
   *
   * const engine = HTML("").ParseTemplate("hello.html", "<p>Hello, <%= it.Name %></p>");
   * engine.Render("hello", { Name: "Ann" }); // → "<p>Hello, Ann</p>"
   * ```
   */
  ParseTemplate(name: string, text: string, functions: Readonly<Record<string, ViewFunc>> = {}): this {
    this.#expectUnloaded(`add template "${name}"`);
    for (const [each, fn] of Object.entries(functions)) this.AddFunc(each, fn);
    this.#parsed.set(name, text);
    return this;
  }

  /**
   * Looks at the files again before every rendering, so that a change is seen at the next request, and a broken
   * template fails only the pages that use it. For development, where `fw.WithDevelopment` calls it: every rendering
   * then reads the directory.
   *
   * @param on Whether to do so.
   * @returns The engine itself.
   */
  Reload(on = true): this {
    this.#reload = on;
    return this;
  }

  /**
   * Changes what tags begin and end with.
   *
   * @param left What a tag begins with, at first `<%`.
   * @param right What a tag ends with, at first `%>`.
   * @returns The engine itself.
   */
  Delims(left: string, right: string): this {
    this.#expectUnloaded("set the delimiters");
    if (left === "" || right === "") {
      throw new FrameworkError("FW_VIEW", `Cannot set the delimiters "${left}" and "${right}": one is empty`);
    }
    this.#delimiters = [left, right];
    return this;
  }

  /**
   * Reads and compiles all templates; a broken one is an error with its file, line and text.
   *
   * @returns A promise the first time, while the parser of templates is loaded; nothing where `@fw/web/view` is
   * imported, which brings it along.
   */
  Load(): void | Promise<void> {
    if (this.#templates !== undefined) return;
    if (openTemplates !== undefined) return this.#open(openTemplates);
    return import("./open_templates.ts").then((room) => {
      openTemplates ??= room.openTemplates;
      this.Load();
    });
  }

  /**
   * Renders a view within its layout.
   *
   * @param name The path below the directory, with or without the extension.
   * @param data What the templates call `it`.
   * @param options The layout that the handler asks for.
   * @returns The text; a promise of it only where the templates still have to be loaded as {@linkcode Load} does it.
   */
  Render(name: string, data?: unknown, options: RenderOptions = {}): string | Promise<string> {
    if (this.#templates === undefined) {
      const loading = this.Load();
      if (loading !== undefined) return loading.then(() => this.#render(name, data, options));
    }
    return this.#render(name, data, options);
  }

  #render(name: string, data: unknown, options: RenderOptions): string {
    const templates = this.#templates;
    if (templates === undefined) throw new FrameworkError("FW_VIEW", `Cannot render "${name}": nothing is loaded`);
    if (this.#reload) templates.read();
    const asked = options.Layout ?? "";
    const forced = asked !== "";
    const usual = options.DefaultLayout ?? this.#layout;
    const layout = asked === NoLayout ? "" : forced ? asked : usual === NoLayout ? "" : usual;
    return templates.render(name, data ?? {}, { layout, forced }, options.Links);
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
  const url = new URL(directory);
  if (url.protocol === "file:") return;
  throw new FrameworkError("FW_VIEW", `Cannot read views of "${url.href}": it is not a file URL`);
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
