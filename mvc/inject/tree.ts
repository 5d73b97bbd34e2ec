/**
 * Dependencies as the lines of a tree, for people.
 *
 * @module
 */

import type { Needs } from "./binding.ts";
import { labelOf } from "./token.ts";

/**
 * Lists what is asked for, each with what it asks for itself below it.
 *
 * @param needs What is asked for.
 * @param indent What the lines begin with.
 * @returns The lines, as in `UserService (shared)` and `  Database (shared)`.
 */
export function treeOf(needs: readonly Needs[], indent = ""): string[] {
  return needs.flatMap(({ ahead, behind }) => [...ahead, ...behind]).flatMap(({ token, binding }) => {
    if (binding === undefined) return [`${indent}${labelOf(token)}`];
    const lifetime = binding.isScoped ? "scoped" : binding.isPerRequest ? "per request" : "shared";
    return [`${indent}${labelOf(token)} (${lifetime})`, ...treeOf([binding.needs], `${indent}  `)];
  });
}
