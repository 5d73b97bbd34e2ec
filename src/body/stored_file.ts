/**
 * One file of a form, from its first byte to the `File` that a handler gets.
 *
 * @module
 */

import { FrameworkError } from "../base/errors.ts";
import type { FileHeader } from "./file_header.ts";
import type { FileStore } from "./spill_store.ts";
import { spilledFile } from "./spilled_file.ts";

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
