/**
 * Finds the regular expressions of the sources.
 *
 * @module
 */

import { walk } from "@std/fs/walk";
import { fromFileUrl, relative } from "@std/path";

const root = fromFileUrl(new URL("../../../", import.meta.url));

/** A regular expression in the sources. */
export interface FoundPattern {
  /** The path of the file. */
  readonly file: string;
  /** The pattern, or the source of the expression that creates it. */
  readonly source: string;
  readonly flags: string;
  /** Whether the pattern is created by a call of `RegExp`. */
  readonly isBuilt: boolean;
}

/** Returns all regular expressions of fw, without those in generated files for browsers. */
export async function collectPatterns(): Promise<FoundPattern[]> {
  const found: FoundPattern[] = [];
  for (const folder of ["src", "mvc"]) {
    for await (const { path } of walk(root + folder, { exts: [".ts", ".tsx"], includeDirs: false })) {
      const file = relative(root, path).replaceAll("\\", "/");
      if (!file.endsWith("/media.ts")) found.push(...patternsOf(file, await Deno.readTextFile(path)));
    }
  }
  return found;
}

function patternsOf(file: string, text: string): FoundPattern[] {
  const found: FoundPattern[] = [];
  const built = (node: Deno.lint.CallExpression | Deno.lint.NewExpression) => {
    if (node.callee.type !== "Identifier" || node.callee.name !== "RegExp") return;
    const [start, end] = node.range;
    found.push({ file, source: text.slice(start, end).replaceAll(/\s+/g, " "), flags: "", isBuilt: true });
  };
  const plugin: Deno.lint.Plugin = {
    name: "patterns",
    rules: {
      all: {
        create: () => ({
          Literal(node) {
            if (!("regex" in node) || node.regex === undefined) return;
            const { pattern, flags } = node.regex;
            found.push({ file, source: pattern, flags, isBuilt: false });
          },
          CallExpression: built,
          NewExpression: built,
        }),
      },
    },
  };
  Deno.lint.runPlugin(plugin, root + file, text);
  return found;
}
