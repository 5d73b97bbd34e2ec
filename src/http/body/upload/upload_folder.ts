/**
 * The target folder of an upload. Files are never written outside it, and incomplete files are never visible in it.
 *
 * @module
 */

import { basename, dirname, isAbsolute, join, sep } from "node:path";
import { RecentMap } from "../../../base/data/recent_map.ts";
import { FrameworkError } from "../../../base/errors/errors.ts";
import { isInside, isPlainName, nameKey } from "../../../base/text/file_name.ts";
import { shortName } from "../form/safe_name.ts";

const partName = /^\.fw-[0-9a-f-]{36}\.part$/;
/**
 * The age at which a partial file is considered abandoned if this process is not writing it. With the default settings,
 * receiving a body takes less time.
 */
const oldAfter = 60 * 60_000;

const open = new Set<string>();
/** The recently cleaned folders. The map is limited, because a callback may use a new folder for each upload. */
const swept = new RecentMap<true>({ most: 1000, lifetime: oldAfter });
let isWatching = false;

/**
 * Reserves the name of a partial file. Unless the name is released, the file is removed when the process exits, after a
 * shutdown that aborts uploads or after a second signal. Partial files left by a crash are removed later.
 *
 * @param folder The target's folder.
 * @returns The part's path.
 */
function reservePart(folder: string): string {
  if (!isWatching) globalThis.addEventListener("unload", removeOpenParts);
  isWatching = true;
  const path = join(folder, `.fw-${crypto.randomUUID()}.part`);
  open.add(path);
  return path;
}

/**
 * Releases a partial file that was renamed or removed.
 *
 * @param path The part's path.
 */
function releasePart(path: string): void {
  open.delete(path);
}

/**
 * Removes old partial files that killed processes have left in a folder. Runs at most once per hour and folder.
 *
 * @param folder The folder to clean up.
 */
async function sweepParts(folder: string): Promise<void> {
  if (swept.get(folder) !== undefined) return;
  swept.set(folder, true);
  try {
    for await (const entry of Deno.readDir(folder)) {
      if (entry.isFile && partName.test(entry.name)) await removeOld(join(folder, entry.name));
    }
  } catch {
    // Files that cannot be listed or removed now are tried again in an hour. This does not affect the current upload.
  }
}

async function removeOld(path: string): Promise<void> {
  if (open.has(path)) return;
  const { mtime } = await Deno.lstat(path);
  if (mtime !== null && Date.now() - mtime.getTime() > oldAfter) await Deno.remove(path);
}

function removeOpenParts(): void {
  for (const path of open) {
    try {
      Deno.removeSync(path);
    } catch {
      // The file has not been created yet or has already been removed.
    }
  }
}

/** Wraps an error thrown by a callback to distinguish it from the errors that are returned. */
export class Refusal extends Error {}

/** The target folder of an upload. */
export class UploadFolder {
  readonly #directory: string;
  #root: string | undefined = undefined;
  /** The files saved by this upload. */
  readonly #taken = new Set<string>();
  /** The next number to try for each file name. */
  readonly #numbers = new Map<string, number>();

  /**
   * Creates an upload folder. The folder on disk is created when the first file is saved.
   *
   * @param directory The folder's path.
   */
  constructor(directory: string) {
    this.#directory = directory;
  }

  /**
   * Writes a file under a temporary name. It may replace a file from an earlier upload, but not one from the same
   * upload.
   *
   * @param name The file name, relative to the folder.
   * @param content The file's bytes.
   * @returns The complete file.
   */
  async stage(name: string, content: AsyncIterable<Uint8Array>): Promise<StagedFile> {
    const target = await this.#target(name);
    const part = reservePart(dirname(target));
    try {
      const size = await write(part, content);
      return new StagedFile(part, target, { size, name: join(dirname(name), basename(target)).replaceAll(sep, "/") });
    } catch (error) {
      await discardPart(part);
      throw error;
    }
  }

  /** Determines the path for a file and creates its parent folders. */
  async #target(name: string): Promise<string> {
    const root = this.#root ??= await createRoot(this.#directory);
    const wanted = join(root, name);
    const isFolder = name === "" || wanted.endsWith(sep) || wanted === root;
    if (isFolder || name.includes("\0")) throw refuse(name, "it is not a valid file name");
    if (isAbsolute(name) || !isInside(root, wanted)) throw refuse(name, "it is outside the folder");
    assertPlain(name, wanted.slice(root.length + 1));
    const parent = dirname(wanted) === root ? root : await createParent(root, dirname(wanted), name);
    const target = await this.#free(join(parent, basename(wanted)));
    await assertReplaceable(root, target, name);
    this.#taken.add(nameKey(target));
    return target;
  }

  /**
   * Returns a path that is not in use. If two files in an upload have the same name, the second one becomes `name
   * (1).ext`. It must not replace a file from an earlier upload either, because the client did not choose the number.
   */
  async #free(target: string): Promise<string> {
    if (!this.#taken.has(nameKey(target))) return target;
    const first = this.#numbers.get(nameKey(target)) ?? 1;
    const number = await firstFree(first, (number) => this.#isTaken(numbered(target, number)));
    this.#numbers.set(nameKey(target), number + 1);
    return numbered(target, number);
  }

  async #isTaken(path: string): Promise<boolean> {
    return this.#taken.has(nameKey(path)) || await lstat(path) !== null;
  }
}

/** A complete file that is not visible in the folder yet. */
export class StagedFile {
  /** The size in bytes. */
  readonly size: number;
  /** The final file name. */
  readonly name: string;
  readonly #part: string;
  readonly #target: string;

  constructor(part: string, target: string, { size, name }: { readonly size: number; readonly name: string }) {
    this.#part = part;
    this.#target = target;
    this.size = size;
    this.name = name;
  }

  /** Renames the file to its final name. If this fails, the file is removed. */
  async publish(): Promise<void> {
    try {
      await Deno.rename(this.#part, this.#target);
      await sweepParts(dirname(this.#target));
      releasePart(this.#part);
    } catch (error) {
      await this.discard();
      throw error;
    }
  }

  /** Removes the file. */
  async discard(): Promise<void> {
    await discardPart(this.#part);
  }
}

async function discardPart(part: string): Promise<void> {
  await Deno.remove(part).catch(() => {});
  releasePart(part);
}

/** Returns the path with a number appended to the file name. */
function numbered(target: string, number: number): string {
  return join(dirname(target), shortName(basename(target), ` (${number})`));
}

/**
 * Finds a free number, not necessarily the first one. The step size doubles and then halves, because calling `lstat`
 * for each number in use would make every upload slower than the last.
 */
async function firstFree(first: number, isTaken: (number: number) => Promise<boolean>): Promise<number> {
  let taken = first - 1;
  let free = first;
  for (let step = 1; await isTaken(free); step *= 2) {
    taken = free;
    free += step;
  }
  while (free - taken > 1) {
    const middle = Math.floor((taken + free) / 2);
    if (await isTaken(middle)) taken = middle;
    else free = middle;
  }
  return free;
}

/**
 * Writes a whole file. A single chunk is written with `Deno.writeFile`, and a longer file chunk by chunk.
 *
 * `Deno.writeFile` is not used with a stream. On Deno 2.9.5, it requests the next chunk before it has written the last
 * one, whose memory has been reused by then. It also treats a final chunk that did not fit on the disk as written.
 */
async function write(path: string, content: AsyncIterable<Uint8Array>): Promise<number> {
  let head: Uint8Array | undefined;
  let file: Deno.FsFile | undefined;
  let size = 0;
  try {
    for await (const chunk of content) {
      size += chunk.length;
      if (head === undefined) {
        head = chunk.slice();
        continue;
      }
      if (file === undefined) {
        file = await Deno.open(path, { write: true, createNew: true });
        await writeAll(file, head);
      }
      await writeAll(file, chunk);
    }
    if (file === undefined) await Deno.writeFile(path, head ?? new Uint8Array(), { createNew: true });
    return size;
  } finally {
    file?.close();
  }
}

async function writeAll(file: Deno.FsFile, bytes: Uint8Array): Promise<void> {
  for (let at = 0; at < bytes.length;) at += await file.write(at === 0 ? bytes : bytes.subarray(at));
}

async function createRoot(directory: string): Promise<string> {
  await Deno.mkdir(directory, { recursive: true });
  return await Deno.realPath(directory);
}

/** Creates a subfolder, but not through a link that leads out of the root. */
async function createParent(root: string, parent: string, name: string): Promise<string> {
  let known = parent;
  while (await lstat(known) === null) known = dirname(known);
  if (!isInside(root, await Deno.realPath(known))) throw refuse(name, "it is outside the folder");
  await Deno.mkdir(parent, { recursive: true });
  const real = await Deno.realPath(parent);
  if (!isInside(root, real)) throw refuse(name, "it is outside the folder");
  return real;
}

/** Rejects the name of a callback if Windows would store the file under another name. */
function assertPlain(name: string, path: string): void {
  if (Deno.build.os !== "windows" || path.split(sep).every((part) => isPlainName(part, "windows"))) return;
  throw refuse(name, "it is not a valid file name");
}

async function assertReplaceable(root: string, target: string, name: string): Promise<void> {
  const info = await lstat(target);
  if (info?.isDirectory) throw refuse(name, "a folder with this name exists");
  if (info?.isSymlink && !isInside(root, await Deno.realPath(target).catch(() => ""))) {
    throw refuse(name, "it is a link that leads out of the folder");
  }
}

async function lstat(path: string): Promise<Deno.FileInfo | null> {
  try {
    return await Deno.lstat(path);
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return null;
    throw error;
  }
}

function refuse(name: string, state: string): FrameworkError {
  return new FrameworkError("FW_UPLOAD", `Cannot save uploaded file "${name}": ${state}`);
}
