/**
 * Files as responses: whole, in parts, or as the status that a request's conditions lead to.
 *
 * @module
 */

import { parseDate } from "../../http/date.ts";
import { setBody, setHeader } from "../draft.ts";
import { isConditional, judge, type Validators, type Verdict } from "./conditions.ts";
import { describeError, describeFile, describeKnown, type OwnValidators, ownValidators } from "./describe_file.ts";
import type { FileSettings, FileTarget } from "./file_options.ts";
import { partPieces, type Pieces, wholePieces } from "./file_pieces.ts";
import { fileStream } from "./file_stream.ts";
import { fileTag } from "./file_tag.ts";
import { fileType } from "./file_type.ts";
import { keepBytes, keptBytes } from "./kept_files.ts";
import { locateFile } from "./locate_file.ts";
import { type Asked, infoOf, lookAt, openFile } from "./open_file.ts";
import { Pace } from "./pace.ts";
import { readPieces } from "./read_pieces.ts";
import { isRecent, noteRecent } from "./recent_files.ts";

/** What is no longer than this is read at once: a stream costs as much as reading some 100 KiB. */
const shortest = 64 << 10;
/** For how long files have not been written to that are taken for finished, in milliseconds. */
const [restOfText, restOfOthers] = [3_600_000, 10_000];
/** How often a file is read again that becomes shorter while it is read. */
const mostTries = 3;
const whole: Verdict = { status: 200 };

/** A file on its way into a response. */
interface Sending extends FileTarget, Asked {
  readonly settings: FileSettings;
  /** What the handler says of the file. */
  readonly own: OwnValidators;
  /** Whether the client asks for the file whatever it knows. */
  readonly isPlain: boolean;
}

/** A file as it is now, and what the client gets of it. */
interface Found {
  /** What the client may know it by. */
  readonly validators: Validators;
  /** The tag of the file itself, whatever the handler says. */
  readonly fileTag: string;
  readonly verdict: Verdict;
}

/** What the client gets of it, measured. */
interface Measured extends Found {
  readonly pieces: Pieces;
  /** The content type of the file. */
  readonly type: string;
}

type ByteStream = ReadableStream<Uint8Array<ArrayBuffer>>;

/**
 * Responds with a file, whole or in part, or with the status that its conditions lead to.
 *
 * @param target What is written to, and the request.
 * @param file The file.
 * @param settings How it is sent.
 */
export async function respondWithFile(target: FileTarget, file: string | URL, settings: FileSettings): Promise<void> {
  const { draft, request } = target;
  const located = await locateFile(file, settings.Root);
  if (located === undefined) return describeError(draft, 404);
  const { path, bounds = settings.bounds } = located;
  const isPlain = !isConditional(request.headers);
  const own = ownValidators(draft);
  for (let attempt = 0; attempt < mostTries; attempt++) {
    const sending = { draft, request, path, bounds, settings, own, isHot: isRecent(path), isPlain };
    if (await respondOnce(sending)) return;
  }
  describeError(draft, 404);
}

/** Responds with a file as it is now; returns false if it became shorter meanwhile. */
async function respondOnce(sending: Sending): Promise<boolean> {
  const { request, path, settings } = sending;
  const isBodyless = request.method === "HEAD";
  const info = await lookAt(sending);
  const seen = info === undefined ? undefined : await judged(sending, info);
  if (seen === undefined || isBodyless || !isSent(seen.verdict)) return respondWithout(sending, seen);
  const isWhole = seen.verdict.status === 200 && settings.rate === undefined;
  const bytes = isWhole ? keptBytes(path, seen.fileTag) : undefined;
  if (bytes !== undefined) return respondWith(sending, { ...seen, ...piecesOf(sending, seen) }, bytes);
  const handle = await openFile(sending);
  if (handle === undefined) return respondWithout(sending, undefined);
  let isHanded = false;
  try {
    // Asked again, of the open file: another may have taken its name meanwhile.
    const found = await judged(sending, infoOf(handle, path));
    if (found === undefined || !isSent(found.verdict)) return respondWithout(sending, found);
    const measured = { ...found, ...piecesOf(sending, found) };
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
 * The stream of a long file. The platform's own, `handle.readable`, is read by the server without a detour through
 * JavaScript: 10 MiB cost half the processor time, and 200 clients that read slowly 22 MB instead of 110. But it goes
 * on to the end of the file as it is by then, and more bytes than were announced break the response: Deno 2.9 loses the
 * last of the announced ones over HTTP/1, and over HTTP/2, whose requests have no Host header, the client gives up.
 */
function longBody(handle: Deno.FsFile, { request, settings }: Sending, measured: Measured): ByteStream {
  const { pieces, validators: { size } } = measured;
  const { rate, burst } = settings;
  const [only, ...others] = pieces.list;
  const isTail = others.length === 0 && only !== undefined && !(only instanceof Uint8Array) && only[1] === size - 1;
  if (rate !== undefined || !isTail || mayGrow(measured) || !request.headers.has("host")) {
    return fileStream(handle, pieces.list, rate === undefined ? undefined : new Pace(rate, burst));
  }
  if (only[0] > 0) handle.seekSync(only[0], Deno.SeekMode.Start);
  return handle.readable;
}

/**
 * A file that was written to a moment ago may be written to again while it is sent; a log, which is text, later too.
 */
function mayGrow({ validators: { changed }, type }: Measured): boolean {
  const rest = type.startsWith("text/") ? restOfText : restOfOthers;
  return changed !== null && Date.now() - changed.getTime() < rest;
}

function respondWith(sending: Sending, measured: Measured, body: Uint8Array<ArrayBuffer> | ByteStream): true {
  const { draft } = sending;
  setBody(draft, draft.keepsText && body instanceof Uint8Array ? body.slice() : body);
  describeFile(draft, { ...measured, own: sending.own, saveAs: sending.settings.Attachment });
  return true;
}

async function judged(sending: Sending, info: Deno.FileInfo): Promise<Found | undefined> {
  if (!info.isFile) return undefined;
  noteRecent(sending.path);
  const { own } = sending;
  const ownTag = await fileTag(sending.path, info);
  const validators = { tag: own.tag ?? ownTag, changed: changeOf(own, info), size: info.size };
  return { validators, fileTag: ownTag, verdict: sending.isPlain ? whole : judge(sending.request, validators) };
}

/** The time of the last change; a date of the handler's that cannot be read is not compared with. */
function changeOf({ date }: OwnValidators, info: Deno.FileInfo): Date | null {
  if (date === undefined) return info.mtime;
  const time = parseDate(date);
  return time === undefined ? null : new Date(time);
}

function isSent(verdict: Verdict): boolean {
  return verdict.status === 200 || verdict.status === 206;
}

/** Responds with headers alone: to HEAD, to a client that has the file, or with an error. */
function respondWithout(sending: Sending, found: Found | undefined): true {
  const { draft } = sending;
  if (found === undefined) describeError(draft, 404);
  else if (found.verdict.status === 304) describeKnown(draft, found.validators, sending.own);
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

/** The content type: as the options say, as the handler said before, or by the name of the file. */
function typeOf({ draft, path, settings }: Sending): string {
  if (settings.ContentType !== undefined) return settings.ContentType;
  return draft.type !== "" ? draft.type : fileType(path);
}
