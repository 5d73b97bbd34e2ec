/**
 * Forms: the body of a request read into fields and files, urlencoded or multipart, at once or file by file.
 *
 * @module
 */

import { addValue, hasMorePairs, parseUrlencoded, type ValueMap, valueMap } from "../http/urlencoded.ts";
import { type BodyLimits, tooLarge } from "./body_head.ts";
import { FileHeader, type PartHeader } from "./file_header.ts";
import { ByteWindow, type Chunk, MultipartReader } from "./multipart_reader.ts";
import type { Source } from "./source.ts";
import { FileStore, StoredFile } from "./spill_store.ts";

/** What a form is read from. */
export interface FormBytes {
  /** All of the bytes, or where they come from. */
  readonly body: Uint8Array<ArrayBuffer> | Source;
  readonly boundary: string;
  readonly limits: BodyLimits;
  /** Keeps the files of the form. */
  readonly store: FileStore;
}

/** A form without fields. */
export function emptyForm(): Form {
  return new Form();
}

/** Reads a form whose bytes are there. */
export function readUrlencoded(bytes: Uint8Array<ArrayBuffer>, limits: BodyLimits): Form {
  return urlencodedForm(bytes, limits);
}

/** Reads a multipart form to its end. */
export async function readMultipart(bytes: FormBytes): Promise<Form> {
  return await formReader(bytes).rest();
}

/** The files of a multipart form, as they come. */
export function streamFiles(bytes: FormBytes): StreamedFiles {
  return new StreamedFiles(formReader(bytes));
}

/** The files of a form that was read. */
export function filesOf(form: Form): IncomingFiles {
  return new FormFiles(form);
}

/** Creates what keeps the files of a form: in memory up to a size, in temporary files beyond it. */
export function createStore(limits: BodyLimits): FileStore {
  return new FileStore(limits.postMaxMemory);
}

function formReader({ body, boundary, limits, store }: FormBytes): FormReader {
  return new FormReader(new MultipartReader(new ByteWindow(body), boundary, limits), store, limits);
}

/** The fields and files of a body, whatever it was encoded as. */
export class Form {
  /** The fields, in the order they came. */
  readonly values: ValueMap;
  /** The files, in the order they came. */
  readonly files: StoredFile[] = [];

  /**
   * Creates a form without files.
   *
   * @param values The fields.
   */
  constructor(values: ValueMap = valueMap()) {
    this.values = values;
  }
}

const urlencodedAct = "read the urlencoded form";
const decoder = new TextDecoder("utf-8", { ignoreBOM: true });

/**
 * Reads an urlencoded body.
 *
 * @param bytes The whole body.
 * @param limits How long it may be, and how many fields it may have.
 * @returns The form, without files.
 */
export function urlencodedForm(bytes: Uint8Array, limits: BodyLimits): Form {
  const { maxFormSize, maxFields } = limits;
  // Its bytes may have been read before, by an accessor that allows for more of them.
  if (bytes.length > maxFormSize) throw tooLarge(urlencodedAct, `its fields are larger than ${maxFormSize} bytes`);
  const text = decoder.decode(bytes);
  if (hasMorePairs(text, maxFields)) throw tooLarge(urlencodedAct, `it has more than ${maxFields} fields`);
  return new Form(parseUrlencoded(text));
}

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
    const file = new StoredFile(part.name, new FileHeader(filename, part.block), part.type, this.#store);
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

  /** Takes the files of a body, from the first. */
  constructor(reader: FormReader) {
    this.#reader = reader;
  }

  async next(): Promise<StoredFile | null> {
    this.#isIdle = false;
    const at = this.#at++;
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
