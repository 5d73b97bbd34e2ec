/**
 * The common part of engines whose templates are files: settings, layouts and reading.
 *
 * @module
 */

import { FrameworkError } from "../../base/errors.ts";
import { type Engine, type Links, NoLayout, type RenderOptions, type ViewFunc } from "../engine.ts";
import { TemplateFiles, type TemplateKind, type TemplateSource } from "../template_files.ts";

/** The templates of an engine and the functions that they can call. */
export interface TemplateSet {
  readonly functions: ReadonlyMap<string, ViewFunc>;
  /** Returns the template of a name. */
  find(name: string, kind?: TemplateKind): TemplateSource;
  /** All templates. */
  all(): Iterable<TemplateSource>;
}

/** One rendering: the data, and what the request offers to templates. */
export interface Rendering {
  readonly data: Readonly<Record<string, unknown>>;
  readonly links: Links | undefined;
  /** The view inside of a layout; `undefined` for the view itself. */
  readonly body: string | undefined;
}

/** A template language. */
export interface Language {
  /** Compiles a template, so that a broken one fails the start. */
  check(template: TemplateSource): void;
  /** Renders a template. */
  render(template: TemplateSource, rendering: Rendering): string;
}

/** An engine for the templates of a folder, in one template language. */
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
   * Created by the function of each entry.
   *
   * @ignore
   */
  constructor(directory: string | URL, extension: string, open: (templates: TemplateSet) => Language) {
    this.#directory = directory;
    this.#extension = extension.startsWith(".") ? extension : `.${extension}`;
    this.#open = open;
  }

  /**
   * Chooses the layout for all views that choose no other.
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
   * @param name The name in templates.
   * @param fn The function; its result is escaped like any value.
   * @returns The engine itself.
   */
  AddFunc(name: string, fn: ViewFunc): this {
    this.#assertUnloaded(`add function "${name}"`);
    this.#functions.set(name, fn);
    return this;
  }

  /**
   * Adds a template that is a string instead of a file.
   *
   * @param name The name of the template.
   * @param text The template.
   * @param functions Functions for the templates of the engine, by name.
   * @returns The engine itself.
   */
  ParseTemplate(name: string, text: string, functions: Readonly<Record<string, ViewFunc>> = {}): this {
    this.#assertUnloaded(`add template "${name}"`);
    for (const [each, fn] of Object.entries(functions)) this.AddFunc(each, fn);
    this.#parsed.set(name, text);
    return this;
  }

  /**
   * Reads the files again before every rendering, for development.
   *
   * @param on Whether to do so.
   * @returns The engine itself.
   */
  Reload(on = true): this {
    this.#reload = on;
    return this;
  }

  /** Reads and compiles all templates. */
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
   * Renders a view within its layout.
   *
   * @param name The path below the folder, with or without the extension.
   * @param data The data of the template.
   * @param options The layout, and the functions of the request.
   * @returns The HTML.
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

/** Describes an error of a template, with its file. */
export function templateFailure(template: TemplateSource, act: string, cause: unknown): FrameworkError {
  const reason = cause instanceof Error ? cause.message : String(cause);
  return new FrameworkError("FW_VIEW", `Cannot ${act} template "${template.file}": ${reason}`, { cause });
}

/** Returns the function of a request that builds URLs or translates, or throws outside of one. */
export function linksFor(links: Links | undefined, name: string): Links {
  if (links !== undefined) return links;
  throw new FrameworkError("FW_VIEW", `Cannot use "${name}": the view is not rendered for a request`);
}
