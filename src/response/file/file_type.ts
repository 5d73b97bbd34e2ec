/**
 * Content types of files.
 *
 * @module
 */

import { contentType } from "@std/media-types/content-type";
import { extname } from "node:path";
import { contentTypes } from "../../http/content_type.ts";

/** As many as there are extensions in use; the names of files may come from clients. */
const mostTypes = 256;
const known = new Map<string, string>();

/**
 * Returns the content type of a file, by its extension.
 *
 * @param path The file.
 * @returns The type; `application/octet-stream` where the extension does not tell it.
 */
export function fileType(path: string): string {
  const extension = extname(path);
  const found = known.get(extension);
  if (found !== undefined) return found;
  const type = contentType(extension) ?? contentTypes.bytes;
  if (known.size < mostTypes) known.set(extension, type);
  return type;
}
