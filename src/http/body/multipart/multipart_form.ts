/**
 * Multipart forms.
 *
 * @module
 */

import { addValue } from "../../headers/urlencoded.ts";
import { FileHeader } from "../form/file_header.ts";
import { safeName } from "../form/safe_name.ts";
import { Form } from "../form/form.ts";
import type { FileStore } from "../form/spill_store.ts";
import { StoredFile } from "../form/stored_file.ts";
import { checkField, tooLarge } from "../source/body_errors.ts";
import type { BodyLimits } from "../source/body_limits.ts";
import type { Chunk, MultipartReader } from "./multipart_reader.ts";
import type { PartHeader } from "./part_header.ts";

const decoder = new TextDecoder("utf-8", { ignoreBOM: true });

const multipartAct = "read the multipart form";

/** Reads the parts of a body into a form, either as a whole or file by file. */
export class FormReader {
  /** The fields and files read so far. */
  readonly form: Form = new Form();
  readonly #parts: MultipartReader;
  readonly #store: FileStore;
  readonly #limits: BodyLimits;
  #fieldBytes = 0;
  /** The file whose bytes come next. If they are not read, they are skipped. */
  #current: StoredFile | undefined = undefined;
  /** Bytes that were read in advance to determine whether a part without a file name is a file. */
  #ahead: Chunk | null = null;
  #failure: { error: unknown } | undefined = undefined;

  /**
   * Creates a reader at the start of a body.
   *
   * @param parts The parts of the body.
   * @param store The store for file bytes.
   * @param limits The limits for the form.
   */
  constructor(parts: MultipartReader, store: FileStore, limits: BodyLimits) {
    this.#parts = parts;
    this.#store = store;
    this.#limits = limits;
  }

  /**
   * Reads fields up to the next file, skipping the rest of the current file.
   *
   * @returns The file, before any of its bytes are read, or `null` after the last part.
   */
  nextFile(): Promise<StoredFile | null> {
    return this.#keepFailure(() => this.#nextFile());
  }

  /**
   * Reads from the current file.
   *
   * @returns The next bytes, valid until the next call, or `null` at the end of the file.
   */
  chunk(): Promise<Chunk | null> {
    return this.#keepFailure(() => this.#chunk());
  }

  /**
   * Reads the rest of the body and stores its files.
   *
   * @returns The complete form.
   */
  rest(): Promise<Form> {
    return this.#keepFailure(() => this.#rest());
  }

  async #nextFile(): Promise<StoredFile | null> {
    this.#current = undefined;
    this.#ahead = null;
    for (let part = await this.#parts.next(); part !== null; part = await this.#parts.next()) {
      const { filename } = part;
      if (filename === undefined) {
        const text = await this.#field();
        checkField(multipartAct, part.name, text);
        addValue(this.form.values, part.name, text);
        continue;
      }
      if (filename === "") {
        this.#ahead = await this.#parts.chunk();
        // Browsers send an empty file name for a file input without a selected file.
        if (this.#ahead === null) continue;
      }
      return this.#current = this.#newFile(part, filename);
    }
    return null;
  }

  #chunk(): Chunk | null | Promise<Chunk | null> {
    const ahead = this.#ahead;
    this.#ahead = null;
    return ahead ?? this.#parts.chunk();
  }

  async #rest(): Promise<Form> {
    let file = this.#current ?? await this.#nextFile();
    for (; file !== null; file = await this.#nextFile()) {
      if (file.wasStreamedToDisk) continue;
      for (let chunk = await this.#chunk(); chunk !== null; chunk = await this.#chunk()) {
        await file.write(chunk, this.#parts.isStable);
      }
      file.finish();
    }
    return this.form;
  }

  #newFile(part: PartHeader, filename: string): StoredFile {
    const file = new StoredFile(
      part.name,
      new FileHeader({ field: part.name, filename: safeName(filename), type: part.type, block: part.block }),
      part.type,
      this.#store,
    );
    this.form.files.push(file);
    return file;
  }

  async #field(): Promise<string> {
    const chunk = await this.#parts.chunk();
    if (chunk === null) return "";
    // Most fields arrive in a single chunk, and a separate decoder would cost more than everything else about the
    // field.
    return this.#parts.isPartRead ? decoder.decode(this.#admit(chunk)) : await this.#longField(chunk);
  }

  async #longField(start: Chunk): Promise<string> {
    const decoder = new TextDecoder("utf-8", { ignoreBOM: true });
    let text = "";
    for (let chunk: Chunk | null = start; chunk !== null; chunk = await this.#parts.chunk()) {
      text += decoder.decode(this.#admit(chunk), { stream: true });
    }
    return text + decoder.decode();
  }

  /** Counts the bytes of the fields. */
  #admit(chunk: Chunk): Chunk {
    const { maxFormSize } = this.#limits;
    this.#fieldBytes += chunk.length;
    if (this.#fieldBytes > maxFormSize) throw tooLarge(multipartAct, `its fields are larger than ${maxFormSize} bytes`);
    return chunk;
  }

  /** Stores a failure. Continuing to read after it would produce parts that do not exist. */
  async #keepFailure<T>(work: () => T | Promise<T>): Promise<T> {
    if (this.#failure !== undefined) throw this.#failure.error;
    try {
      return await work();
    } catch (error) {
      this.#failure = { error };
      throw error;
    }
  }
}
