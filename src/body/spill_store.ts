/**
 * Where the files of a form lie until the request ends: in memory up to a limit, then in a temporary file.
 *
 * @module
 */

import { FrameworkError } from "../base/errors.ts";
import type { FileHeader } from "./file_header.ts";

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
      throw new FrameworkError("FW_UPLOAD", "Cannot keep an uploaded file: the temporary file cannot be written", {
        cause: error,
      });
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

/** An open temporary file. */
interface TemporaryFile {
  readonly file: Deno.FsFile;
  /** The path to remove when it is closed; `undefined` where the file has none any more. */
  readonly path: string | undefined;
}

/**
 * Opens a new temporary file for reading and writing.
 *
 * @returns The file.
 */
function openTemporary(): TemporaryFile {
  const path = createTemporary();
  const file = Deno.openSync(path, { read: true, write: true });
  // Removed while it is open, the file is gone however the request or the process ends. Windows does not allow it.
  if (Deno.build.os === "windows") return { file, path };
  Deno.removeSync(path);
  return { file, path: undefined };
}

function createTemporary(): string {
  try {
    return Deno.makeTempFileSync({ prefix: "fw-" });
  } catch (error) {
    if (!(error instanceof Deno.errors.NotFound)) throw error;
    // The platform's message does not say which folder it is that is missing.
    throw new Deno.errors.NotFound(`The folder for temporary files does not exist: "${temporaryFolder()}"`, {
      cause: error,
    });
  }
}

/** The folder by the platform's rule; without the permission to read the variable, its name. */
function temporaryFolder(): string {
  const variable = Deno.build.os === "windows" ? "TMP" : "TMPDIR";
  const { state } = Deno.permissions.querySync({ name: "env", variable });
  if (state !== "granted") return `$${variable}`;
  return Deno.env.get(variable) ?? (Deno.build.os === "windows" ? "%TEMP%" : "/tmp");
}

const chunkSize = 64 << 10;

/** Where the bytes of a file lie in the store. */
interface Section {
  readonly store: FileStore;
  readonly start: number;
  readonly size: number;
}

/**
 * Creates an uploaded file whose bytes are on disk. It can be read until its request ends.
 *
 * @param section Where the bytes lie.
 * @param name The name of the file.
 * @param options Its type.
 * @returns The file; its slices are read from the disk too.
 */
function spilledFile(section: Section, name: string, options: FilePropertyBag): File {
  return readFrom(section, new File([], name, options));
}

/** Replaces every member of an empty file or blob that tells of its bytes. */
function readFrom<T extends Blob>(section: Section, blob: T): T {
  return Object.defineProperties(blob, {
    size: { value: section.size },
    stream: { value: () => sectionStream(section) },
    bytes: { value: () => Promise.try(() => readSection(section)) },
    arrayBuffer: { value: () => Promise.try(() => readSection(section).buffer) },
    text: { value: () => Promise.try(() => new TextDecoder().decode(readSection(section))) },
    slice: {
      value: (start?: number, end?: number, type = "") =>
        readFrom(cutSection(section, start, end), new Blob([], { type })),
    },
  });
}

function readSection(section: Section): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(section.size);
  if (section.size > 0) section.store.read(section.start, bytes);
  return bytes;
}

function sectionStream(section: Section): ReadableStream<Uint8Array<ArrayBuffer>> {
  let at = 0;
  return new ReadableStream({
    pull(controller): void {
      const size = Math.min(chunkSize, section.size - at);
      if (size <= 0) return controller.close();
      const { store, start } = section;
      controller.enqueue(readSection({ store, start: start + at, size }));
      at += size;
    },
  }, { highWaterMark: 0 });
}

function cutSection(section: Section, start = 0, end = section.size): Section {
  const from = clamp(start, section.size);
  return { store: section.store, start: section.start + from, size: Math.max(0, clamp(end, section.size) - from) };
}

function clamp(index: number, size: number): number {
  const whole = Math.trunc(index) || 0;
  return whole < 0 ? Math.max(size + whole, 0) : Math.min(whole, size);
}

/** A file of a form and where its bytes lie. */
export class StoredFile {
  /** The name of the field. */
  readonly field: string;
  /** What the client says of the file; a callback may change it. */
  readonly header: FileHeader;
  readonly #type: string;
  readonly #store: FileStore;
  #chunks: Uint8Array<ArrayBuffer>[] = [];
  #start = -1;
  #size = 0;
  #file: File | undefined = undefined;
  /** True when the bytes went straight to a folder and are not held here. */
  wasStreamedToDisk = false;

  /**
   * Creates an empty file.
   *
   * @param field The name of the field.
   * @param header What the client says of the file.
   * @param type The content type of the part; empty when it has none.
   * @param store Where bytes go that memory has no room for.
   */
  constructor(field: string, header: FileHeader, type: string, store: FileStore) {
    this.field = field;
    this.header = header;
    this.#type = type;
    this.#store = store;
  }

  /**
   * Takes the next bytes, and waits until they are kept.
   *
   * @param chunk The bytes.
   * @param isStable True if they stay as they are and need no copy.
   */
  async write(chunk: Uint8Array<ArrayBuffer>, isStable: boolean): Promise<void> {
    if (this.#start < 0 && this.#store.reserve(chunk.length)) {
      this.#chunks.push(isStable ? chunk : chunk.slice());
    } else {
      if (this.#start < 0) await this.#spill();
      const at = await this.#store.append(chunk);
      if (this.#start < 0) this.#start = at;
    }
    this.#size += chunk.length;
  }

  /** Marks the end: all bytes have come. */
  finish(): void {
    this.header.Size = this.#size;
  }

  /**
   * The file as the platform knows files. It is created once.
   *
   * @returns The file.
   */
  open(): File {
    this.#assertHeld();
    const options = { type: this.#type === "" ? "application/octet-stream" : this.#type };
    const section = { store: this.#store, start: this.#start, size: this.#size };
    return this.#file ??= this.#start < 0
      ? new File(this.#chunks, this.header.Filename, options)
      : spilledFile(section, this.header.Filename, options);
  }

  /**
   * Reads the file piece by piece.
   *
   * @returns Its bytes.
   */
  async *chunks(): AsyncGenerator<Uint8Array> {
    this.#assertHeld();
    yield* this.#start < 0 ? this.#chunks : this.open().stream();
  }

  async #spill(): Promise<void> {
    for (const chunk of this.#chunks) {
      const at = await this.#store.append(chunk);
      if (this.#start < 0) this.#start = at;
    }
    this.#store.reserve(-this.#size);
    this.#chunks = [];
  }

  #assertHeld(): void {
    if (!this.wasStreamedToDisk) return;
    throw new FrameworkError(
      "FW_STATE",
      `Cannot read uploaded file "${this.header.Filename}": it was streamed to its folder before`,
    );
  }
}
