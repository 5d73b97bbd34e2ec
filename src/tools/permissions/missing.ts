/**
 * Finds the resources that a permission set does not allow.
 *
 * @module
 */

import { alignColumns } from "../../base/text/columns.ts";
import type { Entry, Kind } from "./permission_set.ts";
import { reasonOf } from "./write_set.ts";

/** The name of the resource in a permission descriptor. */
const fields: Readonly<Record<Kind, string>> = {
  net: "host",
  read: "path",
  write: "path",
  env: "variable",
  run: "command",
  sys: "kind",
  ffi: "path",
  import: "host",
};

/** Reads descriptors from standard input and writes their states. Invalid descriptors are treated as denied. */
const source = `const descriptors = JSON.parse(await new Response(Deno.stdin.readable).text());
console.log(JSON.stringify(descriptors.map((descriptor) => {
  try {
    return Deno.permissions.querySync(descriptor).state;
  } catch {
    return "denied";
  }
})));`;

/** Returns the resources that a set does not allow. Deno itself compares them, so that its rules apply. */
export async function missingFrom(
  set: string,
  resources: readonly Entry[],
  { config, cwd }: { readonly config: string; readonly cwd: string },
): Promise<Entry[]> {
  const descriptors = resources.map(({ kind, value }) => ({ name: kind, [fields[kind]]: value }));
  const args = ["run", "--no-prompt", "--quiet", `--config=${config}`, `--permission-set=${set}`, codeURL];
  const command = new Deno.Command(Deno.execPath(), { args, cwd, stdin: "piped", stdout: "piped", stderr: "piped" });
  await using child = command.spawn();
  const output = child.output();
  const writer = child.stdin.getWriter();
  await writer.write(new TextEncoder().encode(JSON.stringify(descriptors)));
  await writer.close();
  const { success, stdout, stderr } = await output;
  const decoder = new TextDecoder();
  if (!success) throw new Error(`Cannot use the permission set "${set}": ${decoder.decode(stderr).trim()}`);
  const states: string[] = JSON.parse(decoder.decode(stdout));
  return resources.filter((_, at) => states[at] !== "granted");
}

const codeURL = `data:text/javascript,${encodeURIComponent(source)}`;

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
