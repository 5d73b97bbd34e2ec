// The functions from npm, which have no types, with the types of the real package.
import * as real from "npm:deno-std@1.4.0/http/etag.js";

/** The file information that a tag is calculated from. */
export interface FileInfo {
  mtime: Date | null;
  size: number;
}

/** Options for calculating a tag. */
export interface ETagOptions {
  algorithm?: AlgorithmIdentifier;
  weak?: boolean;
}

interface ETag {
  (entity: string | ReturnType<TextEncoder["encode"]>, options?: ETagOptions): Promise<string>;
  (entity: FileInfo, options?: ETagOptions): Promise<string | undefined>;
}

export const eTag: ETag = real.eTag;
export const ifMatch: (value: string | null, etag: string | undefined) => boolean = real.ifMatch;
export const ifNoneMatch: (value: string | null, etag: string | undefined) => boolean = real.ifNoneMatch;
