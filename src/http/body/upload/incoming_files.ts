/**
 * The uploaded files of a form that has been parsed, or files streamed from the connection.
 *
 * @module
 */

import type { Form } from "../form/form.ts";
import type { StoredFile } from "../form/stored_file.ts";
import type { FormReader } from "../multipart/multipart_form.ts";

/** A sequence of files. */
export interface IncomingFiles {
  /** Advances to the next file. Returns `null` after the last one. */
  next(): Promise<StoredFile | null>;
  /** Returns the bytes of the file last returned by `next`. A chunk is valid until the next one is read. */
  content(file: StoredFile): AsyncIterable<Uint8Array>;
  /** Ends the upload. No more files will be requested. */
  end(): void;
}

/** The files of a form that has already been read. */
export class FormFiles implements IncomingFiles {
  readonly #form: Form;
  #at = 0;

  /** Creates an iterator over the files of a form. */
  constructor(form: Form) {
    this.#form = form;
  }

  next(): Promise<StoredFile | null> {
    return Promise.resolve(this.#form.files[this.#at++] ?? null);
  }

  content(file: StoredFile): AsyncIterable<Uint8Array> {
    return file.chunks();
  }

  end(): void {}
}

/**
 * Files that are still being received. They are not stored unless the form is requested in the meantime. For example, a
 * callback may read a form field to choose a file name. Without storing the files, it would wait for the upload, which
 * waits for the callback.
 */
export class StreamedFiles implements IncomingFiles {
  readonly #reader: FormReader;
  #at = 0;
  /**
   * Whether the form may use the reader. This is possible between two files, before the content of a file, and at the
   * end.
   */
  #isIdle = false;
  #waiting: PromiseWithResolvers<Form> | undefined = undefined;
  #whole: Promise<Form> | undefined = undefined;
  /** The first file, if the form fields before it have been requested. */
  #first: Promise<StoredFile | null> | undefined = undefined;

  /** Creates the sequence of a body's files. */
  constructor(reader: FormReader) {
    this.#reader = reader;
  }

  /** Reports whether no file has been taken yet. */
  get isUntouched(): boolean {
    return this.#at === 0 && this.#whole === undefined;
  }

  /**
   * Reads the fields before the first file.
   *
   * @returns The fields that have been read so far, and whether these are all fields of the form.
   */
  async leadingFields(): Promise<{ values: Form["values"]; isWhole: boolean }> {
    const { values } = this.#reader.form;
    if (!this.isUntouched) return { values, isWhole: true };
    const first = await (this.#first ??= this.#reader.nextFile().finally(() => this.#rest()));
    return { values, isWhole: first === null };
  }

  async next(): Promise<StoredFile | null> {
    this.#isIdle = false;
    const at = this.#at++;
    const first = this.#first;
    this.#first = undefined;
    if (at === 0 && first !== undefined && this.#whole === undefined) return await first.finally(() => this.#rest());
    try {
      return this.#whole === undefined ? await this.#reader.nextFile() : (await this.#whole).files[at] ?? null;
    } finally {
      // This also runs after a failure, so that a caller waiting for the form gets the error.
      this.#rest();
    }
  }

  async *content(file: StoredFile): AsyncGenerator<Uint8Array> {
    if (this.#whole === undefined) {
      this.#isIdle = false;
      file.wasStreamedToDisk = true;
      for (let chunk = await this.#reader.chunk(); chunk !== null; chunk = await this.#reader.chunk()) yield chunk;
    } else {
      await this.#whole;
      yield* file.chunks();
    }
  }

  end(): void {
    this.#rest();
  }

  /** Returns the form with its fields and the files that have not been consumed yet. */
  form(): Promise<Form> {
    if (this.#whole !== undefined) return this.#whole;
    this.#waiting ??= Promise.withResolvers();
    const { promise } = this.#waiting;
    if (this.#isIdle) this.#rest();
    return promise;
  }

  /** Lets the form use the reader if the form has been requested. */
  #rest(): void {
    this.#isIdle = true;
    if (this.#waiting === undefined) return;
    this.#whole ??= this.#reader.rest();
    this.#waiting.resolve(this.#whole);
  }
}
