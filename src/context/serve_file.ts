/**
 * Files as answers: types, entity tags, parts, and names to save under.
 *
 * @module
 */

import { eTag, ifNoneMatch } from "@std/http/etag";
import { contentType } from "@std/media-types";
import { basename, extname, fromFileUrl } from "@std/path";
import { FrameworkError } from "../base/errors.ts";
import type { Context } from "./context.ts";
import { parseRange } from "../http/range.ts";

const absentCodes: ReadonlySet<string> = new Set(["ENOENT", "ENOTDIR", "ELOOP", "ENAMETOOLONG", "EINVAL"]);

/** How a file is sent. */
export interface FileOptions {
  /** The name to save it under; without it the client may show the file. */
  Attachment?: string;
  /** The content type, where the file's extension does not tell it. */
  ContentType?: string;
}

/** Answers a file, whole or in part. */
export async function serveFile(ctx: Context, file: string | URL, options: FileOptions): Promise<void> {
  const opened = await openFile(file);
  if (opened === undefined) return ctx.NotFound();
  const { handle, info } = opened;
  let isHanded = false;
  try {
    describe(ctx, file, options);
    const tag = await eTag(info);
    if (tag !== undefined) ctx.Header("etag", tag);
    if (info.mtime !== null) ctx.Header("last-modified", info.mtime.toUTCString());
    ctx.Header("accept-ranges", "bytes");
    if (isKnown(ctx, tag, info.mtime)) return ctx.StatusCode(304);
    const range = ifRangeHolds(ctx, tag, info.mtime) ? parseRange(ctx.GetHeader("range"), info.size) : undefined;
    if (range === "unsatisfiable") {
      ctx.Header("content-range", `bytes */${info.size}`);
      return ctx.StatusCode(416);
    }
    const [first, last] = range ?? [0, info.size - 1];
    if (range !== undefined) {
      ctx.StatusCode(206);
      ctx.Header("content-range", `bytes ${first}-${last}/${info.size}`);
    }
    ctx.Header("content-length", String(last - first + 1));
    if (ctx.Method() === "HEAD") return;
    if (first > 0) await handle.seek(first, Deno.SeekMode.Start);
    isHanded = true;
    ctx.Stream(range === undefined ? handle.readable : handle.readable.pipeThrough(firstBytes(last - first + 1)));
  } finally {
    if (!isHanded) handle.close();
  }
}

/** Answers a file for the client to save. */
export function sendFile(ctx: Context, file: string | URL, name?: string): Promise<void> {
  return serveFile(ctx, file, { Attachment: name ?? basename(pathOf(file)) });
}

async function openFile(file: string | URL): Promise<{ handle: Deno.FsFile; info: Deno.FileInfo } | undefined> {
  let handle: Deno.FsFile;
  try {
    handle = await Deno.open(file);
  } catch (error) {
    if (isAbsent(error)) return undefined;
    const reason = error instanceof Error ? error.message : String(error);
    throw new FrameworkError("FW_FILE", `Cannot serve the file "${pathOf(file)}": ${reason}`, { cause: error });
  }
  const info = await handle.stat();
  if (info.isFile) return { handle, info };
  handle.close();
  return undefined;
}

/** Says whether there is no such file, and there could be none of that name: a client may have made it up. */
function isAbsent(error: unknown): boolean {
  return error instanceof Error && "code" in error && absentCodes.has(String(error.code));
}

function describe(ctx: Context, file: string | URL, options: FileOptions): void {
  const type = options.ContentType ?? contentType(extname(pathOf(file))) ?? "application/octet-stream";
  ctx.Header("content-type", type);
  if (options.Attachment === undefined) return;
  const plain = options.Attachment.replace(/[^ !#-[\]-~]/g, "_");
  const full = encodeURIComponent(options.Attachment.toWellFormed()).replace(/['()*]/g, escapeCode);
  ctx.Header("content-disposition", `attachment; filename="${plain}"; filename*=UTF-8''${full}`);
}

function escapeCode(letter: string): string {
  return `%${letter.charCodeAt(0).toString(16).toUpperCase()}`;
}

/** Says whether the client's copy is still good. An entity tag decides before a date does. */
function isKnown(ctx: Context, tag: string | undefined, changed: Date | null): boolean {
  const tags = ctx.GetHeader("if-none-match");
  if (tags !== "") return !ifNoneMatch(tags, tag);
  return changed !== null && isUnchangedSince(ctx.GetHeader("if-modified-since"), changed);
}

/** A part is only a part of what the client knows: if the file has changed since, the whole is sent. */
function ifRangeHolds(ctx: Context, tag: string | undefined, changed: Date | null): boolean {
  const condition = ctx.GetHeader("if-range");
  if (condition === "") return true;
  if (condition.includes('"')) return condition === tag && !condition.startsWith("W/");
  return changed !== null && Math.floor(changed.getTime() / 1000) * 1000 === Date.parse(condition);
}

function isUnchangedSince(date: string, changed: Date): boolean {
  // Dates in headers have no fractions of a second.
  return date !== "" && Math.floor(changed.getTime() / 1000) * 1000 <= Date.parse(date);
}

/** Lets so many bytes pass and then ends, which closes the file. */
function firstBytes(length: number): TransformStream<Uint8Array<ArrayBuffer>, Uint8Array<ArrayBuffer>> {
  let left = length;
  return new TransformStream({
    transform(chunk, controller) {
      controller.enqueue(chunk.subarray(0, left));
      left -= chunk.length;
      if (left <= 0) controller.terminate();
    },
  });
}

function pathOf(file: string | URL): string {
  return file instanceof URL ? fromFileUrl(file) : file;
}
