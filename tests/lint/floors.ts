/**
 * The rule that keeps imports looking down.
 *
 * @module
 */

import { floorOf, folderOf, isPublished, pathInHouse } from "./house.ts";
import { visitImports } from "./imports.ts";

/** Refuses an import, also of a type, that goes up, sideways or out of the house. */
export const floors: Deno.lint.Rule = {
  create(ctx) {
    if (!isPublished(ctx.filename)) return {};
    const path = pathInHouse(ctx.filename);

    return visitImports((source, specifier) => {
      const fault = faultOf(path, specifier);
      if (fault !== undefined) {
        ctx.report({ node: source, message: fault, hint: "See the floors in tests/lint/house.ts" });
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
  // An entry stands above its own room: it re-exports from all of its folders.
  if (path === `${from}/mod.ts` && to.startsWith(`${from}/`)) return undefined;
  const [own, other] = [floorOf(from), floorOf(to)];
  if (own === undefined) return `"${from}" has no floor`;
  if (other === undefined) return `"${from}" imports "${to}", which is not a part of the house`;
  if (other > own) return `"${from}" on floor ${own} imports "${to}" on floor ${other}, which is above it`;
  if (other === own) return `"${from}" imports "${to}", which is on the same floor`;
  return undefined;
}
