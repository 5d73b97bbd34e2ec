/**
 * The entry point for reading URL-encoded and multipart forms, either as a whole or file by file. It is loaded when the
 * first form is read.
 *
 * @module
 */

import { Form, urlencodedForm } from "./form/form.ts";
import { FileStore } from "./form/spill_store.ts";
import { ByteWindow } from "./multipart/byte_window.ts";
import { type FormPart, formParts } from "./multipart/form_parts.ts";
import { FormReader } from "./multipart/multipart_form.ts";
import { MultipartReader } from "./multipart/multipart_reader.ts";
import type { BodyLimits } from "./source/body_limits.ts";
import type { Source } from "./source/source.ts";
import { FormFiles, type IncomingFiles, StreamedFiles } from "./upload/incoming_files.ts";

/** The input for reading a form. */
export interface FormBytes {
  /** All bytes of the form, or their source. */
  readonly body: Uint8Array<ArrayBuffer> | Source;
  readonly boundary: string;
  readonly limits: BodyLimits;
  /** Stores the files of the form. */
  readonly store: FileStore;
}

/** Creates a form without fields. */
export function emptyForm(): Form {
  return new Form();
}

/** Parses a URL-encoded form from its bytes. */
export function readUrlencoded(bytes: Uint8Array<ArrayBuffer>, limits: BodyLimits): Form {
  return urlencodedForm(bytes, limits);
}

/** Reads a multipart form to its end. */
export async function readMultipart(bytes: FormBytes): Promise<Form> {
  return await formReader(bytes).rest();
}

/** Streams the files of a multipart form. */
export function streamFiles(bytes: FormBytes): StreamedFiles {
  return new StreamedFiles(formReader(bytes));
}

/** Streams the parts of a multipart form. */
export function streamParts({ body, boundary, limits }: Omit<FormBytes, "store">): AsyncGenerator<FormPart> {
  return formParts(new MultipartReader(new ByteWindow(body), boundary, limits));
}

/** Returns the files of a parsed form. */
export function filesOf(form: Form): IncomingFiles {
  return new FormFiles(form);
}

/** Creates the store for a form's files. It uses memory up to a limit, and temporary files after that. */
export function createStore(limits: BodyLimits): FileStore {
  return new FileStore(limits.postMaxMemory);
}

function formReader({ body, boundary, limits, store }: FormBytes): FormReader {
  return new FormReader(new MultipartReader(new ByteWindow(body), boundary, limits), store, limits);
}
