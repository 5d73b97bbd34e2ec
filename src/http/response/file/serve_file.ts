/**
 * Responds with files. The implementation is loaded when the first file is sent, because most programs do not send
 * files.
 *
 * @module
 */

import { checkText } from "../../../base/config/option_table.ts";
import { LazyModule } from "../../../base/async/lazy_module.ts";
import { decodeEscapes } from "../../headers/percent.ts";
import type { FileOptions, FileSettings, FileTarget, RateOptions, ServedContent } from "./file_options.ts";

const checks = new LazyModule(() => import("./file_options.ts"));
const files = new LazyModule(() => import("./respond.ts"));
const contents = new LazyModule(() => import("./respond_content.ts"));

/** Responds with a file or a part of it. */
export async function serveFile(target: FileTarget, file: string | URL, options: FileOptions): Promise<void> {
  const { checkFileOptions } = await checks.get();
  checkFileOptions(options);
  await send(target, file, options);
}

async function send(target: FileTarget, file: string | URL, options: FileSettings): Promise<void> {
  const room = await files.get();
  await room.respondWithFile(target, file, options);
}

/** Responds with content or a part of it. */
export async function serveContent(
  target: FileTarget,
  content: ServedContent,
  name: string,
  modified: Date | undefined,
): Promise<void> {
  const { respondWithContent } = await contents.get();
  await respondWithContent(target, content, name, modified);
}

/** Responds with a file as a download. */
export function sendFile(target: FileTarget, file: string | URL, name?: string): Promise<void> {
  if (name !== undefined) checkText(name, "name", "SendFile");
  return send(target, file, savedAs(file, name === undefined ? {} : { Attachment: name }));
}

/** Responds with a file as a download, with a rate limit. */
export async function sendFileWithRate(
  target: FileTarget,
  file: string | URL,
  rate: number,
  options: RateOptions,
): Promise<void> {
  const { checkRateOptions } = await checks.get();
  checkRateOptions(options);
  const { Burst } = options;
  await send(target, file, {
    ...savedAs(file, options),
    rate: typeof rate === "number" ? rate : NaN,
    ...Burst !== undefined && { burst: Burst },
  });
}

/** Returns the options for a download. The download keeps the file's name unless you specify a different one. */
function savedAs(file: string | URL, options: FileOptions): FileOptions {
  if (options.Attachment !== undefined) return options;
  const path = file instanceof URL ? decodeEscapes(file.pathname) : String(file);
  return { ...options, Attachment: path.slice(Math.max(path.lastIndexOf("/"), path.lastIndexOf("\\")) + 1) };
}
