/**
 * Files as answers: types, entity tags, parts, and names to save under.
 *
 * @module
 */

import { eTag } from "@std/http/etag";
import { contentType } from "@std/media-types";
import { basename, extname, fromFileUrl } from "@std/path";
import { FrameworkError } from "../base/errors.ts";
import { namesTag } from "../http/entity_tags.ts";
import { parseRange } from "../http/range.ts";
import { type Draft, setHeader, setType, writeStream } from "./draft.ts";
import { messageOf } from "../base/to_error.ts";

const absentCodes: ReadonlySet<string> = new Set(["ENOENT", "ENOTDIR", "ELOOP", "ENAMETOOLONG", "EINVAL"]);

/** How a file is sent. */
export interface FileOptions {
  /** The name to save it under; without it the client may show the file. */
  Attachment?: string;
  /** The content type, where the file's extension does not tell it. */
  ContentType?: string;
}

/** What a file is written to, and the request that asks for it. */
export interface FileTarget {
  readonly draft: Draft;
  readonly request: Pick<Request, "method" | "headers">;
}

/** Responds with a file, whole or in part. */
export async function serveFile(target: FileTarget, file: string | URL, options: FileOptions): Promise<void> {
  const { draft, request: { method, headers } } = target;
  const opened = await openFile(file);
  if (opened === undefined) return void (draft.status = 404);
  const { handle, info } = opened;
  let isHanded = false;
  try {
    describe(draft, file, options);
    const tag = await eTag(info);
    if (tag !== undefined) setHeader(draft, "etag", tag);
    if (info.mtime !== null) setHeader(draft, "last-modified", info.mtime.toUTCString());
    setHeader(draft, "accept-ranges", "bytes");
    if (isKnown(headers, tag, info.mtime)) return void (draft.status = 304);
    const range = ifRangeHolds(headers, tag, info.mtime)
      ? parseRange(headers.get("range") ?? "", info.size)
      : undefined;
    if (range === "unsatisfiable") {
      setHeader(draft, "content-range", `bytes */${info.size}`);
      return void (draft.status = 416);
    }
    const [first, last] = range ?? [0, info.size - 1];
    if (range !== undefined) {
      draft.status = 206;
      setHeader(draft, "content-range", `bytes ${first}-${last}/${info.size}`);
    }
    setHeader(draft, "content-length", String(last - first + 1));
    if (method === "HEAD") return;
    if (first > 0) await handle.seek(first, Deno.SeekMode.Start);
    isHanded = true;
    writeStream(
      draft,
      range === undefined ? handle.readable : handle.readable.pipeThrough(firstBytes(last - first + 1)),
    );
  } finally {
    if (!isHanded) handle.close();
  }
}

/** Responds with a file for the client to save. */
export function sendFile(target: FileTarget, file: string | URL, name?: string): Promise<void> {
  return serveFile(target, file, { Attachment: name ?? basename(pathOf(file)) });
}

async function openFile(file: string | URL): Promise<{ handle: Deno.FsFile; info: Deno.FileInfo } | undefined> {
  let handle: Deno.FsFile;
  try {
    handle = await Deno.open(file);
  } catch (error) {
    if (isAbsent(error)) return undefined;
    throw new FrameworkError("FW_FILE", `Cannot serve the file "${pathOf(file)}": ${messageOf(error)}`, {
      cause: error,
    });
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

function describe(draft: Draft, file: string | URL, options: FileOptions): void {
  const type = options.ContentType ?? contentType(extname(pathOf(file))) ?? "application/octet-stream";
  setType(draft, type);
  if (options.Attachment === undefined) return;
  const plain = options.Attachment.replace(/[^ !#-[\]-~]/g, "_");
  const full = encodeURIComponent(options.Attachment.toWellFormed()).replace(/['()*]/g, escapeCode);
  setHeader(draft, "content-disposition", `attachment; filename="${plain}"; filename*=UTF-8''${full}`);
}

function escapeCode(letter: string): string {
  return `%${letter.charCodeAt(0).toString(16).toUpperCase()}`;
}

/** Says whether the client's copy is still good. An entity tag decides before a date does. */
function isKnown(headers: Headers, tag: string | undefined, changed: Date | null): boolean {
  const tags = headers.get("if-none-match") ?? "";
  if (tags !== "") return namesTag(tags, tag);
  return changed !== null && isUnchangedSince(headers.get("if-modified-since") ?? "", changed);
}

/** A part is only a part of what the client knows: if the file has changed since, the whole is sent. */
function ifRangeHolds(headers: Headers, tag: string | undefined, changed: Date | null): boolean {
  const condition = headers.get("if-range") ?? "";
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
