/**
 * Content types of files.
 *
 * @module
 */

import { contentType } from "@std/media-types/content-type";
import { extname } from "node:path";
import { contentTypes } from "../../http/content_type.ts";

/**
 * The maximum number of cached types. File names may come from clients, so the cache is limited, but it is large enough
 * for all common extensions.
 */
const mostTypes = 256;
const known = new Map<string, string>();

/**
 * Returns a file's content type, based on its extension.
 *
 * @param path The file's path.
 * @returns The content type, or `application/octet-stream` if the extension is unknown.
 */
export function fileType(path: string): string {
  const extension = extname(path);
  const found = known.get(extension);
  if (found !== undefined) return found;
  const type = contentType(extension) ?? contentTypes.bytes;
  if (known.size < mostTypes) known.set(extension, type);
  return type;
}
