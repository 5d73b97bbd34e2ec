/**
 * The folder that an upload fills: nothing gets out of it, and nothing half-written is seen in it.
 *
 * @module
 */

import { basename, dirname, isAbsolute, join, sep } from "node:path";
import { FrameworkError } from "../../base/errors.ts";
import { isInside } from "../../base/file_path.ts";
import { shortName } from "../file_header.ts";
import { releasePart, reservePart, sweepParts } from "./part_file.ts";

/** What a callback threw, on its way past the errors that are returned. */
export class Refusal extends Error {}

/** The folder of one upload. */
export class UploadFolder {
  readonly #directory: string;
  #root: string | undefined = undefined;
  /** What this upload has saved. */
  readonly #taken = new Set<string>();
  /** By name: the number that the next file of this name is tried with. */
  readonly #numbers = new Map<string, number>();

  /**
   * Names a folder; it is created when the first file is saved.
   *
   * @param directory The folder.
   */
  constructor(directory: string) {
    this.#directory = directory;
  }

  /**
   * Saves a file: in place of one of an earlier upload, beside one of this upload.
   *
   * @param name The name of the file, relative to the folder.
   * @param content Its bytes.
   * @returns How many bytes it has, and the name that it got.
   */
  async save(name: string, content: AsyncIterable<Uint8Array>): Promise<{ size: number; name: string }> {
    const target = await this.#target(name);
    const folder = dirname(target);
    const part = reservePart(folder);
    try {
      const size = await write(part, content);
      await Deno.rename(part, target);
      await sweepParts(folder);
      return { size, name: join(dirname(name), basename(target)) };
    } catch (error) {
      await Deno.remove(part).catch(() => {});
      throw error;
    } finally {
      releasePart(part);
    }
  }

  /** Finds the place for a file, and creates the folders on the way to it. */
  async #target(name: string): Promise<string> {
    const root = this.#root ??= await createRoot(this.#directory);
    const wanted = join(root, name);
    const isFolder = name === "" || wanted.endsWith(sep) || wanted === root;
    if (isFolder || name.includes("\0")) throw refuse(name, "this is not the name of a file");
    if (isAbsolute(name) || !isInside(root, wanted)) throw refuse(name, "it lies outside of the folder");
    const parent = dirname(wanted) === root ? root : await createParent(root, dirname(wanted), name);
    const target = await this.#free(join(parent, basename(wanted)));
    await assertReplaceable(root, target, name);
    this.#taken.add(key(target));
    return target;
  }

  /**
   * Two files of one upload may have one name: the later becomes `name (1).ext`. The number was not the client's
   * choice, so it must not replace a file of an earlier upload either.
   */
  async #free(target: string): Promise<string> {
    if (!this.#taken.has(key(target))) return target;
    const first = this.#numbers.get(key(target)) ?? 1;
    const number = await firstFree(first, (number) => this.#isTaken(numbered(target, number)));
    this.#numbers.set(key(target), number + 1);
    return numbered(target, number);
  }

  async #isTaken(path: string): Promise<boolean> {
    return this.#taken.has(key(path)) || await lstat(path) !== null;
  }
}

/** The path of a file with a number behind its name. */
function numbered(target: string, number: number): string {
  return join(dirname(target), shortName(basename(target), ` (${number})`));
}

/**
 * Finds a number that is free, though not taken for the first of them where some in between are free. In steps that
 * double, and then halve: one `lstat` for every number that earlier uploads took would make each upload slower.
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
 * Writes a file whole: one of a single chunk with `Deno.writeFile`, a longer one chunk by chunk.
 *
 * A longer one not with `Deno.writeFile` and a stream: on Deno 2.9.5 it asks for the next chunk before it has written
 * the last one, whose memory is used again by then, and takes a final chunk that did not fit on the disk for written.
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

/** Creates a sub-folder, but not through a link that leads out of the root. */
async function createParent(root: string, parent: string, name: string): Promise<string> {
  let known = parent;
  while (await lstat(known) === null) known = dirname(known);
  if (!isInside(root, await Deno.realPath(known))) throw refuse(name, "it lies outside of the folder");
  await Deno.mkdir(parent, { recursive: true });
  const real = await Deno.realPath(parent);
  if (!isInside(root, real)) throw refuse(name, "it lies outside of the folder");
  return real;
}

async function assertReplaceable(root: string, target: string, name: string): Promise<void> {
  const info = await lstat(target);
  if (info?.isDirectory) throw refuse(name, "a folder has this name");
  if (info?.isSymlink && !isInside(root, await Deno.realPath(target).catch(() => ""))) {
    throw refuse(name, "it is a link that leads outside of the folder");
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

/** Elsewhere than on Linux, file systems mostly take `A.txt` and `a.txt` for one file. */
function key(path: string): string {
  return Deno.build.os === "linux" ? path : path.toLowerCase();
}

function refuse(name: string, state: string): FrameworkError {
  return new FrameworkError("FW_UPLOAD", `Cannot save uploaded file "${name}": ${state}`);
}
