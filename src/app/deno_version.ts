/**
 * The least version of Deno that fw runs on.
 *
 * @module
 */

import { FrameworkError } from "../base/errors.ts";

/** The oldest Deno that passes the whole test suite: with 2.9.0, responses to HEAD and streams of files differ. */
export const LEAST_DENO = "2.9.5";

/**
 * Refuses a Deno that is too old, before it fails in the middle of a request.
 *
 * @param version The version that runs.
 */
export function checkDenoVersion(version: string = Deno.version.deno): void {
  if (compare(version, LEAST_DENO) >= 0) return;
  throw new FrameworkError("FW_RUNTIME", `Cannot run on Deno "${version}": fw requires Deno ${LEAST_DENO} or later`);
}

function compare(a: string, b: string): number {
  const [left, right] = [a, b].map((version) => version.split(".").map((part) => parseInt(part)));
  for (const [index, part] of (right ?? []).entries()) {
    const difference = (left?.[index] ?? 0) - part;
    if (difference !== 0) return difference;
  }
  return 0;
}
