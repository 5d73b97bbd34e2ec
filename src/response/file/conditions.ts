/**
 * What a client knows of a file already, and what it therefore gets (RFC 9110, 13.2.2).
 *
 * @module
 */

import { parseDate, wholeSeconds } from "../../http/date.ts";
import { namesStrongTag, namesTag } from "../../http/entity_tags.ts";
import { type ByteRange, parseRanges } from "../../http/range.ts";

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
