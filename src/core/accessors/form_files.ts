/**
 * Uploaded files.
 *
 * @module
 */

import { LazyModule } from "../../base/async/lazy_module.ts";
import { ErrMissingFile, type Parsed } from "../../base/errors/errors.ts";
import { toError } from "../../base/errors/to_error.ts";
import type { Body } from "../../http/body/body.ts";
import type { FileHeader } from "../../http/body/form/file_header.ts";
import type { UploadOptions } from "../../http/body/save_uploads.ts";
import type { FormBody } from "./form_values.ts";

/** Returns the first file in a form field, and its metadata. */
export async function formFile(
  body: FormBody,
  key: string,
): Promise<readonly [File | null, FileHeader | null, Error | null]> {
  const [files, headers, error] = await formFiles(body, key);
  return [files[0] ?? null, headers[0] ?? null, error];
}

/** Returns all files in a form field, and their metadata. */
export async function formFiles(body: FormBody, key: string): Promise<readonly [File[], FileHeader[], Error | null]> {
  try {
    const found = (await body.form()).files.filter((file) => file.field === key);
    return [found.map((file) => file.open()), found.map((file) => file.header), found[0] ? null : ErrMissingFile];
  } catch (error) {
    return [[], [], toError(error)];
  }
}

const uploads = new LazyModule(() => import("../../http/body/save_uploads.ts"));

/** A callback for each file, with the request context. */
type Hook<C> = (ctx: C, header: FileHeader) => void | Promise<void>;

/** Saves all files in a form to a folder; see save_uploads.ts. The first argument may be the options. */
export async function uploadFormFiles<C>(
  ctx: C,
  body: { open(): Body | Promise<Body> },
  directory: string,
  given: readonly Hook<C>[] | readonly [UploadOptions, ...Hook<C>[]],
): Promise<Parsed<bigint>> {
  const [first] = given;
  const options = typeof first === "function" ? undefined : first;
  const hooks = given.slice(typeof first === "function" ? 0 : 1) as readonly Hook<C>[];
  const room = await uploads.get();
  return await room.uploadFormFiles(
    await body.open(),
    directory,
    hooks.map((save) => save.bind(undefined, ctx)),
    options,
  );
}
