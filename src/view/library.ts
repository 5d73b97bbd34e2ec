/**
 * The loaded and compiled templates of the default engine.
 *
 * @module
 */

import type { Compiler } from "./compile.ts";
import type { TemplateFiles, TemplateKind, TemplateSource } from "./template_files.ts";
import type { Library, Template } from "../engine/template_parts.ts";

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

  /** Compiles all templates, so that invalid templates are reported before the first request. */
  compileAll(): void {
    for (const source of this.#files.all()) this.#compile(source);
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
