/**
 * The lint rule that only allows imports from folders below.
 *
 * @module
 */

import { folderOf, isPublished, placeOf, repoPath } from "./layers.ts";
import { visitImports } from "./imports.ts";

/** Disallows imports, including type imports, from folders further up and from outside the sources. */
export const layerImports: Deno.lint.Rule = {
  create(ctx) {
    if (!isPublished(ctx.filename)) return {};
    const path = repoPath(ctx.filename);

    return visitImports((source, specifier) => {
      const fault = faultOf(path, specifier);
      if (fault !== undefined) {
        ctx.report({ node: source, message: fault, hint: "See the rooms in tests/lint/layers.ts" });
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
  const [own, other] = [placeOf(from), placeOf(to)];
  if (own === undefined) return `"${from}" is in no room`;
  if (other === undefined) return `"${from}" imports "${to}", which is in no room`;
  return other > own ? `"${from}" imports "${to}", which is above it` : undefined;
}
