/**
 * Opens the templates of a directory, which the default engine does with its first view.
 *
 * @module
 */

import { FrameworkError } from "../base/errors.ts";
import { Compiler } from "./compile.ts";
import { directoryPath } from "./directory.ts";
import { renderTemplate } from "./frame.ts";
import { DirectoryLibrary } from "./library.ts";
import { scriptJSON } from "./script_json.ts";
import type { TemplateOptions, Templates } from "./template_parts.ts";

/**
 * Reads and compiles the templates of a directory; a broken one is an error with its file, line and text.
 *
 * @param options What they are read and compiled by.
 * @returns The templates.
 */
export function openTemplates(options: TemplateOptions): Templates {
  const { extension, layout, reload } = options;
  const directory = directoryPath(options.directory);
  const functions = new Map([["json", scriptJSON], ...options.functions]);
  const library = new DirectoryLibrary(directory, extension, new Compiler(options.delimiters, functions));
  library.read();
  if (library.isEmpty() && !reload) {
    throw new FrameworkError("FW_VIEW", `Cannot load views of "${directory}": no file there ends in "${extension}"`);
  }
  if (!reload) library.compileAll();
  if (layout !== "" && !reload) library.find(layout, "layout");
  return {
    read: () => library.read(),
    render: (name, data, wrapping, links) => renderTemplate({ library, links }, name, data, wrapping),
  };
}
