/**
 * What a response says of a file, and what the conditions of a request make of it (RFC 9110, 13 and 14).
 *
 * @module
 */

import { type Draft, resetBody, setHeader, setOwnHeaders, setType } from "../draft.ts";
import { contentRange, type Pieces } from "./file_stream.ts";
import { type ByteRange, parseRanges } from "../../http/range.ts";
import { namesStrongTag, namesTag } from "../../http/entity_tags.ts";
import { parseDate, wholeSeconds } from "../../http/date.ts";

/** What says how long a response is good; it was meant for the file, and not for an error. */
const lifetimes: ReadonlySet<string> = new Set(["cache-control", "expires", "pragma"]);

/** What is known of a response with a file. */
interface FileFacts {
  readonly validators: Validators;
  readonly verdict: Verdict;
  readonly pieces: Pieces;
  /** The content type of the file. */
  readonly type: string;
  /** The name to save it under. */
  readonly saveAs: string | undefined;
}

/** Describes a file, whole or in parts. */
export function describeFile(draft: Draft, { validators, verdict, pieces, type, saveAs }: FileFacts): void {
  draft.status = verdict.status;
  setType(draft, pieces.type ?? type);
  const pairs: [string, string][] = [["etag", validators.tag]];
  if (validators.changed !== null) pairs.push(["last-modified", validators.changed.toUTCString()]);
  pairs.push(["accept-ranges", "bytes"], ["content-length", String(pieces.length)]);
  if (saveAs !== undefined) pairs.push(["content-disposition", attachment(saveAs)]);
  const [part] = verdict.status === 206 && pieces.type === undefined ? verdict.ranges : [];
  if (part !== undefined) pairs.push(["content-range", contentRange(part, validators.size)]);
  setOwnHeaders(draft, pairs);
  setLifetime(draft);
}

/** Says that the client's copy is good, and nothing of what it knows already (RFC 9110, 15.4.5). */
export function describeKnown(draft: Draft, tag: string): void {
  resetBody(draft);
  draft.status = 304;
  setHeader(draft, "etag", tag);
  setLifetime(draft);
}

/** Says that there is no file to be sent. Headers that were set for the file are not for the error. */
export function describeError(draft: Draft, status: 404 | 412 | 416): void {
  resetBody(draft);
  draft.headers = draft.headers?.filter(([name]) => !lifetimes.has(name));
  draft.status = status;
}

/** A file may change at any time, so a client asks every time, unless the handler knows better. */
function setLifetime(draft: Draft): void {
  if (!draft.headers?.some(([name]) => name === "cache-control")) setHeader(draft, "cache-control", "no-cache");
}

/** By what a client knows a file. */
export interface Validators {
  readonly tag: string;
  /** The time of the last change; `null` when it is not known. */
  readonly changed: Date | null;
  readonly size: number;
}

/** What is sent: the file, parts of it, or a status alone. */
export type Verdict =
  | { readonly status: 200 | 304 | 412 | 416 }
  | { readonly status: 206; readonly ranges: readonly ByteRange[] };

const whole: Verdict = { status: 200 };

/**
 * Decides what is sent, in the order that the standard gives.
 *
 * @param request The request.
 * @param validators What the client may know the file by.
 * @returns The verdict.
 */
export function judge(request: Pick<Request, "method" | "headers">, validators: Validators): Verdict {
  const { method, headers } = request;
  const isRead = method === "GET" || method === "HEAD";
  if (isChanged(headers, validators)) return { status: 412 };
  if (isKnown(headers, validators, isRead)) return { status: isRead ? 304 : 412 };
  // Only GET has parts.
  const range = method === "GET" ? headers.get("range") : null;
  if (range === null || !isSameFile(headers, validators)) return whole;
  const ranges = parseRanges(range, validators.size);
  if (ranges === undefined) return whole;
  return ranges === "unsatisfiable" ? { status: 416 } : { status: 206, ranges };
}

/**
 * Reports whether a request asks for something else than the whole file, whatever the client knows.
 *
 * @param headers The headers of the request.
 */
export function isConditional(headers: Headers): boolean {
  return headers.has("if-none-match") || headers.has("if-modified-since") || headers.has("range") ||
    headers.has("if-match") || headers.has("if-unmodified-since");
}

/** The file is not the one that the client wants to go on with: half of another would be worse than none. */
function isChanged(headers: Headers, { tag, changed }: Validators): boolean {
  const wanted = headers.get("if-match");
  if (wanted !== null) return !namesStrongTag(wanted, tag);
  const since = parseDate(headers.get("if-unmodified-since") ?? "");
  return since !== undefined && changed !== null && wholeSeconds(changed) > since;
}

/** The client has the file. A tag decides before a date does, and dates count only for reading. */
function isKnown(headers: Headers, { tag, changed }: Validators, isRead: boolean): boolean {
  const tags = headers.get("if-none-match");
  if (tags !== null) return namesTag(tags, tag);
  const since = isRead ? parseDate(headers.get("if-modified-since") ?? "") : undefined;
  return since !== undefined && changed !== null && wholeSeconds(changed) <= since;
}

/** A part is only a part of what the client knows: if the file has changed since, the whole is sent. */
function isSameFile(headers: Headers, { tag, changed }: Validators): boolean {
  const condition = headers.get("if-range");
  if (condition === null) return true;
  if (condition.includes('"')) return condition === tag && !tag.startsWith("W/");
  return changed !== null && parseDate(condition) === wholeSeconds(changed);
}

/**
 * Returns the header that has a client save a file.
 *
 * @param name The name to save it under.
 * @returns The value of `Content-Disposition`, with a plain name for old clients beside the full one.
 */
function attachment(name: string): string {
  const plain = name.replace(/[^ !#-[\]-~]/g, "_");
  const full = encodeURIComponent(name.toWellFormed()).replace(/['()*]/g, escapeCode);
  return `attachment; filename="${plain}"; filename*=UTF-8''${full}`;
}

function escapeCode(letter: string): string {
  return `%${letter.charCodeAt(0).toString(16).toUpperCase()}`;
}
