/**
 * Opens a template directory. The default engine loads this module when the first view is rendered.
 *
 * @module
 */

import { FrameworkError } from "../../base/errors/errors.ts";
import { toError } from "../../base/errors/to_error.ts";
import { toJSON } from "../../base/text/json.ts";
import { NoLayout } from "../engine/engine.ts";
import type { Library, Template, TemplateOptions, Templates } from "../engine/template_parts.ts";
import { Compiler } from "./compile.ts";
import { renderTemplate } from "./frame.ts";
import { literalNames } from "./literal_names.ts";
import { compileFault } from "./template_error.ts";
import { TemplateFiles, type TemplateKind, type TemplateSource } from "./template_files.ts";

/** The templates that are read again when they change, for the development pages. */
export const reloaded: Set<CompiledLibrary> = new Set();

/** Templates that are compiled on first use. */
export class CompiledLibrary implements Library {
  readonly #files: TemplateFiles;
  readonly #compiler: Compiler;
  /** The compiled templates by source, so that only changed files are compiled again. */
  #compiled = new WeakMap<TemplateSource, Template>();

  constructor(files: TemplateFiles, compiler: Compiler) {
    this.#files = files;
    this.#compiler = compiler;
  }

  /** Compiles all templates, so that invalid and missing templates are reported before the first request. */
  compileAll(): void {
    for (const source of this.#files.all()) {
      const template = this.#compile(source);
      for (const { name, kind, line } of literalNames(template, this.#compiler.names)) {
        // A layout can be turned off by its name.
        if (name !== NoLayout && name !== "") this.#expect(name, kind, template, line);
      }
    }
  }

  /** Compiles each template that has changed. Returns all of them, with their errors. */
  check(): (TemplateSource & { readonly fault: Error | undefined })[] {
    this.#files.read();
    return [...this.#files.all()].map((source) => {
      try {
        this.#compile(source);
        return { ...source, fault: undefined };
      } catch (error) {
        return { ...source, fault: toError(error) };
      }
    });
  }

  #expect(name: string, kind: TemplateKind | "function", template: Template, line: number): void {
    try {
      if (kind === "function") throw new Error(`The function "${name}" does not exist`);
      this.#files.find(name, kind);
    } catch (error) {
      throw compileFault(template, line, error);
    }
  }

  find(name: string, kind?: TemplateKind): Template {
    return this.#compile(this.#files.find(name, kind));
  }

  #compile(source: TemplateSource): Template {
    let template = this.#compiled.get(source);
    if (template === undefined) {
      template = this.#compiler.compile(source.file, source.name, source.source);
      this.#compiled.set(source, template);
    }
    return template;
  }
}

/**
 * Loads and compiles the templates in a directory.
 *
 * @param options The options for loading and compiling.
 * @returns The compiled templates.
 * @throws {FrameworkError} If a template is invalid, with its file, line and an excerpt.
 */
export function openTemplates(options: TemplateOptions): Templates {
  const { layout, reload, parsed, translate } = options;
  const [extension = ""] = options.extensions;
  const functions = new Map([["json", scriptJSON], ...options.functions]);
  const files = new TemplateFiles(options.directory, options.extensions, parsed);
  const library = new CompiledLibrary(files, new Compiler(options.delimiters, functions, translate));
  files.read();
  if (files.all()[Symbol.iterator]().next().done && !reload) {
    throw new FrameworkError(
      "FW_VIEW",
      `Cannot load views from "${files.directory}": it contains no file that ends in "${extension}"`,
    );
  }
  if (reload) reloaded.add(library);
  if (!reload) library.compileAll();
  if (layout !== "" && !reload) library.find(layout, "layout");
  return {
    read: () => files.read(),
    render: (name, data, wrapping, links) => renderTemplate({ library, links }, name, data, wrapping),
  };
}

/**
 * Serializes a value as JSON for `<script>`: `const user = <%~ json(it.User) %>;`. Bigints are written as numbers.
 *
 * @returns JSON without any character that could end the script or start a comment in it.
 */
export function scriptJSON(value: unknown): string {
  return toJSON(value).replaceAll(
    /[<>&\u2028\u2029]/g,
    (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}
