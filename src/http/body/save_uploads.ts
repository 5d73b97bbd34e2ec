/**
 * Saves uploaded files to a folder.
 *
 * @module
 */

import { bytes, count, record } from "../../base/config/option_kinds.ts";
import { checkText, optionTable, readOptions } from "../../base/config/option_table.ts";
import { ErrMissingFile, FrameworkError, HTTPError, type Parsed } from "../../base/errors/errors.ts";
import { toError } from "../../base/errors/to_error.ts";
import { storableName } from "../../base/text/file_name.ts";
import type { Body } from "./body.ts";
import type { FileHeader } from "./form/file_header.ts";
import type { StoredFile } from "./form/stored_file.ts";
import { tooLarge } from "./source/body_errors.ts";
import type { IncomingFiles } from "./upload/incoming_files.ts";
import { Refusal, type StagedFile, UploadFolder } from "./upload/upload_folder.ts";

/** A callback that inspects a file before it is saved. It may change the file name. */
export type BeforeSave = (header: FileHeader) => void | Promise<void>;

/** Limits for the files in a form field. */
export interface UploadLimits {
  /** The maximum size of each file, in bytes. If omitted, only the request body limit applies. */
  readonly MaxFile?: number;
  /** The maximum number of files. If omitted, only the limit for form fields applies. */
  readonly MaxCount?: number;
  /** The maximum total size of the field's files, in bytes. If omitted, only the other limits apply. */
  readonly MaxTotal?: number;
}

/** Options for `ctx.UploadFormFiles`. */
export interface UploadOptions extends UploadLimits {
  /** Limits by field name. If a limit is omitted, the limit for all fields applies. */
  readonly Fields?: Readonly<Record<string, UploadLimits>>;
}

const limitTable = optionTable<UploadLimits>("UploadLimits", "UploadFormFiles")({
  MaxFile: bytes(),
  MaxCount: count(),
  MaxTotal: bytes(),
});
const table = optionTable<UploadOptions>("UploadOptions", "UploadFormFiles")({ ...limitTable.rows, Fields: record() });

/**
 * Saves all files of a form.
 *
 * @param body The request body. If it has not been read yet, files are streamed from the connection to disk.
 * @param directory The target folder, which is created if it does not exist.
 * @param before Called in order for each file before it is saved. Errors it throws are passed on.
 * @param options The limits. If there are any, the files appear in the folder when all of them are complete.
 * @returns The number of bytes saved, or 0 and an error. Without limits, files that were already complete remain in the
 * folder.
 */
export async function uploadFormFiles(
  body: Body,
  directory: string,
  before: readonly BeforeSave[] = [],
  options?: UploadOptions,
): Promise<Parsed<bigint>> {
  checkText(directory, "destDirectory", "UploadFormFiles");
  const limits = options === undefined ? undefined : new Limits(options);
  const folder = new UploadFolder(directory);
  const staged: StagedFile[] = [];
  let total = -1;
  let files: IncomingFiles | undefined;
  try {
    files = await body.files();
    for (let file = await files.next(); file !== null; file = await files.next()) {
      limits?.count(file.field);
      await announce(file.header, before);
      const content = files.content(file);
      const saved = await stageFile(folder, file, limits?.within(file, content) ?? content);
      total = Math.max(total, 0) + saved.size;
      if (limits === undefined) await explained(file.header, () => saved.publish());
      else staged.push(saved);
    }
    while (staged[0] !== undefined) {
      await staged[0].publish();
      staged.shift();
    }
  } catch (error) {
    for (const one of staged) await one.discard();
    if (error instanceof Refusal) throw error.cause;
    return [0n, toError(error)];
  } finally {
    files?.end();
  }
  return total < 0 ? [0n, ErrMissingFile] : [BigInt(total), null];
}

/** Enforces the limits of one upload. */
class Limits {
  readonly #options: UploadOptions;
  readonly #counts = new Map<string, number>();
  /** The size of the complete files of each field. */
  readonly #totals = new Map<string, number>();

  constructor(options: UploadOptions) {
    readOptions(table, options);
    for (const [name, limits] of Object.entries(options.Fields ?? {})) {
      readOptions(limitTable, limits, `the field "${name}" of UploadFormFiles`);
    }
    this.#options = options;
  }

  /** Counts a file, before any of its bytes are read. */
  count(field: string): void {
    const count = (this.#counts.get(field) ?? 0) + 1;
    this.#counts.set(field, count);
    const max = this.#of(field, "MaxCount");
    if (count > max) throw tooLarge(act, `the field "${field}" has more than ${max} ${max === 1 ? "file" : "files"}`);
  }

  /** Passes on the bytes of a file until it or its field is too large. */
  async *within(file: StoredFile, content: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
    const { field, header: { Filename } } = file;
    const max = this.#of(field, "MaxFile");
    const maxTotal = this.#of(field, "MaxTotal");
    const previous = this.#totals.get(field) ?? 0;
    let size = 0;
    for await (const chunk of content) {
      size += chunk.length;
      if (size > max) throw tooLarge(act, `"${Filename}" in the field "${field}" is larger than ${max} bytes`);
      if (previous + size > maxTotal) {
        throw tooLarge(act, `the files in the field "${field}" are larger than ${maxTotal} bytes in total`);
      }
      yield chunk;
    }
    this.#totals.set(field, previous + size);
  }

  #of(field: string, limit: keyof UploadLimits): number {
    const { Fields = {} } = this.#options;
    const own = Object.hasOwn(Fields, field) ? Fields[field] : undefined;
    return own?.[limit] ?? this.#options[limit] ?? Infinity;
  }
}

const act = "save the uploaded files";

async function announce(header: FileHeader, before: readonly BeforeSave[]): Promise<void> {
  header.Filename = storableName(header.Filename, Deno.build.os) || "file";
  try {
    for (const callback of before) await callback(header);
  } catch (error) {
    throw new Refusal("A callback threw", { cause: error });
  }
}

async function stageFile(
  folder: UploadFolder,
  { header }: StoredFile,
  content: AsyncIterable<Uint8Array>,
): Promise<StagedFile> {
  const staged = await explained(header, () => folder.stage(header.Filename, content));
  header.Filename = staged.name;
  header.Size = staged.size;
  return staged;
}

async function explained<T>(header: FileHeader, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
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
