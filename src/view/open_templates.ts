/**
 * Opens a template directory. The default engine loads this module when the first view is rendered.
 *
 * @module
 */

import { FrameworkError } from "../errors/errors.ts";
import { Compiler } from "./compile.ts";
import { renderTemplate } from "./frame.ts";
import { CompiledLibrary } from "./library.ts";
import { scriptJSON } from "./script_json.ts";
import { TemplateFiles } from "./template_files.ts";
import type { TemplateOptions, Templates } from "../engine/template_parts.ts";

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
  if (!reload) library.compileAll();
  if (layout !== "" && !reload) library.find(layout, "layout");
  return {
    read: () => files.read(),
    render: (name, data, wrapping, links) => renderTemplate({ library, links }, name, data, wrapping),
  };
}
