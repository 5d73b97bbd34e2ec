/**
 * Finds the API version that a call of a tool asks for.
 *
 * @module
 */

import type { RouteRecord } from "../../../core/app/record/registry.ts";
import { selectorsOf } from "../../../core/app/record/route_selector.ts";

/**
 * Returns a version that the party of a route serves, or `undefined` if the route serves all versions. It is one of the
 * versions in the party's range, or a version next to one of them.
 */
export function versionOf({ party }: RouteRecord): string | undefined {
  const selectors = selectorsOf(party);
  if (selectors.length === 0) return undefined;
  const named = selectors.flatMap(({ name }) => name.match(/\d+(?:\.\w+)*(?:-[\w.-]+)?/g) ?? []);
  const candidates = [...named.flatMap(near), "0.0.0"];
  return candidates.find((version) => selectors.every((selector) => selector.serves(version)));
}

/** Returns a version and its neighbors, such as `1.0.0`, `1.0.1`, `1.1.0`, `2.0.0` and `0.0.0` for `1.x`. */
function near(text: string): string[] {
  const [core = "", ...pre] = text.split("-");
  const [major = 0, minor = 0, patch = 0] = core.split(".").map((part) => Number(part) || 0);
  const before = [[major, minor, patch - 1], [major, minor - 1, 0], [major - 1, 0, 0]];
  return [
    [major, minor, patch],
    [major, minor, patch + 1],
    [major, minor + 1, 0],
    [major + 1, 0, 0],
    ...before.filter((numbers) => numbers.every((each) => each >= 0)),
  ].map((numbers) => numbers.join(".")).concat(pre.length === 0 ? [] : [text]);
}
