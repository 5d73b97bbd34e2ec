/**
 * Saves uploaded files to a folder.
 *
 * @module
 */

import { ErrMissingFile, FrameworkError, HTTPError, type Parsed } from "../errors/errors.ts";
import { toError } from "../errors/to_error.ts";
import { storableName } from "../text/file_name.ts";
import type { Body } from "./body.ts";
import type { FileHeader } from "./form/file_header.ts";
import type { StoredFile } from "./form/stored_file.ts";
import type { IncomingFiles } from "./upload/incoming_files.ts";
import { Refusal, UploadFolder } from "./upload/upload_folder.ts";

/** A callback that inspects a file before it is saved. It may change the file name. */
export type BeforeSave = (header: FileHeader) => void | Promise<void>;

/**
 * Saves all files of a form.
 *
 * @param body The request body. If it has not been read yet, files are streamed from the connection to disk.
 * @param directory The target folder, which is created if it does not exist.
 * @param before Called in order for each file before it is saved. Errors it throws are passed on.
 * @returns The number of bytes saved, or 0 and an error. Files that were already complete remain in the folder.
 */
export async function uploadFormFiles(
  body: Body,
  directory: string,
  before: readonly BeforeSave[] = [],
): Promise<Parsed<bigint>> {
  const folder = new UploadFolder(directory);
  let total = -1;
  let files: IncomingFiles | undefined;
  try {
    files = await body.files();
    for (let file = await files.next(); file !== null; file = await files.next()) {
      await announce(file.header, before);
      total = Math.max(total, 0) + await saveFile(folder, files, file);
    }
  } catch (error) {
    if (error instanceof Refusal) throw error.cause;
    return [0n, toError(error)];
  } finally {
    files?.end();
  }
  return total < 0 ? [0n, ErrMissingFile] : [BigInt(total), null];
}

async function announce(header: FileHeader, before: readonly BeforeSave[]): Promise<void> {
  header.Filename = storableName(header.Filename, Deno.build.os) || "file";
  try {
    for (const callback of before) await callback(header);
  } catch (error) {
    throw new Refusal("A callback threw", { cause: error });
  }
}

async function saveFile(folder: UploadFolder, files: IncomingFiles, file: StoredFile): Promise<number> {
  const { header } = file;
  try {
    const { size, name } = await folder.save(header.Filename, files.content(file));
    header.Filename = name;
    return header.Size = size;
  } catch (error) {
    if (error instanceof HTTPError || error instanceof FrameworkError) throw error;
    // The platform's message contains absolute paths, and a handler might send it to the client.
    const state = reasons[errorCode(error)] ?? "the file system rejects it";
    throw new FrameworkError("FW_UPLOAD", `Cannot save uploaded file "${header.Filename}": ${state}`, { cause: error });
  }
}

const reasons: Record<string, string> = {
  EACCES: "permission denied",
  EPERM: "permission denied",
  EROFS: "permission denied",
  NotCapable: "Deno has no permission for the folder, run with --allow-read and --allow-write for it",
  ENOSPC: "the disk is full",
  EDQUOT: "the disk is full",
  ENAMETOOLONG: "the name is too long",
  ENOTDIR: "one of its parent folders is a file",
};

function errorCode(error: unknown): string {
  if (!(error instanceof Error)) return "";
  return "code" in error && typeof error.code === "string" ? error.code : error.name;
}
