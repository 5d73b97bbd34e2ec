/**
 * Turns the resources that a program used in one run into entries that also fit its next run.
 *
 * @module
 */

import { type Entry, type Kind, kinds } from "./permission_set.ts";
import { below, pathsOf, type Place } from "./resources.ts";

/** The number of files in a folder from which on the folder is written instead of the files. */
const MANY = 4;

/** Generalizes the resources of a run, and sorts them. */
export function generalize(resources: readonly Entry[], place: Place): Entry[] {
  const merged = Map.groupBy(resources.flatMap((entry) => widened(entry, resources, place)), keyOf);
  const entries = [...merged.values()].flatMap(([first, ...others]) =>
    first === undefined ? [] : [{ ...first, sites: [...new Set([first, ...others].flatMap(({ sites }) => sites))] }]
  );
  const rest = entries.filter((entry) => !entries.some((other) => other !== entry && includes(other, entry, place)));
  return rest.map((entry) => ({ ...entry, value: written(entry, place) })).sort(byKindAndValue);
}

function keyOf({ kind, value }: Entry): string {
  return JSON.stringify([kind, value]);
}

function byKindAndValue(a: Entry, b: Entry): number {
  const order = kinds.indexOf(a.kind) - kinds.indexOf(b.kind);
  return order !== 0 ? order : (a.value ?? "") < (b.value ?? "") ? -1 : 1;
}

function isPath(kind: Kind): boolean {
  return kind === "read" || kind === "write";
}

function widened(entry: Entry, all: readonly Entry[], place: Place): Entry {
  const { kind, value } = entry;
  if (value === undefined) return entry;
  if (isPath(kind)) return { ...entry, value: folderFor(value, entry, all, place) };
  if (kind === "net") return { ...entry, value: hostFor(value, all) };
  return entry;
}

/** Returns the temporary folder, the folder of a file that no longer exists or has many siblings, or the path. */
function folderFor(path: string, { kind }: Entry, all: readonly Entry[], place: Place): string {
  const { dirname } = pathsOf(place);
  const inside = below(place.root, path, place);
  if (inside === undefined) return below(place.temp, path, place) === undefined ? path : place.temp;
  let folder = path;
  // The name of a file that is gone, such as a partial upload, probably differs in the next run.
  while (!place.exists(folder) && isSubfolder(dirname(folder), place)) folder = dirname(folder);
  const parent = dirname(folder);
  const siblings = all.filter((other) => other.kind === kind && other.value && dirname(other.value) === parent);
  return siblings.length >= MANY && isSubfolder(parent, place) ? parent : folder;
}

function isSubfolder(folder: string, place: Place): boolean {
  return (below(place.root, folder, place) ?? "") !== "";
}

// The port 0 is a different port in each run, also for the clients that connect to it.
function hostFor(value: string, all: readonly Entry[]): string {
  const [, host = value, port] = /^(.*):(\d+)$/.exec(value) ?? [];
  const isEphemeral = all.some((other) => other.kind === "net" && other.value?.endsWith(":0"));
  const isLocal = /^(?:localhost|127\.0\.0\.1|\[::1\])$/.test(host);
  return port === "0" || (isLocal && isEphemeral && Number(port) > 1023) ? host : value;
}

/** Reports whether an entry includes another one. */
function includes(wide: Entry, narrow: Entry, place: Place): boolean {
  if (wide.kind !== narrow.kind || narrow.value === undefined) return false;
  if (wide.value === undefined) return true;
  if (isPath(wide.kind)) return below(wide.value, narrow.value, place) !== undefined;
  return wide.kind === "net" && narrow.value.startsWith(`${wide.value}:`) && !wide.value.startsWith("unix:");
}

/** Returns the value for the configuration file. Paths in the project are relative to it. */
function written({ kind, value }: Entry, place: Place): string | undefined {
  if (value === undefined || kind === "env" || kind === "sys" || kind === "import") return value;
  if (kind === "net") return value;
  const inside = pathsOf(place).isAbsolute(value) ? below(place.root, value, place) : undefined;
  return inside === undefined ? value : `./${inside}`.replace(/^\.\/$/, ".");
}
