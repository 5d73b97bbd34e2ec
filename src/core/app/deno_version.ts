/**
 * The minimum Deno version that fw supports.
 *
 * @module
 */

import { FrameworkError } from "../../base/errors/errors.ts";

/**
 * The oldest Deno version that passes the test suite. In version 2.9.0, HEAD responses and file streams behave
 * differently.
 */
export const LEAST_DENO = "2.9.5";

/**
 * Throws if the Deno version is too old. Otherwise, requests would fail later.
 *
 * @param version The Deno version. Defaults to the running version.
 * @throws {FrameworkError} If the version is too old.
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
