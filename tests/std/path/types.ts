// The types that both entry points of the real package share.

/** A path taken apart. */
export interface ParsedPath {
  root: string;
  dir: string;
  base: string;
  ext: string;
  name: string;
}

/** How globs are read. */
export interface GlobOptions {
  extended?: boolean;
  globstar?: boolean;
  caseInsensitive?: boolean;
}
