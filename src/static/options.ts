/**
 * Options for serving folders.
 *
 * @module
 */

import { either, flag, func, text } from "../config/option_kinds.ts";
import { type Filled, optionTable, readOptions } from "../config/option_table.ts";
import { isHashed } from "./hashed_name.ts";

/** Options for `HandleDir`. */
export interface DirOptions {
  /**
   * The name of the file to serve for a folder. Set it to an empty string to serve none.
   *
   * @default {"index.html"}
   */
  IndexName?: string;
  /**
   * Whether to serve the top-level index file for browser navigation to any path without a file. Use it for single-page
   * applications with client-side routing. Requests that do not accept `text/html`, such as those from scripts, get a
   * 404 response, and so do paths below another party that has routes, such as an API.
   *
   * @default {false}
   */
  SPA?: boolean;
  /**
   * Whether to list the files of folders without an index file.
   *
   * @default {false}
   */
  ShowList?: boolean;
  /**
   * Whether to serve files and folders whose names start with a dot.
   *
   * @default {false}
   */
  ShowHidden?: boolean;
  /**
   * Whether to follow symbolic links that lead out of the folder.
   *
   * @default {false}
   */
  FollowLinks?: boolean;
  /**
   * The `Cache-Control` header for a file, optionally computed from its path relative to the folder. Defaults to
   * `no-cache`, so that clients revalidate and get a 304 response, and to one year for names with a content hash, such
   * as `app.3f9a12bc.js`. For identified clients, `public` becomes `private`: if the request has a user, carries
   * `Authorization`, or carries cookies or a session that a guard has read.
   */
  Cache?: string | ((path: string) => string);
  /**
   * Whether to send files as downloads instead of displaying them.
   *
   * @default {false}
   */
  Attachments?: boolean;
  /**
   * Whether to serve precompressed files, such as `app.js.br`, `app.js.zst` and `app.js.gz`.
   *
   * @default {true}
   */
  Compressed?: boolean;
}

/** The options with all defaults filled in. */
export type DirSettings = Filled<DirOptions>;

const table = optionTable<DirOptions>("DirOptions", "HandleDir")({
  IndexName: text("index.html"),
  SPA: flag(false),
  ShowList: flag(false),
  ShowHidden: flag(false),
  FollowLinks: flag(false),
  Cache: either(defaultCache, text(), func()),
  Attachments: flag(false),
  Compressed: flag(true),
});

/** Fills in the default options. */
export function settingsOf(options: DirOptions): DirSettings {
  return readOptions(table, options);
}

function defaultCache(path: string): string {
  return isHashed(path) ? "public, max-age=31536000, immutable" : "no-cache";
}
