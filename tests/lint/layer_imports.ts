/**
 * The lint rule that only allows imports from lower layers.
 *
 * @module
 */

import { folderOf, isPublished, layerOf, repoPath } from "./layers.ts";
import { visitImports } from "./imports.ts";

/** Disallows imports, including type imports, from higher layers, from siblings and from outside the sources. */
export const layerImports: Deno.lint.Rule = {
  create(ctx) {
    if (!isPublished(ctx.filename)) return {};
    const path = repoPath(ctx.filename);

    return visitImports((source, specifier) => {
      const fault = faultOf(path, specifier);
      if (fault !== undefined) {
        ctx.report({ node: source, message: fault, hint: "See the layers in tests/lint/layers.ts" });
      }
    });
  },
};

function faultOf(path: string, specifier: string): string | undefined {
  if (/^(jsr:)?@fw\/web(@|\/|$)/.test(specifier)) return `"${path}" imports the package that it is a part of`;
  if (!specifier.startsWith(".")) return undefined;
  const from = folderOf(path);
  const to = folderOf(new URL(specifier, `file:///${path}`).pathname.slice(1));
  if (from === to) return undefined;
  // An entry point may import from all of its subfolders, because it re-exports their symbols.
  if (path === `${from}/mod.ts` && to.startsWith(`${from}/`)) return undefined;
  const [own, other] = [layerOf(from), layerOf(to)];
  if (own === undefined) return `"${from}" has no layer`;
  if (other === undefined) return `"${from}" imports "${to}", which is not a part of the house`;
  if (other > own) return `"${from}" in layer ${own} imports "${to}" in layer ${other}, which is above it`;
  if (other === own) return `"${from}" imports "${to}", which is in the same layer`;
  return undefined;
}
