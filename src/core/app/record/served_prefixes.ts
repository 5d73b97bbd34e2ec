/**
 * Finds the parties whose paths a fallback must not serve.
 *
 * @module
 */

import type { PartyRecord, Registry } from "./registry.ts";

/**
 * Creates a test for paths below a party that has routes of its own. A page of a single-page application must not be
 * the response to a mistyped path of the API.
 *
 * @param registry The registry. It must be complete when the test is called.
 * @param fallback The party of the fallback. Its own prefix and those of its ancestors do not count.
 */
export function ownedPaths(registry: Registry, fallback: PartyRecord): (path: string) => boolean {
  let patterns: readonly RegExp[] | undefined;
  return (path) => (patterns ??= patternsOf(registry, fallback)).some((pattern) => pattern.test(path));
}

function patternsOf({ routes }: Registry, fallback: PartyRecord): readonly RegExp[] {
  const parties = new Set(routes.map(({ party }) => party));
  const owners = [...parties].filter(({ prefix, subdomain }) =>
    subdomain === fallback.subdomain && prefix !== "/" && prefix !== fallback.prefix &&
    (fallback.prefix === "/" || prefix.startsWith(`${fallback.prefix}/`))
  );
  return [...new Set(owners.map(({ prefix }) => prefix))].map(patternOf);
}

/** Returns a pattern for the paths below a prefix. A parameter matches any segment. */
function patternOf(prefix: string): RegExp {
  const segments = prefix.split("/").map((text) => text.includes("{") ? "[^/]+" : RegExp.escape(text));
  return new RegExp(`^${segments.join("/")}(?:/|$)`);
}
