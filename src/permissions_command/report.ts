/**
 * Describes permissions for the terminal.
 *
 * @module
 */

import { alignColumns } from "../text/columns.ts";
import type { Entry } from "./permission_set.ts";
import { reasonOf } from "./write_set.ts";

/** Returns a table of permissions and the code that requested them, and an explanation of the broad ones. */
export function permissionTable(entries: readonly Entry[]): string {
  const rows = entries.map(({ kind, value, sites }) => [kind, value ?? "(all)", reasonOf(sites)]);
  const notes = entries.flatMap(noteOf);
  return [...alignColumns([["PERMISSION", "RESOURCE", "REQUESTED BY"], ...rows]), ...notes].join("\n");
}

function noteOf({ kind, value, sites }: Entry): string[] {
  if (value === undefined) {
    return [`note: "${kind}" is not restricted, because ${reasonOf(sites)} does not name a resource`];
  }
  // Deno does not grant these files by name.
  if ((kind === "read" || kind === "write") && /^\/(?:proc|sys|dev)\/(?!null$|u?random$|zero$)/.test(value)) {
    return [`note: "${value}", requested by ${reasonOf(sites)}, requires all permissions`];
  }
  if (kind === "ffi" && !/[/\\]/.test(value)) {
    return [`note: "${value}", requested by ${reasonOf(sites)}, must be loaded by its path if "ffi" is restricted`];
  }
  return [];
}
