/**
 * Where the files of a form lie until the request ends: in memory up to a limit, then in a temporary file.
 *
 * @module
 */

import { FrameworkError } from "../base/errors.ts";
import { openTemporary } from "./temporary_file.ts";

/** The files of one request. */
export class FileStore {
  #free: number;
  #file: Deno.FsFile | undefined = undefined;
  #path: string | undefined = undefined;
  #size = 0;
  #closed = false;

  /**
   * Creates an empty store.
   *
   * @param memory How many bytes may stay in memory.
   */
  constructor(memory: number) {
    this.#free = memory;
  }

  /** True while there is a temporary file. */
  get isOnDisk(): boolean {
    return this.#file !== undefined;
  }

  /**
   * Asks for room in memory.
   *
   * @param size How many bytes are wanted; a negative number returns them.
   * @returns True if they may be kept in memory.
   */
  reserve(size: number): boolean {
    if (size > this.#free) return false;
    this.#free -= size;
    return true;
  }

  /**
   * Writes bytes behind those that were written before, and waits until they are.
   *
   * @param bytes The bytes.
   * @returns The position of the first of them.
   */
  async append(bytes: Uint8Array): Promise<number> {
    const start = this.#size;
    try {
      const file = this.#file ??= this.#open();
      for (let at = 0; at < bytes.length;) at += await file.write(at === 0 ? bytes : bytes.subarray(at));
    } catch (error) {
      const state = error instanceof Deno.errors.NotCapable
        ? "Deno has no permission for the temporary folder, run with --allow-read and --allow-write for it"
        : "the temporary file cannot be written";
      throw new FrameworkError("FW_UPLOAD", `Cannot keep an uploaded file: ${state}`, { cause: error });
    }
    this.#size += bytes.length;
    return start;
  }

  /**
   * Reads bytes that were written.
   *
   * @param position The position of the first.
   * @param target Where they are put; it is filled.
   */
  read(position: number, target: Uint8Array): void {
    const file = this.#file;
    if (this.#closed || file === undefined) {
      throw new FrameworkError("FW_STATE", "Cannot read an uploaded file: its request has ended");
    }
    // Position and read in one go: several streams share the one file.
    file.seekSync(position, Deno.SeekMode.Start);
    for (let at = 0; at < target.length;) {
      const count = file.readSync(target.subarray(at));
      if (count === null) throw new FrameworkError("FW_UPLOAD", "Cannot read an uploaded file: it was cut off");
      at += count;
    }
  }

  /** Forgets the files. */
  close(): void {
    this.#closed = true;
    this.#file?.close();
    this.#file = undefined;
    if (this.#path !== undefined) Deno.removeSync(this.#path);
    this.#path = undefined;
  }

  #open(): Deno.FsFile {
    if (this.#closed) throw new FrameworkError("FW_STATE", "Cannot keep an uploaded file: its request has ended");
    const { file, path } = openTemporary();
    this.#path = path;
    return file;
  }
}
