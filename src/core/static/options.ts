/**
 * Options for serving folders.
 *
 * @module
 */

import type { Filled } from "../../base/config/option_table.ts";

/** The part after a hash: an image's second hash and the extensions, as in `app.3f9a12bc.chunk.js.map`. */
const rest = /(?:_[A-Za-z0-9]{5,6})?(?:\.(?:chunk|min|bundle|async|module))?\.[a-z0-9]+(?:\.map)?$/;
/** The candidates for a hash: the last part of a name, or eight base64 characters that may include a hyphen. */
const parts: readonly RegExp[] = [/[.-]([A-Za-z0-9]{8,64})$/, /[.-]([\w-]{8})$/];
const uuid = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/i;

/** The hash alphabets of the bundlers, each with the criteria that distinguish a hash from a word. */
const kinds: readonly ((text: string) => boolean)[] = [isHex, isBase32, isBase64];

/**
 * Reports whether a file name contains a content hash.
 *
 * @param path The file's path, with forward slashes.
 */
export function isHashed(path: string): boolean {
  const name = path.slice(path.lastIndexOf("/") + 1);
  // A UUID identifies an object whose file may change.
  if (uuid.test(name)) return false;
  const stem = name.replace(rest, "");
  return parts.some((part) => {
    const hash = part.exec(stem)?.[1];
    return hash !== undefined && kinds.some((isKind) => isKind(hash));
  });
}

/**
 * Detects the hexadecimal hashes of Webpack, Parcel, Next.js and Rollup 3, in their usual lengths. A decimal number or
 * `cafe2026` is not a hash.
 */
function isHex(text: string): boolean {
  return /^(?:.{8}|.{10}|.{12}|.{16}|.{20}|.{32}|.{40}|.{64})$/.test(text) && /^[0-9a-f]+$/.test(text) &&
    /\d.*\d/.test(text) && /[a-f]/.test(text) && !/^(?=.{8}$)(?:[a-f]+\d+|\d+[a-f]+)$/.test(text);
}

/** Detects esbuild's hashes: eight characters from A-Z and 2-7. `RFC23456` is not a hash. */
function isBase32(text: string): boolean {
  return /^[A-Z2-7]{8}$/.test(text) && /\d/.test(text) && !/^(?:[A-Z]+\d+|\d+[A-Z]+)$/.test(text);
}

/**
 * Detects the hashes of Vite, Rollup 4, SvelteKit and Astro: eight base64 characters. `iPhone12` and `Win32App` are not
 * hashes, because their digits come between words.
 */
function isBase64(text: string): boolean {
  if (text.length !== 8 || !/[a-z]/.test(text) || !/[A-Z]/.test(text)) return false;
  const numbersInside = text.match(/\d+(?=[A-Za-z])/g)?.length ?? 0;
  return numbersInside > 1 || (numbersInside === 1 && !text.split(/[-_]/).every(isWords));
}

/**
 * Reports whether the string alternates between words and numbers. The first word may consist of several words.
 */
function isWords(text: string): boolean {
  return /^[A-Za-z]*(?:\d+(?:[A-Z]?[a-z]+|[A-Z]+))*\d*$/.test(text);
}

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
   * applications with client-side routing. Responds with 404 to requests that do not accept `text/html`, such as those
   * sent by scripts, and to paths below another party that has routes, such as an API.
   *
   * @default {false}
   */
  SPA?: boolean;
  /**
   * Whether to list the files in folders that have no index file.
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
   * Whether to follow symbolic links that point outside the folder.
   *
   * @default {false}
   */
  FollowLinks?: boolean;
  /**
   * The `Cache-Control` header for a file, optionally computed from its path relative to the folder.
   * Defaults to `no-cache`, which makes clients revalidate and receive a 304 response, or one year for file names with
   * a content hash, such as `app.3f9a12bc.js`. For identified clients, `public` is changed to `private`. A client is
   * identified if the request has a user or an `Authorization` header, or if a guard read its cookies or session.
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

/** The options with their defaults. */
export type DirSettings = Filled<DirOptions, "Cache">;

/** Returns the default of `Cache`. */
export function defaultCache(path: string): string {
  return isHashed(path) ? "public, max-age=31536000, immutable" : "no-cache";
}
