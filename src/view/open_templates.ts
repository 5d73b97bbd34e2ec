/**
 * Opens the templates of a directory, which the default engine does with its first view.
 *
 * @module
 */

import { FrameworkError } from "../base/errors.ts";
import { Compiler } from "./compile.ts";
import { renderTemplate } from "./frame.ts";
import { CompiledLibrary } from "./library.ts";
import { scriptJSON } from "./script_json.ts";
import { TemplateFiles } from "./template_files.ts";
import type { TemplateOptions, Templates } from "./template_parts.ts";

/**
 * Reads and compiles the templates of a directory; a broken one is an error with its file, line and text.
 *
 * @param options What they are read and compiled by.
 * @returns The templates.
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
      `Cannot load views of "${files.directory}": no file there ends in "${extension}"`,
    );
  }
  if (!reload) library.compileAll();
  if (layout !== "" && !reload) library.find(layout, "layout");
  return {
    read: () => files.read(),
    render: (name, data, wrapping, links) => renderTemplate({ library, links }, name, data, wrapping),
  };
}
