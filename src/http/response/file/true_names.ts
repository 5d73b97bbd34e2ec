/**
 * Checks that a path consists of the names that the folders on disk contain.
 *
 * File systems may find a file under further names: in another letter case, under its short name on NTFS (`ENV~1` for
 * `.env`), or in another Unicode form. A guard or a rule for hidden files knows only the true name, so the others must
 * not be served. The operating system does not always report the true name, but a folder's list of names does.
 *
 * @module
 */

import { RecentMap } from "../../../base/data/recent_map.ts";
import type { System } from "../../../base/text/file_name.ts";

/** The names in a folder. */
interface Names {
  /** The names, or `undefined` if the folder may not be listed. */
  readonly all: ReadonlySet<string> | undefined;
  /** The version of the folder when its names were read. */
  readonly version: string;
  /** Whether a later change is certain to change the version. */
  readonly isSettled: boolean;
  /** The time until which the names are used without a look at the folder, as measured by `performance.now()`. */
  until: number;
}

/** The time for which the names in a folder are used without a look at the folder, in milliseconds. */
const moment = 1000;
/** The coarsest resolution of modification times, which is that of FAT, with a margin, in milliseconds. */
const coarsest = 3000;
/** The maximum number of names in memory, except for those of the last folder. */
const mostNames = 200_000;
const mostFolders = 4096;

const known = new Map<string, Names>();
const reading = new Map<string, Promise<Names>>();
let held = 0;
/** The paths whose names were true a moment ago. */
const checked = new RecentMap<true>({ most: 4096, lifetime: moment });

/**
 * Reports whether a folder contains a name. Call it only for a path that exists, because an unknown name makes fw read
 * the folder.
 *
 * @param folder The folder's path.
 * @param name The name.
 * @returns The result, or `undefined` if the folder may not be listed.
 */
export function hasName(folder: string, name: string): boolean | undefined | Promise<boolean | undefined> {
  const names = known.get(folder);
  if (names !== undefined && names.until > performance.now()) {
    if (names.all === undefined) return undefined;
    if (names.all.has(name)) return true;
  }
  return lookUp(folder, name, names);
}

/**
 * Reports whether the names in a path are true, as far as the folders may be listed. The folders of an absolute path
 * are not checked, because the environment may spell them in another way, as in `C:\\Users\\RUNNER~1`.
 *
 * @param path The path of an existing file.
 */
export function hasTrueNames(path: string): boolean | Promise<boolean> {
  return checked.get(path) ?? check(path);
}

async function check(path: string): Promise<boolean> {
  for (const [folder, name] of namesIn(path, Deno.build.os)) {
    const isTrue = hasName(folder, name);
    if ((typeof isTrue === "object" ? await isTrue : isTrue) === false) return false;
  }
  checked.set(path, true);
  return true;
}

/**
 * Returns the names to check in a path, each with its folder.
 *
 * @param path The path of a file.
 * @param system The operating system.
 */
export function namesIn(path: string, system: System): [folder: string, name: string][] {
  const [separator, start] = system === "windows" ? [/[/\\]/, /^(?:[/\\]|[a-z]:)/i] : ["/", /^\//];
  const parts = path.split(separator).filter((part) => part !== "" && part !== ".");
  if (start.test(path)) {
    const last = parts.at(-1) ?? "";
    const name = system === "windows" ? last.replace(/^[a-z]:/i, "") : last;
    return [[path.slice(0, path.lastIndexOf(name)), name]];
  }
  return parts.map((name, at) => [parts.slice(0, at).join("/") || ".", name]);
}

async function lookUp(folder: string, name: string, last: Names | undefined): Promise<boolean | undefined> {
  const isNew = last?.all?.has(name) !== true;
  const isRecent = last !== undefined && last.until > performance.now();
  // A network file system may not change the version of a folder, so an old list cannot prove that a name is missing.
  if (last?.isSettled && (isRecent || !isNew) && await versionOf(folder) === last.version) {
    if (!isRecent) last.until = performance.now() + moment;
    return last.all?.has(name);
  }
  const others = reading.get(folder);
  if (others !== undefined) {
    const { all } = await others;
    // The file may have been created after the folder was read.
    if (all === undefined || all.has(name)) return all?.has(name);
  }
  return (await read(folder)).all?.has(name);
}

function read(folder: string): Promise<Names> {
  const running = readNames(folder).finally(() => {
    if (reading.get(folder) === running) reading.delete(folder);
  });
  reading.set(folder, running);
  return running;
}

async function readNames(folder: string): Promise<Names> {
  const [now, until] = [Date.now(), performance.now() + moment];
  const hidden: Names = { all: undefined, version: "", isSettled: false, until };
  // A program with a permission for the file only must not cause a prompt for its folder.
  if ((await Deno.permissions.query({ name: "read", path: folder })).state !== "granted") return keep(folder, hidden);
  try {
    const info = await Deno.stat(folder);
    const isSettled = info.mtime === null || now - info.mtime.getTime() > coarsest;
    return keep(folder, { all: await list(folder), version: version(info), isSettled, until });
  } catch (error) {
    if (error instanceof Deno.errors.PermissionDenied) return keep(folder, hidden);
    throw error;
  }
}

async function list(folder: string): Promise<ReadonlySet<string>> {
  const names = new Set<string>();
  for await (const { name } of Deno.readDir(folder)) names.add(name);
  return names;
}

function keep(folder: string, names: Names): Names {
  held -= known.get(folder)?.all?.size ?? 0;
  known.delete(folder);
  const size = names.all?.size ?? 0;
  if (held + size > mostNames || known.size >= mostFolders) {
    known.clear();
    held = 0;
  }
  known.set(folder, names);
  held += size;
  return names;
}

async function versionOf(folder: string): Promise<string> {
  return version(await Deno.stat(folder));
}

/** Returns the version of a folder. Folders embedded in a binary have no modification time and do not change. */
function version({ mtime, ino, dev }: Deno.FileInfo): string {
  return `${mtime?.getTime() ?? ""} ${ino} ${dev}`;
}
