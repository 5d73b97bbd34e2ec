/**
 * A view engine for Nunjucks, a template language similar to Django's and Jinja's.
 *
 * Templates can extend and include one another by name, or by a path relative to their own, such as `../footer.html`.
 * The engine's layout shows its view with `{{ body }}`. Added functions are available as globals, as in
 * `{{ upper(Name) }}`, and as filters, as in `{{ Name | upper }}`. `urlpath`, `url` and `tr` are globals.
 *
 * @example A page that extends another
 * ```ts
 * import { Nunjucks } from "@fw/web/view/nunjucks";
 *
 * const engine = Nunjucks("").ParseTemplate("main.html", "<main>{% block page %}{% endblock %}</main>")
 *   .ParseTemplate("hello.html", '{% extends "main" %}{% block page %}Hello, {{ Name }}{% endblock %}');
 * engine.Render("hello", { Name: "Ann & Bob" }); // → "<main>Hello, Ann &amp; Bob</main>"
 * ```
 *
 * @module
 */

import library from "npm:nunjucks@^3.2/browser/nunjucks.js";
import type { PathValue } from "../../text/path_value.ts";
import type { TemplateSource } from "../template_files.ts";
import {
  FileEngine,
  type Language,
  linksFor,
  type Rendering,
  templateFailure,
  type TemplateSet,
} from "./file_engine.ts";

/**
 * Creates an engine for Nunjucks views.
 *
 * @param directory A path or a `file:` URL. Use an empty string if all templates are added with `ParseTemplate`.
 * @param extension The file extension. Defaults to `.html`.
 * @returns The engine, to be passed to `RegisterView`.
 */
export function Nunjucks(directory: string | URL, extension = ".html"): FileEngine {
  return new FileEngine(directory, extension, (templates) => new NunjucksLanguage(templates));
}

/** The parts of the library that are used here. The library has no types. */
interface Environment {
  addGlobal(name: string, value: unknown): this;
  addFilter(name: string, filter: unknown): this;
  getTemplate(name: string, eagerCompile: boolean): unknown;
  render(name: string, context: object): string;
}

class NunjucksLanguage implements Language {
  readonly #templates: TemplateSet;
  #environment: Environment;
  /** The sources that the environment has compiled. If one of them changes, a new environment is created. */
  #sources: readonly TemplateSource[] = [];

  constructor(templates: TemplateSet) {
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
      ...body !== undefined && { body: new library.runtime.SafeString(body) },
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
    const environment: Environment = new library.Environment(loader, { autoescape: true, throwOnUndefined: false });
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
