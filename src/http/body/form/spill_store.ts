/**
 * Stores the files of a form until the request ends. Files are kept in memory up to a limit and in a temporary file
 * after that.
 *
 * @module
 */

import { FrameworkError } from "../../../base/errors/errors.ts";

/** An open temporary file. */
interface TemporaryFile {
  readonly file: Deno.FsFile;
  /** The path to remove when the file is closed, or `undefined` if the file is already unlinked. */
  readonly path: string | undefined;
}

/**
 * Opens a new temporary file for reading and writing.
 *
 * @returns The open file.
 */
export function openTemporary(): TemporaryFile {
  const path = createTemporary();
  const file = Deno.openSync(path, { read: true, write: true });
  // The file is unlinked while it is still open, so that it is removed no matter how the request or the process ends.
  // On Windows, too, it disappears with its last handle.
  try {
    Deno.removeSync(path);
    return { file, path: undefined };
  } catch {
    // Another program, such as a virus scanner, has the file open, or the file system does not allow this.
    return { file, path: removeLater(path) };
  }
}

const left = new Set<string>();

/** Removes a file when the process exits, unless it is removed before that. */
function removeLater(path: string): string {
  if (left.size === 0) globalThis.addEventListener("unload", removeLeft, { once: true });
  left.add(path);
  return path;
}

/**
 * Removes a temporary file after it was closed.
 *
 * @param path The path of the file.
 */
function removeTemporary(path: string): void {
  left.delete(path);
  Deno.removeSync(path);
}

function removeLeft(): void {
  for (const path of left) {
    try {
      Deno.removeSync(path);
    } catch {
      // The file has already been removed.
    }
  }
}

function createTemporary(): string {
  try {
    return Deno.makeTempFileSync({ prefix: "fw-" });
  } catch (error) {
    if (!(error instanceof Deno.errors.NotFound)) throw error;
    // The platform's message does not say which folder is missing.
    throw new Deno.errors.NotFound(`The temporary folder does not exist: "${temporaryFolder()}"`, {
      cause: error,
    });
  }
}

/**
 * Returns the temporary folder according to the platform's rules, or the name of the environment variable if there is
 * no permission to read it.
 */
function temporaryFolder(): string {
  const variable = Deno.build.os === "windows" ? "TMP" : "TMPDIR";
  const { state } = Deno.permissions.querySync({ name: "env", variable });
  if (state !== "granted") return `$${variable}`;
  return Deno.env.get(variable) ?? (Deno.build.os === "windows" ? "%TEMP%" : "/tmp");
}

/** The files of a request. */
export class FileStore {
  #free: number;
  #file: Deno.FsFile | undefined = undefined;
  #path: string | undefined = undefined;
  #size = 0;
  #closed = false;

  /**
   * Creates an empty store.
   *
   * @param memory The maximum number of bytes to hold in memory.
   */
  constructor(memory: number) {
    this.#free = memory;
  }

  /** Reports whether there is a temporary file. */
  get isOnDisk(): boolean {
    return this.#file !== undefined;
  }

  /**
   * Reserves memory.
   *
   * @param size The number of bytes to reserve. A negative number releases them.
   * @returns `true` if the bytes may be held in memory.
   */
  reserve(size: number): boolean {
    if (size > this.#free) return false;
    this.#free -= size;
    return true;
  }

  /**
   * Appends bytes to the temporary file and waits until they are written.
   *
   * @param bytes The bytes to write.
   * @returns The position of the first byte.
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
      throw new FrameworkError("FW_UPLOAD", `Cannot store an uploaded file: ${state}`, { cause: error });
    }
    this.#size += bytes.length;
    return start;
  }

  /**
   * Reads bytes from the temporary file.
   *
   * @param position The position of the first byte.
   * @param target The array to fill.
   */
  read(position: number, target: Uint8Array): void {
    const file = this.#file;
    if (this.#closed || file === undefined) {
      throw new FrameworkError("FW_STATE", "Cannot read an uploaded file: its request has ended");
    }
    // Seeking and reading are done in one synchronous step, because several streams share the file.
    file.seekSync(position, Deno.SeekMode.Start);
    for (let at = 0; at < target.length;) {
      const count = file.readSync(target.subarray(at));
      if (count === null) {
        throw new FrameworkError("FW_UPLOAD", "Cannot read an uploaded file: the temporary file is truncated");
      }
      at += count;
    }
  }

  /** Discards the files. */
  close(): void {
    this.#closed = true;
    this.#file?.close();
    this.#file = undefined;
    if (this.#path !== undefined) removeTemporary(this.#path);
    this.#path = undefined;
  }

  #open(): Deno.FsFile {
    if (this.#closed) throw new FrameworkError("FW_STATE", "Cannot store an uploaded file: its request has ended");
    const { file, path } = openTemporary();
    this.#path = path;
    return file;
  }
}
