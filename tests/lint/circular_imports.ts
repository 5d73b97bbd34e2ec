/**
 * The lint rule against circular imports.
 *
 * @module
 */

import { folderOf, isPublished, repoFile, repoPath } from "./layers.ts";
import { visitImports } from "./imports.ts";

const comments = /\/\*[\s\S]*?\*\/|^\s*\/\/.*$/gm;
const specifiers = /\b(?:from|import)\s*\(?\s*"(\.[^"]*)"/g;

/**
 * The imports of each file when it was last read. Editors keep the plugin loaded, so the modification time is compared.
 */
const known = new Map<string, { readonly time: number; readonly imports: readonly string[] }>();

/** Disallows imports, including type imports, through which a file indirectly imports itself. */
export const circularImports: Deno.lint.Rule = {
  create(ctx) {
    if (!isPublished(ctx.filename)) return {};
    const path = repoPath(ctx.filename);
    return visitImports((source, specifier) => {
      const circle = specifier.startsWith(".") ? circleOf(path, resolve(path, specifier)) : undefined;
      if (circle === undefined) return;
      ctx.report({
        node: source,
        message: `Circular import: ${circle.map((each) => `"${each}"`).join(" → ")}`,
        hint: "Move the shared code to a separate file",
      });
    });
  },
};

/**
 * Finds the shortest import path from an imported file back to the importing one. Imports between folders only go to
 * lower layers (fw/layers), so a circular import never leaves its folder.
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

/** Reads the imports of a file from disk. Returns none if the file does not exist, which the type checker reports. */
function importsOf(path: string): readonly string[] {
  const file = repoFile(path);
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
