/**
 * The base class of engines that use template files. It handles settings, layouts and loading.
 *
 * @module
 */

import { FrameworkError } from "../../../base/errors/errors.ts";
import { messageOf } from "../../../base/errors/to_error.ts";
import { type Engine, type Links, NoLayout, type RenderOptions, type ViewFunc } from "../../engine/engine.ts";
import { TemplateFiles, type TemplateKind, type TemplateSource } from "../template_files.ts";

/** An engine's templates and the functions that they can call. */
export interface TemplateSet {
  readonly functions: ReadonlyMap<string, ViewFunc>;
  /** Finds a template by name. */
  find(name: string, kind?: TemplateKind): TemplateSource;
  /** Returns all templates. */
  all(): Iterable<TemplateSource>;
}

/** The data and the request's functions for a rendering. */
export interface Rendering {
  readonly data: Readonly<Record<string, unknown>>;
  readonly links: Links | undefined;
  /** The rendered view if this is a layout, or `undefined` if this is the view itself. */
  readonly body: string | undefined;
}

/** A template language. */
export interface Language {
  /** Compiles a template, so that an invalid template fails at start-up. */
  check(template: TemplateSource): void;
  /** Renders a template. */
  render(template: TemplateSource, rendering: Rendering): string;
}

/** An engine for a folder of templates in one template language. */
export class FileEngine implements Engine {
  readonly #directory: string | URL;
  readonly #extension: string;
  readonly #open: (templates: TemplateSet) => Language;
  readonly #functions = new Map<string, ViewFunc>();
  readonly #parsed = new Map<string, string>();
  #layout = "";
  #reload = false;
  #files: TemplateFiles | undefined = undefined;
  #language: Language | undefined = undefined;

  /**
   * Creates an engine. Called by the engine functions, such as `Handlebars`.
   *
   * @ignore
   */
  constructor(directory: string | URL, extension: string, open: (templates: TemplateSet) => Language) {
    this.#directory = directory;
    this.#extension = extension.startsWith(".") ? extension : `.${extension}`;
    this.#open = open;
  }

  /**
   * Sets the default layout for all views.
   *
   * @param name The layout's name.
   * @returns The engine itself.
   */
  Layout(name: string): this {
    this.#layout = name;
    return this;
  }

  /**
   * Adds a function that templates can call.
   *
   * @param name The function's name in templates.
   * @param fn The function to add. Its result is escaped like any value.
   * @returns The engine itself.
   */
  AddFunc(name: string, fn: ViewFunc): this {
    this.#assertUnloaded(`add function "${name}"`);
    this.#functions.set(name, fn);
    return this;
  }

  /**
   * Reports whether the engine has a function.
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
   * @param name The template's name.
   * @param text The template's source.
   * @param functions Functions for the engine's templates, by name.
   * @returns The engine itself.
   */
  ParseTemplate(name: string, text: string, functions: Readonly<Record<string, ViewFunc>> = {}): this {
    this.#assertUnloaded(`add template "${name}"`);
    for (const [each, fn] of Object.entries(functions)) this.AddFunc(each, fn);
    this.#parsed.set(name, text);
    return this;
  }

  /**
   * Sets whether to read the files again before every rendering, for development.
   *
   * @param on Whether to read the files again. Defaults to `true`.
   * @returns The engine itself.
   */
  Reload(on = true): this {
    this.#reload = on;
    return this;
  }

  /** Loads and compiles all templates. */
  Load(): void {
    const files = this.#files ??= new TemplateFiles(this.#directory, [this.#extension], this.#parsed);
    files.read();
    const set: TemplateSet = {
      functions: this.#functions,
      find: (name, kind) => files.find(name, kind),
      all: () => files.all(),
    };
    const language = this.#language = this.#open(set);
    if (!this.#reload) { for (const template of files.all()) language.check(template); }
  }

  /**
   * Renders a view in its layout.
   *
   * @param name The path relative to the folder, with or without the extension.
   * @param data The data for the template.
   * @param options The layout and the request's functions.
   * @returns The rendered HTML.
   */
  Render(name: string, data: unknown, options: RenderOptions = {}): string {
    if (this.#language === undefined) this.Load();
    else if (this.#reload) this.#files?.read();
    const { Links: links } = options;
    const values = (data ?? {}) as Record<string, unknown>;
    const body = this.#render(name, "template", { data: values, links, body: undefined });
    const layout = options.Layout || (options.DefaultLayout ?? this.#layout);
    return layout === "" || layout === NoLayout ? body : this.#render(layout, "layout", { data: values, links, body });
  }

  #render(name: string, kind: TemplateKind, rendering: Rendering): string {
    const [files, language] = [this.#files, this.#language];
    if (files === undefined || language === undefined) {
      throw new FrameworkError("FW_VIEW", `Cannot render "${name}": no templates are loaded`);
    }
    return language.render(files.find(name, kind), rendering);
  }

  #assertUnloaded(act: string): void {
    if (this.#language === undefined) return;
    throw new FrameworkError("FW_STATE", `Cannot ${act} of the views: the templates are already loaded`);
  }
}

/** The maximum length of the reason in an error message. */
const longestReason = 1000;

/** Creates the error for a failed template, with its file name. */
export function templateFailure(template: TemplateSource, act: string, cause: unknown): FrameworkError {
  // Templates that include each other recursively cause messages of several megabytes.
  const reason = messageOf(cause).slice(0, longestReason);
  return new FrameworkError("FW_VIEW", `Cannot ${act} template "${template.file}": ${reason}`, { cause });
}

/** Returns the request's functions for URLs and translations. Throws outside a request. */
export function linksFor(links: Links | undefined, name: string): Links {
  if (links !== undefined) return links;
  throw new FrameworkError("FW_VIEW", `Cannot use "${name}": the view is not rendered for a request`);
}
