/**
 * Reads the template files in a directory.
 *
 * Templates are found by walking the directory and never by joining a name to a path, so a name from a request can
 * never lead to another file.
 *
 * @module
 */

import { FrameworkError } from "../../base/errors/errors.ts";
import { messageOf } from "../../base/errors/to_error.ts";
import { fromFileURL, isInside } from "../../base/text/file_name.ts";

/**
 * Returns the path of a directory given as a path or as a `file:` URL.
 */
export function directoryPath(directory: string | URL): string {
  if (typeof directory === "string" && !directory.startsWith("file:")) return directory;
  return fromFileURL(directory);
}

/**
 * Reads all templates in a directory and its subfolders. Names that start with a dot are ignored.
 *
 * @returns The template sources by name. The name is the path relative to the directory, with forward slashes.
 */
export function readTemplates(directory: string, extension: string): Map<string, string> {
  const found: [string, string][] = [];
  const root = attempt(directory, () => Deno.realPathSync(directory));
  walk({ directory, root, extension, found }, "", []);
  return new Map(found.sort(([a], [b]) => (a < b ? -1 : 1)));
}

/**
 * Returns the path of a template.
 *
 * @param directory The template directory.
 * @param name The template's name with forward slashes, or an empty string for the directory itself.
 */
export function templatePath(directory: string, name: string): string {
  const path = directory.replace(/(?<=.)[/\\]+$/, "").replace(/^\.[/\\](?=.)/, "");
  return name === "" ? path : path.endsWith("/") ? path + name : `${path}/${name}`;
}

interface Walk {
  readonly directory: string;
  readonly root: string;
  readonly extension: string;
  readonly found: [string, string][];
}

function walk(state: Walk, folder: string, above: readonly string[]): void {
  const path = templatePath(state.directory, folder);
  const real = inside(state, folder);
  // A link to a parent folder would cause an endless walk.
  if (above.includes(real)) return;
  for (const entry of attempt(path, () => [...Deno.readDirSync(path)])) {
    if (entry.name.startsWith(".")) continue;
    const name = folder === "" ? entry.name : `${folder}/${entry.name}`;
    const kind = entry.isSymlink ? stat(templatePath(state.directory, name)) : entry;
    if (kind?.isDirectory) walk(state, name, [...above, real]);
    else if (kind?.isFile && name.endsWith(state.extension)) {
      if (entry.isSymlink) inside(state, name);
      read(state, name);
    }
  }
}

/** Returns the real path of a name. Throws if it is a link that leads out of the directory. */
function inside(state: Walk, name: string): string {
  const path = templatePath(state.directory, name);
  const real = attempt(path, () => Deno.realPathSync(path));
  if (!isInside(state.root, real)) {
    throw new FrameworkError(
      "FW_VIEW",
      `Cannot read views from "${path}": it is a link that leads out of the directory`,
    );
  }
  return real;
}

/** Returns information about the target of a link, or `undefined` if the target does not exist. */
function stat(path: string): Deno.FileInfo | undefined {
  return attempt(path, () => unlessGone(() => Deno.statSync(path)));
}

function read(state: Walk, name: string): void {
  const path = templatePath(state.directory, name);
  // Editors save files by renaming them. A file that disappears between listing and reading is treated as missing.
  const text = attempt(path, () => unlessGone(() => Deno.readTextFileSync(path)));
  if (text !== undefined) state.found.push([name, text.startsWith("\uFEFF") ? text.slice(1) : text]);
}

function unlessGone<T>(act: () => T): T | undefined {
  try {
    return act();
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return undefined;
    throw error;
  }
}

function attempt<T>(path: string, act: () => T): T {
  try {
    return act();
  } catch (error) {
    const reason = error instanceof Deno.errors.NotFound ? "it does not exist" : messageOf(error);
    throw new FrameworkError("FW_VIEW", `Cannot read views from "${path}": ${reason}`, { cause: error });
  }
}
