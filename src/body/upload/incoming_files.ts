/**
 * The files of a form as an upload takes them: from a form that is read, or straight from the connection.
 *
 * @module
 */

import type { Form } from "../form.ts";
import type { FormReader } from "../multipart/multipart_form.ts";
import type { StoredFile } from "../stored_file.ts";

/** Files that come one after another. */
export interface IncomingFiles {
  /** Goes on to the next file; `null` after the last. */
  next(): Promise<StoredFile | null>;
  /** The bytes of the file that `next` returned last. A chunk is good until the next one is asked for. */
  content(file: StoredFile): AsyncIterable<Uint8Array>;
  /** Ends the upload: no more files are asked for. */
  end(): void;
}

/** The files of a form that was read before. */
export class FormFiles implements IncomingFiles {
  readonly #form: Form;
  #at = 0;

  /** Takes the files of a form, from the first. */
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
 * Files that are still on their way. Nothing of them is kept, unless the form is asked for meanwhile: a callback that
 * names a file after a field may do so, and would otherwise wait for the upload that waits for it.
 */
export class StreamedFiles implements IncomingFiles {
  readonly #reader: FormReader;
  #at = 0;
  /** True while the reader may be used by the form: between two files, before the bytes of one, and at the end. */
  #isIdle = false;
  #waiting: PromiseWithResolvers<Form> | undefined = undefined;
  #whole: Promise<Form> | undefined = undefined;
  /** The first file, if the fields before it were asked for. */
  #first: Promise<StoredFile | null> | undefined = undefined;

  /** Takes the files of a body, from the first. */
  constructor(reader: FormReader) {
    this.#reader = reader;
  }

  /** True as long as no file was taken. */
  get isUntouched(): boolean {
    return this.#at === 0 && this.#whole === undefined;
  }

  /**
   * Reads the fields before the first file.
   *
   * @returns What was read so far, and whether that is all.
   */
  async leadingFields(): Promise<{ form: Form; isWhole: boolean }> {
    if (!this.isUntouched) return { form: this.#reader.form, isWhole: true };
    const first = await (this.#first ??= this.#reader.nextFile().finally(() => this.#rest()));
    return { form: this.#reader.form, isWhole: first === null };
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
      // Also after a failure: a caller that waits for the form is told, and does not wait for ever.
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

  /** The form: its fields, and those files that were not yet taken. */
  form(): Promise<Form> {
    if (this.#whole !== undefined) return this.#whole;
    this.#waiting ??= Promise.withResolvers();
    const { promise } = this.#waiting;
    if (this.#isIdle) this.#rest();
    return promise;
  }

  /** Lets the form have the reader, if it wants it. */
  #rest(): void {
    this.#isIdle = true;
    if (this.#waiting === undefined) return;
    this.#whole ??= this.#reader.rest();
    this.#waiting.resolve(this.#whole);
  }
}
