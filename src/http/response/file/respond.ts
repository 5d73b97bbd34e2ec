/**
 * Responds with a whole file, with parts of it, or with the status that the request's conditions require.
 *
 * @module
 */

import { leaveToPlatform } from "../stream.ts";
import { parseDate } from "../../headers/date.ts";
import { setBody, setHeader } from "../draft.ts";
import { evaluateConditions, isConditional, type Validators, type Verdict } from "./conditions.ts";
import {
  describeError,
  describeFile,
  describeKnown,
  fileTag,
  fileType,
  type OwnValidators,
  ownValidators,
} from "./describe_file.ts";
import type { FileSettings, FileTarget } from "./file_options.ts";
import { partPieces, type Pieces, readPieces, wholePieces } from "./file_pieces.ts";
import { fileStream, isCrowded } from "./file_stream.ts";
import { keepBytes, keptBytes } from "./kept_files.ts";
import { locateFile } from "./locate_file.ts";
import { type Asked, infoOf, openFile, statFile } from "./open_file.ts";
import { Pace } from "./pace.ts";
import { isRecent, noteRecent } from "./recent_files.ts";
import { noteFile } from "../taken_chunks.ts";

/** The maximum length of content that is read into memory. A stream costs as much as reading about 100 KiB. */
const shortest = 64 << 10;
/** The time since the last modification after which a file is considered complete, in milliseconds. */
const [restOfText, restOfOthers] = [3_600_000, 1_000];
/** The maximum number of attempts to read a file that becomes shorter while it is read. */
const mostTries = 3;
const whole: Verdict = { status: 200 };

/** A file that is being sent. */
interface Sending extends FileTarget, Asked {
  readonly settings: FileSettings;
  /** The validators set by the handler. */
  readonly own: OwnValidators;
  /** Whether the request has no conditions. */
  readonly isUnconditional: boolean;
}

/** The file's current state and the content to send. */
interface Found {
  /** The validators for the client. */
  readonly validators: Validators;
  /** The entity tag of the file itself, even if the handler has set another one. */
  readonly fileTag: string;
  readonly verdict: Verdict;
}

/** The content to send, with its size. */
interface Measured extends Found {
  readonly pieces: Pieces;
  /** The file's content type. */
  readonly type: string;
}

type ByteStream = ReadableStream<Uint8Array<ArrayBuffer>>;

/**
 * Responds with a file, a part of it, or the status that the request's conditions require.
 *
 * @param target The draft to write to, and the request.
 * @param file The file to send.
 * @param settings The options for sending the file.
 */
export async function respondWithFile(target: FileTarget, file: string | URL, settings: FileSettings): Promise<void> {
  const leave = noteFile();
  try {
    await respond(target, file, settings);
  } finally {
    leave();
  }
}

async function respond(target: FileTarget, file: string | URL, settings: FileSettings): Promise<void> {
  const { draft, request } = target;
  const located = await locateFile(file, settings.Root);
  if (located === undefined) return describeError(draft, 404);
  const { path, bounds = settings.bounds } = located;
  const isUnconditional = !isConditional(request.headers);
  const own = ownValidators(draft);
  for (let attempt = 0; attempt < mostTries; attempt++) {
    const sending = { draft, request, path, bounds, settings, own, isHot: isRecent(path), isUnconditional };
    if (await respondOnce(sending)) return;
  }
  describeError(draft, 404);
}

/** Responds with the current state of a file. Returns `false` if the file became shorter in the meantime. */
async function respondOnce(sending: Sending): Promise<boolean> {
  const { request, path, settings } = sending;
  const isBodyless = request.method === "HEAD";
  const info = await statFile(sending);
  const seen = info === undefined ? undefined : await judged(sending, info);
  if (seen === undefined || isBodyless || !isSent(seen.verdict)) return respondWithout(sending, seen);
  const isWhole = seen.verdict.status === 200 && settings.rate === undefined;
  const bytes = isWhole ? keptBytes(path, seen.fileTag) : undefined;
  if (bytes !== undefined) return respondWith(sending, { ...seen, ...piecesOf(sending, seen) }, bytes);
  const handle = await openFile(sending);
  if (handle === undefined) return respondWithout(sending, undefined);
  let isHanded = false;
  try {
    // Inspect the open file again, because it may have been replaced in the meantime.
    const found = await judged(sending, infoOf(handle, path));
    if (found === undefined || !isSent(found.verdict)) return respondWithout(sending, found);
    const measured = chosen(sending, { ...found, ...piecesOf(sending, found) });
    const isShort = measured.pieces.length <= shortest && settings.rate === undefined;
    const body = isShort ? await readShort(handle, sending, measured) : longBody(handle, sending, measured);
    if (body === undefined) return false;
    isHanded = !isShort;
    return respondWith(sending, measured, body);
  } finally {
    if (!isHanded) handle.close();
  }
}

async function readShort(
  handle: Deno.FsFile,
  { path, isHot }: Sending,
  { pieces, fileTag, verdict }: Measured,
): Promise<Uint8Array<ArrayBuffer> | undefined> {
  const bytes = await readPieces(handle, pieces, isHot);
  if (bytes !== undefined && isHot && verdict.status === 200) keepBytes(path, fileTag, bytes);
  return bytes;
}

/**
 * Ignores the range of a request while many long ranges are being sent, which RFC 9110, 14.2 allows. Otherwise, clients
 * that read slowly could choose the memory of the process.
 */
function chosen(sending: Sending, measured: Measured): Measured {
  const { pieces, verdict } = measured;
  if (verdict.status !== 206 || sending.settings.rate !== undefined || !isCrowded(pieces.length)) return measured;
  const all: Measured = { ...measured, verdict: whole, pieces: wholePieces(measured.validators.size) };
  return isNative(sending, measured) || !isNative(sending, all) ? measured : all;
}

/** Reports whether the platform can send the content. */
function isNative({ request, settings }: Sending, measured: Measured): boolean {
  const { pieces: { list: [only, ...others] }, validators: { size } } = measured;
  const isTail = others.length === 0 && only !== undefined && !(only instanceof Uint8Array) && only[1] === size - 1;
  return isTail && settings.rate === undefined && !mayGrow(measured) && request.headers.has("host");
}

/**
 * Returns the stream of a large file. The server reads the platform's own stream, `handle.readable`, without running
 * any JavaScript. This takes half the CPU time for 10 MiB, and 22 MB instead of 110 MB of memory for 200 slow clients.
 * However, the stream continues to the current end of the file, and sending more bytes than announced breaks the
 * response. Over HTTP/1, Deno 2.9 loses the last of the announced bytes. Over HTTP/2, whose requests have no Host
 * header, the client aborts.
 */
function longBody(handle: Deno.FsFile, sending: Sending, measured: Measured): ByteStream {
  const { rate, burst } = sending.settings;
  const { list } = measured.pieces;
  if (!isNative(sending, measured)) {
    return fileStream(handle, list, rate === undefined ? undefined : new Pace(rate, burst));
  }
  const from = Number(list[0]?.[0]);
  if (from > 0) handle.seekSync(from, Deno.SeekMode.Start);
  return leaveToPlatform(handle.readable);
}

/**
 * Reports whether a file may grow while it is being sent. This is possible for recently modified files, and even later
 * for text files such as logs. While many long files are being sent, other files are considered complete. If one of
 * them does grow, the client notices that the end of the response is missing.
 */
function mayGrow({ validators: { changed }, type, pieces }: Measured): boolean {
  const rest = type.startsWith("text/") ? restOfText : isCrowded(pieces.length) ? 0 : restOfOthers;
  return changed !== null && Date.now() - changed.getTime() < rest;
}

function respondWith(sending: Sending, measured: Measured, body: Uint8Array<ArrayBuffer> | ByteStream): true {
  const { draft } = sending;
  setBody(draft, draft.terms?.keepsText && body instanceof Uint8Array ? body.slice() : body);
  describeFile(draft, { ...measured, own: sending.own, saveAs: sending.settings.Attachment });
  return true;
}

async function judged(sending: Sending, info: Deno.FileInfo): Promise<Found | undefined> {
  if (!info.isFile) return undefined;
  noteRecent(sending.path);
  const { own } = sending;
  const ownTag = await fileTag(sending.path, info);
  const validators = { tag: own.tag ?? ownTag, changed: changeOf(own, info), size: info.size };
  return {
    validators,
    fileTag: ownTag,
    verdict: sending.isUnconditional ? whole : evaluateConditions(sending.request, validators),
  };
}

/** Returns the modification time. An invalid date set by the handler is ignored. */
function changeOf({ date }: OwnValidators, info: Deno.FileInfo): Date | null {
  if (date === undefined) return info.mtime;
  const time = parseDate(date);
  return time === undefined ? null : new Date(time);
}

function isSent(verdict: Verdict): boolean {
  return verdict.status === 200 || verdict.status === 206;
}

/** Responds with headers only. Used for HEAD requests, for clients that already have the file, and for errors. */
function respondWithout(sending: Sending, found: Found | undefined): true {
  const { draft } = sending;
  if (found === undefined) describeError(draft, 404);
  else if (found.verdict.status === 304) describeKnown(draft, found.validators, sending.own, typeOf(sending));
  else if (found.verdict.status === 412) describeError(draft, 412);
  else if (found.verdict.status === 416) {
    describeError(draft, 416);
    setHeader(draft, "content-range", `bytes */${found.validators.size}`);
  } else {describeFile(draft, {
      ...found,
      ...piecesOf(sending, found),
      own: sending.own,
      saveAs: sending.settings.Attachment,
    });}
  return true;
}

function piecesOf(sending: Sending, { validators: { size }, verdict }: Found): { pieces: Pieces; type: string } {
  const type = typeOf(sending);
  return { type, pieces: verdict.status === 206 ? partPieces(verdict.ranges, size, type) : wholePieces(size) };
}

/** Returns the content type given in the options, set by the handler, or derived from the file name. */
function typeOf({ draft, path, settings }: Sending): string {
  if (settings.ContentType !== undefined) return settings.ContentType;
  return draft.type !== "" ? draft.type : fileType(path);
}
