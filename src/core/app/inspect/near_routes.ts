/**
 * Finds the routes that a path was probably meant for.
 *
 * @module
 */

import type { Registry } from "../record/registry.ts";
import { distance } from "../../../base/text/near_names.ts";

/** The cost of a segment that exists in only one of the paths. */
const missingCost = 3;
const highestCost = 3;
const mostRoutes = 5;

/**
 * Returns the path templates that differ from a path in a few letters or in one segment.
 *
 * @param path The requested path.
 * @param templates The paths of the routes, with parameters in braces.
 * @param most The maximum number of templates.
 * @returns The templates. The most similar one comes first.
 */
export function nearRoutes(path: string, templates: Iterable<string>, most: number = mostRoutes): string[] {
  const asked = segmentsOf(path);
  const rated = [...new Set(templates)].map((
    template,
  ): [number, string] => [cost(asked, segmentsOf(template)), template])
    .filter(([rate]) => rate <= highestCost).sort(([a, x], [b, y]) => a - b || (x < y ? -1 : 1));
  const best = rated[0]?.[0] ?? 0;
  return rated.filter(([rate]) => rate <= best + 1).slice(0, typeof most === "number" ? most : 0).map(([, template]) =>
    template
  );
}

/** Returns the paths of GET routes without parameters that are similar to a path. The most similar one comes first. */
export function closestPaths(registry: Registry, subdomain: string, path: string, most: number): readonly string[] {
  return nearRoutes(path, pagesIn(registry, subdomain), most);
}

/** Returns the paths of the pages of an application and of those that are mounted in it. */
function pagesIn({ routes, mounts }: Registry, subdomain: string): string[] {
  const pages = routes.filter(({ route }) =>
    route.Subdomain === subdomain && route.IsStatic() && route.Description.Hidden !== true
  );
  // Switched applications have their own hosts.
  const inner = mounts.filter((mount) => mount.handler !== undefined && mount.subdomain === subdomain)
    .filter(({ template }) => template.names.length === 0);
  return [
    ...pages.map(({ route }) => route.Path),
    ...inner.flatMap(({ prefix, registry }) =>
      pagesIn(registry, "").map((path) => prefix === "/" ? path : prefix + path)
    ),
  ];
}

/**
 * Returns the edit distance between two lists of segments. It is infinite if they have no word in common, because
 * parameters match every segment.
 */
function cost(asked: readonly string[], template: readonly string[]): number {
  const sharesWord = template.some((segment) =>
    !isParam(segment) && asked.some((part) => segmentCost(part, segment) <= 3)
  );
  if (!sharesWord) return Infinity;
  let row = Array.from({ length: template.length + 1 }, (_, at) => at * missingCost);
  for (const [at, part] of asked.entries()) {
    const next = [(at + 1) * missingCost];
    for (const [column, segment] of template.entries()) {
      next.push(Math.min(
        (row[column] ?? 0) + segmentCost(part, segment),
        (row[column + 1] ?? 0) + missingCost,
        (next[column] ?? 0) + missingCost,
      ));
    }
    row = next;
  }
  return row[template.length] ?? Infinity;
}

/** Returns the number of different letters, or `Infinity` if more than a third of them differ. */
function segmentCost(part: string, segment: string): number {
  if (isParam(segment)) return 0;
  const letters = distance(part.toLowerCase(), segment.toLowerCase());
  return letters <= Math.max(1, Math.floor(segment.length / 3)) ? letters : Infinity;
}

function isParam(segment: string): boolean {
  return segment.startsWith("{");
}

function segmentsOf(path: string): string[] {
  return path.split("/").filter((segment) => segment !== "");
}
