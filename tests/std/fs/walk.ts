// A recursive readdir of node:fs, filtered like in the real function. It cannot follow symbolic links.
import { readdir } from "node:fs/promises";
import { basename, join } from "node:path";
import { fileURLToPath } from "node:url";

/** Options for {@linkcode walk}. */
export interface WalkOptions {
  maxDepth?: number;
  includeFiles?: boolean;
  includeDirs?: boolean;
  includeSymlinks?: boolean;
  exts?: string[];
  match?: RegExp[];
  skip?: RegExp[];
}

/** A file, folder or symbolic link that was found. */
export interface WalkEntry extends Deno.DirEntry {
  path: string;
}

export async function* walk(root: string | URL, options: WalkOptions = {}): AsyncIterableIterator<WalkEntry> {
  const top = root instanceof URL ? fileURLToPath(root) : root;
  const found: WalkEntry[] = [{ path: top, name: basename(top), isFile: false, isDirectory: true, isSymlink: false }];
  for (const entry of await readdir(top, { recursive: true, withFileTypes: true })) {
    const { name } = entry;
    const [isFile, isDirectory, isSymlink] = [entry.isFile(), entry.isDirectory(), entry.isSymbolicLink()];
    found.push({ path: join(entry.parentPath, name), name, isFile, isDirectory, isSymlink });
  }
  for (const entry of found.sort((a, b) => a.path < b.path ? -1 : 1)) if (wanted(entry, top, options)) yield entry;
}

function wanted(entry: WalkEntry, top: string, options: WalkOptions): boolean {
  const below = entry.path.slice(top.length).split(/[/\\]/).filter((part) => part !== "");
  const way = [top, ...below.map((_, index) => join(top, ...below.slice(0, index + 1)))];
  return below.length <= (options.maxDepth ?? Infinity) &&
    (!entry.isFile || (options.includeFiles ?? true)) &&
    (!entry.isDirectory || (options.includeDirs ?? true)) &&
    (!entry.isSymlink || (options.includeSymlinks ?? true)) &&
    (options.exts?.some((ext) => entry.path.endsWith(ext)) ?? true) &&
    (options.match?.some((pattern) => pattern.test(entry.path)) ?? true) &&
    !way.some((path) => options.skip?.some((pattern) => pattern.test(path)));
}
