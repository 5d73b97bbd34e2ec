/**
 * A view engine for Nunjucks, a template language similar to Django's and Jinja's.
 *
 * Templates can extend and include one another by name, or by a path relative to their own, such as `../footer.html`.
 * The engine's layout shows its view with `{{ body }}`. Added functions are available as globals, as in
 * `{{ upper(Name) }}`, and as filters, as in `{{ Name | upper }}`. `urlpath`, `url` and `tr` are globals.
 *
 * @example A page that extends another
 * ```ts
 * import library from "npm:nunjucks@^3.2";
 * import * as nunjucks from "@fw/web/view/nunjucks";
 *
 * const engine = nunjucks.New(library, "").ParseTemplate("main.html", "<main>{% block page %}{% endblock %}</main>")
 *   .ParseTemplate("hello.html", '{% extends "main" %}{% block page %}Hello, {{ Name }}{% endblock %}');
 * engine.Render("hello", { Name: "Ann & Bob" }); // → "<main>Hello, Ann &amp; Bob</main>"
 * ```
 *
 * @module
 */

import { checkDriver } from "../../../base/config/check_driver.ts";
import type { PathValue } from "../../../base/text/path_value.ts";
import type { TemplateSource } from "../template_files.ts";
import {
  FileEngine,
  type Language,
  linksFor,
  type Rendering,
  templateFailure,
  type TemplateSet,
} from "./file_engine.ts";

/** The default export of `npm:nunjucks`, with the members that are used. */
export interface NunjucksLibrary {
  /** The class of environments. */
  readonly Environment: new (...args: never[]) => unknown;
  /** The functions that compiled templates call. */
  readonly runtime: {
    /** The class of text that is not escaped. */
    readonly SafeString: new (...args: never[]) => unknown;
  };
}

/**
 * Creates an engine for Nunjucks views.
 *
 * @param library The library, imported from `npm:nunjucks`.
 * @param directory A path or a `file:` URL. Use an empty string if all templates are added with `ParseTemplate`.
 * @param extension The file extension. Defaults to `.html`.
 * @returns The engine, to be passed to `RegisterView`.
 * @throws {FrameworkError} If the library lacks a class.
 */
export function New(library: NunjucksLibrary, directory: string | URL, extension = ".html"): FileEngine {
  checkDriver(library, {
    owner: "the Nunjucks engine",
    noun: "library",
    methods: ["Environment", "runtime.SafeString"],
    line: '`import nunjucks from "npm:nunjucks@^3.2"`',
  });
  return new FileEngine(directory, extension, (templates) => new NunjucksLanguage(library as Members, templates));
}

/** The members of the library, as they are used here. */
interface Members {
  readonly Environment: new (loader: object, options: object) => Environment;
  readonly runtime: { readonly SafeString: new (text: string) => unknown };
}

/** An environment, as it is used here. */
interface Environment {
  addGlobal(name: string, value: unknown): this;
  addFilter(name: string, filter: unknown): this;
  getTemplate(name: string, eagerCompile: boolean): unknown;
  render(name: string, context: object): string;
}

class NunjucksLanguage implements Language {
  readonly #library: Members;
  readonly #templates: TemplateSet;
  #environment: Environment;
  /** The sources that the environment has compiled. If one of them changes, a new environment is created. */
  #sources: readonly TemplateSource[] = [];

  constructor(library: Members, templates: TemplateSet) {
    this.#library = library;
    this.#templates = templates;
    this.#environment = this.#create();
  }

  check(template: TemplateSource): void {
    try {
      this.#current().getTemplate(template.name, true);
    } catch (error) {
      throw templateFailure(template, "compile", error);
    }
  }

  render(template: TemplateSource, { data, links, body }: Rendering): string {
    const context = {
      ...data,
      ...body !== undefined && { body: new this.#library.runtime.SafeString(body) },
      urlpath: (name: string, ...values: PathValue[]) => linksFor(links, name).URLPath(name, ...values),
      url: (name: string, ...values: PathValue[]) => linksFor(links, name).URL(name, ...values),
      tr: (key: string, ...args: unknown[]) => linksFor(links, key).Tr(key, ...args),
    };
    try {
      return this.#current().render(template.name, context);
    } catch (error) {
      throw templateFailure(template, "render", error);
    }
  }

  /**
   * Returns the environment for the current sources. The library caches compiled templates by name, so a changed file
   * requires a new environment.
   */
  #current(): Environment {
    const sources = [...this.#templates.all()];
    if (sources.length !== this.#sources.length || sources.some((source, at) => source !== this.#sources[at])) {
      this.#environment = this.#create();
      this.#sources = sources;
    }
    return this.#environment;
  }

  #create(): Environment {
    const templates = this.#templates;
    const loader = {
      getSource(name: string) {
        const { source, name: path } = templates.find(name, "partial");
        return { src: source, path, noCache: false };
      },
      isRelative: (name: string) => /^\.\.?\//.test(name),
      resolve: (from: string, to: string) => resolveName(templates.find(from, "partial").name, to),
    };
    const environment = new this.#library.Environment(loader, { autoescape: true, throwOnUndefined: false });
    for (const [name, fn] of templates.functions) environment.addGlobal(name, fn).addFilter(name, fn);
    return environment;
  }
}

/**
 * Resolves a path relative to a template. A path that leads out of the folder is not changed, and the template is not
 * found.
 */
function resolveName(from: string, to: string): string {
  const parts = from.split("/").slice(0, -1);
  for (const part of to.split("/")) {
    if (part === "..") {
      if (parts.pop() === undefined) return to;
    } else if (part !== ".") parts.push(part);
  }
  return parts.join("/");
}
