/**
 * Reads the template files of a directory.
 *
 * Templates are found by walking, never by joining a name to a path: a name that came from a request has no way to
 * another file, however it is written.
 *
 * @module
 */

import { FrameworkError } from "../base/errors.ts";
import { fromFileURL, isInside } from "../base/file_path.ts";
import { messageOf } from "../base/to_error.ts";

/**
 * Returns the path of a directory given as a path or as a `file:` URL.
 */
export function directoryPath(directory: string | URL): string {
  if (typeof directory === "string" && !directory.startsWith("file:")) return directory;
  return fromFileURL(directory);
}

/**
 * Reads all templates of a directory and the folders in it. Names that begin with a dot are left alone.
 *
 * @returns The text by name, the name being the path below the directory, with slashes.
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
 * @param directory The directory of the templates.
 * @param name The name of the template, with slashes; empty for the directory itself.
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
  // A link to a folder above it would be walked for ever.
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

/** Returns the real path of a name, refusing links that lead out of the directory. */
function inside(state: Walk, name: string): string {
  const path = templatePath(state.directory, name);
  const real = attempt(path, () => Deno.realPathSync(path));
  if (!isInside(state.root, real)) {
    throw new FrameworkError("FW_VIEW", `Cannot read views of "${path}": it is a link to outside of the directory`);
  }
  return real;
}

/** Returns what a link leads to, or nothing when it leads nowhere. */
function stat(path: string): Deno.FileInfo | undefined {
  return attempt(path, () => unlessGone(() => Deno.statSync(path)));
}

function read(state: Walk, name: string): void {
  const path = templatePath(state.directory, name);
  // Editors save by renaming: a file may be gone between the listing and the reading, and is then simply not there.
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
    throw new FrameworkError("FW_VIEW", `Cannot read views of "${path}": ${reason}`, { cause: error });
  }
}
