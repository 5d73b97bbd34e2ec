// The real functions, given the real package's types: npm's copy carries none.
import * as real from "npm:deno-std@1.4.0/http/etag.js";

/** What of a file's information the tag is built from. */
export interface FileInfo {
  mtime: Date | null;
  size: number;
}

/** How the tag is built. */
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
