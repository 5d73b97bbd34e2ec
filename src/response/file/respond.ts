/**
 * Files as responses: whole, in parts, or as the status that a request's conditions lead to.
 *
 * @module
 */

import { contentType } from "@std/media-types";
import { extname } from "@std/path/extname";
import { contentTypes } from "../../http/header.ts";
import { setBody, setHeader } from "../draft.ts";
import { isConditional, judge, type Validators, type Verdict } from "./conditions.ts";
import { describeError, describeFile, describeKnown } from "./describe_file.ts";
import type { FileSettings, FileTarget } from "./file_options.ts";
import { partPieces, type Pieces, wholePieces } from "./file_pieces.ts";
import { fileStream } from "./file_stream.ts";
import { fileTag } from "./file_tag.ts";
import { locate } from "./locate.ts";
import { infoOf, lookAt, openFile } from "./open_file.ts";
import { Pace } from "./pace.ts";
import { readPieces } from "./read_pieces.ts";
import { isRecent, noteRecent } from "./recent_files.ts";

/** What is no longer than this is read at once: a stream costs as much as reading some 100 KiB. */
const shortest = 64 << 10;
/** How often a file is read again that becomes shorter while it is read. */
const mostTries = 3;
const whole: Verdict = { status: 200 };

/** A file on its way into a response. */
interface Sending extends FileTarget {
  readonly path: string;
  readonly settings: FileSettings;
  /** Whether it was served a moment ago. */
  readonly isHot: boolean;
  /** Whether the client asks for the file whatever it knows. */
  readonly isPlain: boolean;
}

/** A file as it is now, and what the client gets of it. */
interface Found {
  readonly validators: Validators;
  readonly verdict: Verdict;
}

/**
 * Responds with a file, whole or in part, or with the status that its conditions lead to.
 *
 * @param target What is written to, and the request.
 * @param file The file.
 * @param settings How it is sent.
 */
export async function respondWithFile(target: FileTarget, file: string | URL, settings: FileSettings): Promise<void> {
  const { draft, request } = target;
  const path = await locate(file, settings.Root);
  if (path === undefined) return describeError(draft, 404);
  const isPlain = !isConditional(request.headers);
  for (let attempt = 0; attempt < mostTries; attempt++) {
    const sending = { draft, request, path, settings, isHot: isRecent(path), isPlain };
    if (await respondOnce(sending)) return;
  }
  describeError(draft, 404);
}

/** Responds with a file as it is now; returns false if it became shorter meanwhile. */
async function respondOnce(sending: Sending): Promise<boolean> {
  const { draft, request, path, isHot, isPlain } = sending;
  const isBodyless = request.method === "HEAD";
  if (isBodyless || !isPlain || !isHot) {
    const info = await lookAt(path, isHot);
    const found = info === undefined ? undefined : await judged(sending, info);
    if (found === undefined || isBodyless || !isSent(found.verdict)) return respondWithout(sending, found);
  }
  const handle = await openFile(path, isHot);
  if (handle === undefined) return respondWithout(sending, undefined);
  let isHanded = false;
  try {
    // Asked again, of the open file: another may have taken its name meanwhile.
    const found = await judged(sending, infoOf(handle, path));
    if (found === undefined || !isSent(found.verdict)) return respondWithout(sending, found);
    const { pieces, type } = piecesOf(sending, found);
    const { rate, burst } = sending.settings;
    const isShort = pieces.length <= shortest && rate === undefined;
    const body = isShort
      ? await readPieces(handle, pieces, isHot)
      : fileStream(handle, pieces.list, rate === undefined ? undefined : new Pace(rate, burst));
    if (body === undefined) return false;
    isHanded = !isShort;
    setBody(draft, body);
    describeFile(draft, { ...found, pieces, type, saveAs: sending.settings.Attachment });
    return true;
  } finally {
    if (!isHanded) handle.close();
  }
}

async function judged(sending: Sending, info: Deno.FileInfo): Promise<Found | undefined> {
  if (!info.isFile) return undefined;
  // Only now: a pipe that was taken for a file served a moment ago would be opened without a look, and waited for.
  noteRecent(sending.path);
  const validators = { tag: await fileTag(sending.path, info), changed: info.mtime, size: info.size };
  return { validators, verdict: sending.isPlain ? whole : judge(sending.request, validators) };
}

function isSent(verdict: Verdict): boolean {
  return verdict.status === 200 || verdict.status === 206;
}

/** Responds with headers alone: to HEAD, to a client that has the file, or with an error. */
function respondWithout(sending: Sending, found: Found | undefined): true {
  const { draft } = sending;
  if (found === undefined) describeError(draft, 404);
  else if (found.verdict.status === 304) describeKnown(draft, found.validators.tag);
  else if (found.verdict.status === 412) describeError(draft, 412);
  else if (found.verdict.status === 416) {
    describeError(draft, 416);
    setHeader(draft, "content-range", `bytes */${found.validators.size}`);
  } else describeFile(draft, { ...found, ...piecesOf(sending, found), saveAs: sending.settings.Attachment });
  return true;
}

function piecesOf(sending: Sending, { validators: { size }, verdict }: Found): { pieces: Pieces; type: string } {
  const type = typeOf(sending);
  return { type, pieces: verdict.status === 206 ? partPieces(verdict.ranges, size, type) : wholePieces(size) };
}

/** The content type: as the options say, as the handler said before, or by the name of the file. */
function typeOf({ draft, path, settings }: Sending): string {
  if (settings.ContentType !== undefined) return settings.ContentType;
  return draft.type !== "" ? draft.type : contentType(extname(path)) ?? contentTypes.bytes;
}
