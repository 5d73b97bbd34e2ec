/**
 * The rule against circles of files.
 *
 * @module
 */

import { fileInHouse, folderOf, isPublished, pathInHouse } from "./house.ts";
import { visitImports } from "./imports.ts";

const comments = /\/\*[\s\S]*?\*\/|^\s*\/\/.*$/gm;
const specifiers = /\b(?:from|import)\s*\(?\s*"(\.[^"]*)"/g;

/** What a file imported when it was read last. An editor keeps the plugin loaded, so the file's time is looked at. */
const known = new Map<string, { readonly time: number; readonly imports: readonly string[] }>();

/** Refuses an import, also of a type, through which a file comes to import itself. */
export const circles: Deno.lint.Rule = {
  create(ctx) {
    if (!isPublished(ctx.filename)) return {};
    const path = pathInHouse(ctx.filename);
    return visitImports((source, specifier) => {
      const circle = specifier.startsWith(".") ? circleOf(path, resolve(path, specifier)) : undefined;
      if (circle === undefined) return;
      ctx.report({
        node: source,
        message: `The import closes a circle: ${circle.map((each) => `"${each}"`).join(" imports ")}`,
        hint: "Move what both need to a file of its own",
      });
    });
  },
};

/**
 * Finds the shortest way from an imported file back to the one that imports it. Between folders imports only look down
 * (fw/floors), so a circle never leaves its folder.
 */
function circleOf(path: string, imported: string): readonly string[] | undefined {
  if (imported === path) return [path, path];
  const folder = folderOf(path);
  const seen = new Set([imported]);
  const ways: (readonly string[])[] = [[path, imported]];
  for (const way of ways) {
    for (const next of importsOf(way.at(-1) ?? "")) {
      if (next === path) return [...way, path];
      if (seen.has(next) || folderOf(next) !== folder) continue;
      seen.add(next);
      ways.push([...way, next]);
    }
  }
  return undefined;
}

/** Reads from disk what a file imports; nothing of one that does not exist, which the type checker tells of. */
function importsOf(path: string): readonly string[] {
  const file = fileInHouse(path);
  let time: number;
  try {
    time = Deno.statSync(file).mtime?.getTime() ?? NaN;
  } catch {
    return [];
  }
  const before = known.get(path);
  if (before?.time === time) return before.imports;
  const code = Deno.readTextFileSync(file).replaceAll(comments, "");
  const imports = Array.from(code.matchAll(specifiers), ([, specifier = ""]) => resolve(path, specifier));
  known.set(path, { time, imports });
  return imports;
}

function resolve(path: string, specifier: string): string {
  return new URL(specifier, `file:///${path}`).pathname.slice(1);
}
