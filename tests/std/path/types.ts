// The types shared by both entry points of the real package.

/** The parts of a path. */
export interface ParsedPath {
  root: string;
  dir: string;
  base: string;
  ext: string;
  name: string;
}

/** Options for globs. */
export interface GlobOptions {
  extended?: boolean;
  globstar?: boolean;
  caseInsensitive?: boolean;
}
