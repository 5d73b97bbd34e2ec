/**
 * Files as responses. What sends them is loaded with the first file: most programs send none.
 *
 * @module
 */

import { LazyRoom } from "../base/lazy_room.ts";
import { decodeEscapes } from "../http/percent.ts";
import type { FileOptions, FileSettings, FileTarget, RateOptions } from "./file/file_options.ts";

const files = new LazyRoom(() => import("./file/respond.ts"));

/** Responds with a file, whole or in part. */
export async function serveFile(target: FileTarget, file: string | URL, options: FileSettings): Promise<void> {
  const room = await files.get();
  await room.respondWithFile(target, file, options);
}

/** Responds with a file for the client to save. */
export function sendFile(target: FileTarget, file: string | URL, name?: string): Promise<void> {
  return serveFile(target, file, savedAs(file, name === undefined ? {} : { Attachment: name }));
}

/** Responds with a file for the client to save, no faster than at a rate. */
export function sendFileWithRate(
  target: FileTarget,
  file: string | URL,
  rate: number,
  options: RateOptions,
): Promise<void> {
  const { Burst } = options;
  return serveFile(target, file, { ...savedAs(file, options), rate, ...Burst !== undefined && { burst: Burst } });
}

/** The options of a file that is saved: under its own name, unless another is given. */
function savedAs(file: string | URL, options: FileOptions): FileOptions {
  if (options.Attachment !== undefined) return options;
  const path = file instanceof URL ? decodeEscapes(file.pathname) : file;
  return { ...options, Attachment: path.slice(Math.max(path.lastIndexOf("/"), path.lastIndexOf("\\")) + 1) };
}
