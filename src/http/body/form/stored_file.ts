/**
 * An uploaded file, from its first byte to the `File` object that the handler receives.
 *
 * @module
 */

import { FrameworkError } from "../../../base/errors/errors.ts";
import type { FileHeader } from "./file_header.ts";
import type { FileStore } from "./spill_store.ts";

const chunkSize = 64 << 10;

/** The location of a file's bytes in the store. */
interface Section {
  readonly store: FileStore;
  readonly start: number;
  readonly size: number;
}

/**
 * Creates an uploaded file whose bytes are on disk. It can be read until its request ends.
 *
 * @param section The location of the bytes.
 * @param name The file name.
 * @param options The file's type.
 * @returns The file. Its slices are read from disk too.
 */
function spilledFile(section: Section, name: string, options: FilePropertyBag): File {
  return readFrom(section, new File([], name, options));
}

/** Overrides all members of an empty file or blob that depend on its content. */
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

/** An uploaded file and the location of its bytes. */
export class StoredFile {
  /** The name of the form field. */
  readonly field: string;
  /** The file's metadata. A callback may change it. */
  readonly header: FileHeader;
  readonly #type: string;
  readonly #store: FileStore;
  #chunks: Uint8Array<ArrayBuffer>[] = [];
  #start = -1;
  #size = 0;
  #file: File | undefined = undefined;
  /** Whether the bytes were written directly to a folder and are not stored here. */
  wasStreamedToDisk = false;

  /**
   * Creates an empty file.
   *
   * @param field The name of the form field.
   * @param header The file's metadata.
   * @param type The part's content type, or an empty string if it has none.
   * @param store The store for bytes that do not fit in memory.
   */
  constructor(field: string, header: FileHeader, type: string, store: FileStore) {
    this.field = field;
    this.header = header;
    this.#type = type;
    this.#store = store;
  }

  /**
   * Appends bytes and waits until they are stored.
   *
   * @param chunk The bytes to append.
   * @param isStable Whether the bytes will not change and therefore do not need to be copied.
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

  /** Marks the file as complete. */
  finish(): void {
    this.header.Size = this.#size;
  }

  /**
   * Returns the file as a platform `File` object, which is created once.
   *
   * @returns The `File` object.
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
   * Reads the file in chunks.
   *
   * @returns The chunks of the file.
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
      `Cannot read uploaded file "${this.header.Filename}": it was already streamed to its folder`,
    );
  }
}
