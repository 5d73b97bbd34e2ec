/**
 * An uploaded file, from its first byte to the `File` object that the handler receives.
 *
 * @module
 */

import { FrameworkError } from "../../errors/errors.ts";
import type { FileHeader } from "./file_header.ts";
import type { FileStore } from "./spill_store.ts";
import { spilledFile } from "./spilled_file.ts";

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
