/**
 * Brings the resources in an audit log into one form: absolute paths, and hosts with ports.
 *
 * @module
 */

import { posix, win32 } from "node:path";
import type { PermissionRequest } from "./audit_log.ts";
import type { Entry } from "./permission_set.ts";

/** The system on which a program ran. */
export interface Place {
  /** The project folder, which contains the configuration file. */
  readonly root: string;
  /** The program's current folder. */
  readonly cwd: string;
  /** The folder for temporary files. */
  readonly temp: string;
  readonly isWindows: boolean;
  /** Reports whether a file exists. */
  exists(path: string): boolean;
  /** The folders in which programs are located by name. */
  readonly programs: readonly string[];
}

/** Returns the path functions of a system. */
export function pathsOf({ isWindows }: Place): typeof posix {
  return isWindows ? win32 : posix;
}

/** Returns the path from a folder to a file below it, with forward slashes, or `undefined` if it is not below it. */
export function below(folder: string, path: string, place: Place): string | undefined {
  const { relative, isAbsolute, sep } = pathsOf(place);
  const found = relative(folder, path);
  return found === ".." || found.startsWith(`..${sep}`) || isAbsolute(found) ? undefined : found.replaceAll(sep, "/");
}

/** Merges the requests for the same resource. */
export function resourcesOf(requests: readonly PermissionRequest[], place: Place): Entry[] {
  const found = new Map<string, { entry: Entry; sites: Set<string> }>();
  for (const { kind, value, frames } of requests) {
    const name = value === undefined ? undefined : forms[kind](value, place);
    const key = JSON.stringify([kind, name]);
    const sites = found.get(key)?.sites ?? new Set();
    sites.add(siteOf(frames, place));
    found.set(key, { entry: { kind, value: name, sites: [] }, sites });
  }
  return [...found.values()].map(({ entry, sites }) => ({ ...entry, sites: [...sites] }));
}

const forms: Readonly<Record<Entry["kind"], (value: string, place: Place) => string>> = {
  net: hostOf,
  import: hostOf,
  read: absolute,
  write: absolute,
  // A library without a folder is located by the system.
  ffi: (value, place) => /[/\\]/.test(value) ? absolute(value, place) : value,
  run: programName,
  env: String,
  sys: String,
};

const ports: Readonly<Record<string, string>> = { "http:": "80", "https:": "443", "ws:": "80", "wss:": "443" };

/** Returns the name of a program if the system would locate the same program by its name. */
function programName(value: string, place: Place): string {
  const { basename, isAbsolute, join } = pathsOf(place);
  const first = place.programs.map((folder) => join(folder, basename(value))).find((path) => place.exists(path));
  return isAbsolute(value) && first === value ? basename(value, ".exe") : value;
}

function hostOf(value: string): string {
  if (!value.includes("://")) return value;
  const { protocol, hostname, port } = new URL(value);
  return `${hostname}:${port || ports[protocol] || "443"}`;
}

function absolute(value: string, place: Place): string {
  // Deno hides the location of its temporary files.
  if (value === "<TMP>") return place.temp;
  return pathsOf(place).resolve(place.cwd, value.startsWith("file:") ? pathOf(value, place) : value);
}

function pathOf(url: string, { isWindows }: Place): string {
  const path = decoded(url.replace(/^file:\/\//, ""));
  return isWindows ? path.replace(/^\/(?=[A-Za-z]:)/, "").replaceAll("/", "\\") : path;
}

function decoded(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    // Some frames of a stack trace are not encoded.
    return path;
  }
}

/** Describes the code that requested a permission, and the line in the project that called it. */
function siteOf(frames: readonly string[], place: Place): string {
  const [asked = "unknown code", ...callers] = frames.map((frame) => nameOf(frame, place));
  if (isOwn(asked)) return asked;
  const caller = callers.find(isOwn);
  return caller === undefined ? asked : `${asked}, called by ${caller}`;
}

function nameOf(frame: string, place: Place): string {
  if (!frame.startsWith("file:")) return frame;
  const path = pathOf(frame, place);
  return below(place.root, path, place) ?? path;
}

/** Reports whether a frame is a file of the project and not of a dependency. */
function isOwn(name: string): boolean {
  return !/^(?:https?:|data:|blob:|\/|[A-Za-z]:\\)|(?:^|\/)node_modules\//.test(name);
}
