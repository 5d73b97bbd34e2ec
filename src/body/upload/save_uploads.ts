/**
 * Uploaded files, saved to a folder.
 *
 * @module
 */

import { ErrMissingFile, FrameworkError, HTTPError, type Parsed } from "../../base/errors.ts";
import { toError } from "../../base/to_error.ts";
import type { Body } from "../body.ts";
import type { FileHeader } from "../file_header.ts";
import type { StoredFile } from "../stored_file.ts";
import type { IncomingFiles } from "./incoming_files.ts";
import { Refusal, UploadFolder } from "./upload_folder.ts";

/** Looks at a file before it is saved, and may change its name. */
export type BeforeSave = (header: FileHeader) => void | Promise<void>;

/**
 * Saves every file of a form.
 *
 * @param body The body; if nothing of it was read yet, files go from the connection to the disk and are never held.
 * @param directory The folder; it is created when it is missing.
 * @param before Called in order for each file before it is saved. What one throws is thrown here.
 * @returns How many bytes were saved, or 0 and an error; files that were whole by then stay.
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
  if (header.Filename === "") header.Filename = "file";
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
    // The platform's message names absolute paths, which a handler might send on to the client.
    const state = reasons[errorCode(error)] ?? "the file system refuses it";
    throw new FrameworkError("FW_UPLOAD", `Cannot save uploaded file "${header.Filename}": ${state}`, { cause: error });
  }
}

const reasons: Record<string, string> = {
  EACCES: "permission is denied",
  EPERM: "permission is denied",
  EROFS: "permission is denied",
  NotCapable: "Deno has no permission for the folder, run with --allow-read and --allow-write for it",
  ENOSPC: "the disk is full",
  EDQUOT: "the disk is full",
  ENAMETOOLONG: "the name is too long",
  ENOTDIR: "a folder on the way to it is a file",
};

function errorCode(error: unknown): string {
  if (!(error instanceof Error)) return "";
  return "code" in error && typeof error.code === "string" ? error.code : error.name;
}
