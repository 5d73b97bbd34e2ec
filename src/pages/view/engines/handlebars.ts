/**
 * A view engine for Handlebars templates.
 *
 * Every file is both a template and a partial. A layout renders its view with `{{{body}}}` or `{{yield}}`. Added
 * functions are available as helpers, as are `urlpath`, `url`, `tr` and `render`, which renders another template with
 * the same data.
 *
 * @example A page in its layout
 * ```ts
 * import Handlebars from "npm:handlebars@^4.7";
 * import * as handlebars from "@fw/web/view/handlebars";
 *
 * const engine = handlebars.New(Handlebars, "").ParseTemplate("main.html", "<main>{{yield}}</main>")
 *   .ParseTemplate("hello.html", "<h1>Hello, {{upper Name}}</h1>", { upper: (text: string) => text.toUpperCase() })
 *   .Layout("main");
 * engine.Render("hello", { Name: "Ann & Bob" }); // → "<main><h1>Hello, ANN &amp; BOB</h1></main>"
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

/**
 * The default export of `npm:handlebars`. `create` is used, and of its result the other members.
 */
export interface HandlebarsLibrary {
  /** Creates an isolated environment. */
  create(): unknown;
  /** Compiles a template into a function. */
  compile(...args: never[]): unknown;
  /** Compiles a template into code, which reports syntax errors. */
  precompile(...args: never[]): unknown;
  /** Adds a function that templates can call. */
  registerHelper(...args: never[]): unknown;
  /** Text that is not escaped. */
  readonly SafeString: new (...args: never[]) => unknown;
}

/**
 * Creates an engine for Handlebars views.
 *
 * @param library The library, imported from `npm:handlebars`.
 * @param directory A path or a `file:` URL. Use an empty string if all templates are added with `ParseTemplate`.
 * @param extension The file extension. Defaults to `.html`.
 * @returns The engine, to be passed to `RegisterView`.
 * @throws {FrameworkError} If the library lacks a method.
 */
export function New(library: HandlebarsLibrary, directory: string | URL, extension = ".html"): FileEngine {
  checkDriver(library, {
    owner: "the Handlebars engine",
    noun: "library",
    methods: ["create", "compile", "precompile", "registerHelper", "SafeString"],
    line: '`import Handlebars from "npm:handlebars@^4.7"`',
  });
  return new FileEngine(directory, extension, (templates) => new HandlebarsLanguage(library, templates));
}

type Compiled = (data: unknown, options: object) => string;

/** The members of an environment, as they are used here. */
interface Environment {
  log: () => void;
  readonly SafeString: new (text: string) => unknown;
  compile(source: string, options: object): Compiled;
  precompile(source: string): unknown;
  registerHelper(name: string, fn: (...args: never[]) => unknown): void;
}

/** The last argument of a helper. It contains the values of the current rendering. */
interface HelperOptions {
  readonly data: { readonly root: unknown; readonly rendering: Rendering };
}

class HandlebarsLanguage implements Language {
  readonly #library: Environment;
  readonly #templates: TemplateSet;
  readonly #compiled = new WeakMap<TemplateSource, Compiled>();

  constructor(library: HandlebarsLibrary, templates: TemplateSet) {
    this.#library = library.create() as Environment;
    this.#templates = templates;
    // Disables the library's console warnings about prototype properties, which are always rejected.
    this.#library.log = () => {};
    for (const [name, fn] of Object.entries(this.#helpers())) this.#library.registerHelper(name, fn);
    for (const [name, fn] of templates.functions) {
      // Handlebars passes its options object as the last argument of a helper.
      this.#library.registerHelper(
        name,
        (...args: unknown[]) => (fn as (...args: unknown[]) => unknown)(...args.slice(0, -1)),
      );
    }
  }

  check(template: TemplateSource): void {
    try {
      this.#library.precompile(template.source);
    } catch (error) {
      throw templateFailure(template, "compile", error);
    }
  }

  render(template: TemplateSource, rendering: Rendering): string {
    const data = rendering.body === undefined ? rendering.data : { ...rendering.data, body: rendering.body };
    return this.#run(template, data, rendering);
  }

  #run(template: TemplateSource, data: unknown, rendering: Rendering): string {
    try {
      return this.#compile(template)(data, { data: { rendering }, partials: this.#partials(rendering) });
    } catch (error) {
      throw templateFailure(template, "render", error);
    }
  }

  #compile(template: TemplateSource): Compiled {
    let compiled = this.#compiled.get(template);
    if (compiled === undefined) {
      this.#compiled.set(template, compiled = this.#library.compile(template.source, { strict: false }));
    }
    return compiled;
  }

  /** Returns all templates as partials, under their names with and without the extension. */
  #partials(_rendering: Rendering): Record<string, Compiled> {
    const partials: Record<string, Compiled> = Object.create(null);
    for (const template of this.#templates.all()) {
      partials[template.name] = partials[template.name.replace(/\.\w+$/, "")] = this.#compile(template);
    }
    return partials;
  }

  #helpers(): Record<string, (...args: never[]) => unknown> {
    const templates = this.#templates;
    const run = (name: string, data: unknown, rendering: Rendering) =>
      new this.#library.SafeString(this.#run(templates.find(name, "partial"), data, rendering));
    const { SafeString } = this.#library;
    return {
      // The data can be passed as in the Go framework: `{{yield .}}`, `{{render "footer" .}}`.
      yield: (...args: unknown[]) => new SafeString(split(args)[1].data.rendering.body ?? ""),
      render: (name: string, ...rest: unknown[]) => {
        const [[own], { data }] = split(rest);
        return run(name, own ?? data.root, data.rendering);
      },
      urlpath: (name: string, ...rest: unknown[]) => {
        const [values, { data }] = split(rest);
        return linksFor(data.rendering.links, name).URLPath(name, ...values as PathValue[]);
      },
      url: (name: string, ...rest: unknown[]) => {
        const [values, { data }] = split(rest);
        return linksFor(data.rendering.links, name).URL(name, ...values as PathValue[]);
      },
      tr: (key: string, ...rest: unknown[]) => {
        const [values, { data }] = split(rest);
        return linksFor(data.rendering.links, key).Tr(key, ...values);
      },
    };
  }
}

function split(args: readonly unknown[]): [values: unknown[], options: HelperOptions] {
  return [args.slice(0, -1), args.at(-1) as HelperOptions];
}
