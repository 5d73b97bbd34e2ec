/**
 * Multipart bodies as forms.
 *
 * @module
 */

import { addValue } from "../../http/urlencoded.ts";
import { tooLarge } from "../body_errors.ts";
import type { BodyLimits } from "../body_limits.ts";
import { FileHeader } from "../file_header.ts";
import { Form } from "../form.ts";
import type { FileStore } from "../spill_store.ts";
import { StoredFile } from "../stored_file.ts";
import type { Chunk, MultipartReader } from "./multipart_reader.ts";
import type { PartHeader } from "./part_header.ts";

const decoder = new TextDecoder("utf-8", { ignoreBOM: true });

const multipartAct = "read the multipart form";

/** Reads the parts of one body into a form, file by file or all at once. */
export class FormReader {
  /** What was read so far. */
  readonly form: Form = new Form();
  readonly #parts: MultipartReader;
  readonly #store: FileStore;
  readonly #limits: BodyLimits;
  #fieldBytes = 0;
  /** The file whose bytes come next; they are skipped unless they are asked for. */
  #current: StoredFile | undefined = undefined;
  /** Bytes that were read ahead to see whether a file without a name is one at all. */
  #ahead: Chunk | null = null;
  #failure: { error: unknown } | undefined = undefined;

  /**
   * Creates a reader at the start of a body.
   *
   * @param parts The body.
   * @param store Where the bytes of files go.
   * @param limits How much may be kept.
   */
  constructor(parts: MultipartReader, store: FileStore, limits: BodyLimits) {
    this.#parts = parts;
    this.#store = store;
    this.#limits = limits;
  }

  /**
   * Reads fields up to the next file; what is left of the current file is skipped.
   *
   * @returns The file, of which no byte is read yet; `null` after the last part.
   */
  nextFile(): Promise<StoredFile | null> {
    return this.#keepFailure(() => this.#nextFile());
  }

  /**
   * Reads on in the current file.
   *
   * @returns Its next bytes, good until the next call; `null` at its end.
   */
  chunk(): Promise<Chunk | null> {
    return this.#keepFailure(() => this.#chunk());
  }

  /**
   * Reads what is left of the body, and keeps its files.
   *
   * @returns The whole form.
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
        addValue(this.form.values, part.name, await this.#field());
        continue;
      }
      if (filename === "") {
        this.#ahead = await this.#parts.chunk();
        // A browser sends this for a file input without a chosen file.
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
      new FileHeader({ field: part.name, filename, type: part.type, block: part.block }),
      part.type,
      this.#store,
    );
    this.form.files.push(file);
    return file;
  }

  async #field(): Promise<string> {
    const chunk = await this.#parts.chunk();
    if (chunk === null) return "";
    // Most fields are one chunk, and a decoder of its own costs more than the rest of the field.
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

  /** Counts the bytes of fields. */
  #admit(chunk: Chunk): Chunk {
    const { maxFormSize } = this.#limits;
    this.#fieldBytes += chunk.length;
    if (this.#fieldBytes > maxFormSize) throw tooLarge(multipartAct, `its fields are larger than ${maxFormSize} bytes`);
    return chunk;
  }

  /** Keeps a failure: reading on behind it would find parts where there are none. */
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
