/**
 * How a folder is served.
 *
 * @module
 */

import { isHashed } from "./hashed_name.ts";

/** How `HandleDir` serves a folder. */
export interface DirOptions {
  /** The file that is served for a folder; `index.html` unless given, empty for none. */
  IndexName?: string;
  /**
   * True to serve the index of the whole folder for every path without a file that a browser navigates to: for
   * applications that route in the browser. Requests that do not accept `text/html`, such as those of scripts, get 404.
   */
  SPA?: boolean;
  /** True to list the files of folders that have no index. */
  ShowList?: boolean;
  /** True to serve files and folders whose names begin with a dot. */
  ShowHidden?: boolean;
  /** True to follow links that lead out of the folder. */
  FollowLinks?: boolean;
  /**
   * The `Cache-Control` of a file, by its path below the folder. Unless given it is `no-cache`, so that a client asks
   * again and gets 304, and a year for names that carry a hash, such as `app.3f9a12bc.js`.
   */
  Cache?: string | ((path: string) => string);
  /** True to let clients save files instead of showing them. */
  Attachments?: boolean;
  /** False to pass by compressed neighbours of a file: `app.js.br`, `app.js.zst` and `app.js.gz`. */
  Compressed?: boolean;
}

/** The options with every default. */
export interface DirSettings {
  readonly indexName: string;
  readonly isSPA: boolean;
  readonly showList: boolean;
  readonly showHidden: boolean;
  readonly followLinks: boolean;
  readonly cacheOf: (path: string) => string;
  readonly isAttached: boolean;
  readonly isCompressed: boolean;
}

/** Fills in what was left out. */
export function settingsOf(options: DirOptions): DirSettings {
  const { Cache } = options;
  return {
    indexName: options.IndexName ?? "index.html",
    isSPA: options.SPA === true,
    showList: options.ShowList === true,
    showHidden: options.ShowHidden === true,
    followLinks: options.FollowLinks === true,
    cacheOf: typeof Cache === "function" ? Cache : Cache === undefined ? defaultCache : () => Cache,
    isAttached: options.Attachments === true,
    isCompressed: options.Compressed !== false,
  };
}

function defaultCache(path: string): string {
  return isHashed(path) ? "public, max-age=31536000, immutable" : "no-cache";
}
