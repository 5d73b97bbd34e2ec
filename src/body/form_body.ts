/**
 * How forms are read, urlencoded or multipart, at once or file by file: the door to what is loaded with the first
 * form.
 *
 * @module
 */

import type { BodyLimits } from "./body_limits.ts";
import { Form } from "./form.ts";
import { ByteWindow } from "./multipart/byte_window.ts";
import { type FormPart, formParts } from "./multipart/form_parts.ts";
import { FormReader } from "./multipart/multipart_form.ts";
import { MultipartReader } from "./multipart/multipart_reader.ts";
import type { Source } from "./source.ts";
import { FileStore } from "./spill_store.ts";
import { FormFiles, type IncomingFiles, StreamedFiles } from "./upload/incoming_files.ts";
import { urlencodedForm } from "./urlencoded_form.ts";

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

/** The parts of a multipart form, as they come. */
export function streamParts({ body, boundary, limits }: Omit<FormBytes, "store">): AsyncGenerator<FormPart> {
  return formParts(new MultipartReader(new ByteWindow(body), boundary, limits));
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
