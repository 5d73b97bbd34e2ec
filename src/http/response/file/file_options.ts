/**
 * Options for `ctx.ServeFile` and related methods.
 *
 * @module
 */

import { count, either, filled, kind } from "../../../base/config/option_kinds.ts";
import { assertOptions, optionTable } from "../../../base/config/option_table.ts";
import type { Draft } from "../draft.ts";
import type { Bounds } from "./open_file.ts";

/** Options for sending a file. */
export interface FileOptions {
  /** The file name for a download. If omitted, the client may display the file. */
  Attachment?: string;
  /** The content type. Defaults to the type for the file's extension. */
  ContentType?: string;
  /**
   * The folder that must contain the file. If set, the path is relative to it, and the response is 404 for hidden
   * files, for other spellings of a name that the file system accepts, and for paths that leave the folder through dot
   * segments or symbolic links. Set it whenever a part of the path comes from the client.
   */
  Root?: string | URL;
}

/** Options for sending a file with a rate limit. */
export interface RateOptions extends FileOptions {
  /** The maximum number of bytes to send in a burst. Defaults to the number of bytes per second. */
  Burst?: number;
}

const table = optionTable<FileOptions>("FileOptions", "ServeFile")({
  Attachment: filled(),
  ContentType: filled(),
  Root: either<string | URL, undefined>(
    undefined,
    filled(),
    kind("a file: URL", (value) => value instanceof URL && value.protocol === "file:", undefined),
  ),
});
const rateTable = optionTable<RateOptions>("RateOptions", "SendFileWithRate")({ ...table.rows, Burst: count() });

/** Checks the options of `ctx.ServeFile`. */
export function checkFileOptions(options: FileOptions): void {
  assertOptions(table, options);
}

/** Checks the options of `ctx.SendFileWithRate`. */
export function checkRateOptions(options: RateOptions): void {
  assertOptions(rateTable, options);
}

/** A source of bytes that can be read from any position, such as a `Blob` or an object in a store. */
export interface RangeSource {
  /** The size of the whole content, in bytes. */
  readonly size: number;
  /**
   * Returns a part of the content.
   *
   * @param start The position of the first byte.
   * @param end The position after the last byte.
   * @returns The part. It is read once.
   */
  slice(start: number, end: number): {
    /** Returns the bytes. */
    stream(): ReadableStream<Uint8Array<ArrayBuffer>>;
  };
}

/** Content for `ctx.ServeContent`. */
export type ServedContent = string | Uint8Array<ArrayBuffer> | RangeSource;

/** The public options together with fw's internal options. */
export interface FileSettings extends FileOptions {
  /** The maximum number of bytes to send per second. */
  readonly rate?: number;
  /** The maximum number of bytes to send in a burst if there is a rate limit. */
  readonly burst?: number;
  /** The folder that must contain the file, if the path was resolved within a folder. */
  readonly bounds?: Bounds;
}

/** The draft that a file is written to, and the request for it. */
export interface FileTarget {
  readonly draft: Draft;
  readonly request: Pick<Request, "method" | "headers">;
}
