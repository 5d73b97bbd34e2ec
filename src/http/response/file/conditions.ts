/**
 * Conditional requests for files (RFC 9110, section 13.2.2).
 *
 * @module
 */

import { parseDate, wholeSeconds } from "../../headers/date.ts";
import { namesStrongTag, namesTag } from "../../headers/entity_tags.ts";
import { type ByteRange, parseRanges } from "../../headers/range.ts";

/** The validators of a file. */
export interface Validators {
  readonly tag: string;
  /** The last modification time, or `null` if it is unknown. */
  readonly changed: Date | null;
  readonly size: number;
}

/** The content to send: the file, parts of it, or only a status. */
export type Verdict =
  | { readonly status: 200 | 304 | 412 | 416 }
  | { readonly status: 206; readonly ranges: readonly ByteRange[] };

const whole: Verdict = { status: 200 };

/**
 * Evaluates a request's conditions, in the order required by the standard.
 *
 * @param request The request.
 * @param validators The file's validators.
 * @returns The content to send.
 */
export function evaluateConditions(request: Pick<Request, "method" | "headers">, validators: Validators): Verdict {
  const { method, headers } = request;
  const isRead = method === "GET" || method === "HEAD";
  if (isChanged(headers, validators)) return { status: 412 };
  if (isKnown(headers, validators, isRead)) return { status: isRead ? 304 : 412 };
  // Ranges apply only to GET requests.
  const range = method === "GET" ? headers.get("range") : null;
  if (range === null || !isSameFile(headers, validators)) return whole;
  const ranges = parseRanges(range, validators.size);
  if (ranges === undefined) return whole;
  return ranges === "unsatisfiable" ? { status: 416 } : { status: 206, ranges };
}

/**
 * Reports whether a request has conditions or asks for a range.
 *
 * @param headers The request headers.
 */
export function isConditional(headers: Headers): boolean {
  return headers.has("if-none-match") || headers.has("if-modified-since") || headers.has("range") ||
    headers.has("if-match") || headers.has("if-unmodified-since");
}

/** Reports whether the file differs from the client's copy. If it does, resuming a download would mix two files. */
function isChanged(headers: Headers, { tag, changed }: Validators): boolean {
  const wanted = headers.get("if-match");
  if (wanted !== null) return !namesStrongTag(wanted, tag);
  const since = parseDate(headers.get("if-unmodified-since") ?? "");
  return since !== undefined && changed !== null && wholeSeconds(changed) > since;
}

/**
 * Reports whether the client already has the file. Entity tags take precedence over dates, and dates apply only to GET
 * and HEAD requests.
 */
function isKnown(headers: Headers, { tag, changed }: Validators, isRead: boolean): boolean {
  const tags = headers.get("if-none-match");
  if (tags !== null) return namesTag(tags, tag);
  const since = isRead ? parseDate(headers.get("if-modified-since") ?? "") : undefined;
  return since !== undefined && changed !== null && wholeSeconds(changed) <= since;
}

/** Reports whether the client has a part of the current file. If not, the whole file is sent. */
function isSameFile(headers: Headers, { tag, changed }: Validators): boolean {
  const condition = headers.get("if-range");
  if (condition === null) return true;
  if (condition.includes('"')) return condition === tag && !tag.startsWith("W/");
  return changed !== null && parseDate(condition) === wholeSeconds(changed);
}
