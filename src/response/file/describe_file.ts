/**
 * What a response says of a file, in its headers.
 *
 * @module
 */

import { type Draft, isShut, resetBody, setHeader, setOwnHeaders, setType } from "../draft.ts";
import type { Validators, Verdict } from "./conditions.ts";
import { contentRange, type Pieces } from "./file_pieces.ts";

/** What says how long a response is good; it was meant for the file, and not for an error. */
const lifetimes: ReadonlySet<string> = new Set(["cache-control", "expires", "pragma"]);

/** Validators that were set here: those of a file that was served before are not the handler's. */
const described = new WeakSet<readonly [string, string]>();

/** Validators that the handler set, as it wrote them; they count before those of the file. */
export interface OwnValidators {
  readonly tag: string | undefined;
  readonly date: string | undefined;
}

/** Reads the validators that the handler set. */
export function ownValidators(draft: Draft): OwnValidators {
  const find = (name: string) => draft.headers?.find((pair) => pair[0] === name && !described.has(pair))?.[1];
  return { tag: find("etag"), date: find("last-modified") };
}

/** What is known of a response with a file. */
interface FileFacts {
  readonly validators: Validators;
  readonly own: OwnValidators;
  readonly verdict: Verdict;
  readonly pieces: Pieces;
  /** The content type of the file. */
  readonly type: string;
  /** The name to save it under. */
  readonly saveAs: string | undefined;
}

/** Describes a file, whole or in parts. */
export function describeFile(draft: Draft, { validators, own, verdict, pieces, type, saveAs }: FileFacts): void {
  if (isShut(draft)) return;
  draft.status = verdict.status;
  setType(draft, pieces.type ?? type);
  const pairs: [string, string][] = own.tag === undefined ? [["etag", validators.tag]] : [];
  if (own.date === undefined && validators.changed !== null) {
    pairs.push(["last-modified", validators.changed.toUTCString()]);
  }
  for (const pair of pairs) described.add(pair);
  pairs.push(["accept-ranges", "bytes"], ["content-length", String(pieces.length)]);
  if (saveAs !== undefined) pairs.push(["content-disposition", attachment(saveAs)]);
  const [part] = verdict.status === 206 && pieces.type === undefined ? verdict.ranges : [];
  if (part !== undefined) pairs.push(["content-range", contentRange(part, validators.size)]);
  setOwnHeaders(draft, pairs);
  setLifetime(draft);
}

/** Says that the client's copy is good, and nothing of what it knows already (RFC 9110, 15.4.5). */
export function describeKnown(draft: Draft, { tag }: Validators, own: OwnValidators): void {
  if (isShut(draft)) return;
  resetBody(draft);
  draft.status = 304;
  setHeader(draft, "etag", tag);
  if (own.date !== undefined) setHeader(draft, "last-modified", own.date);
  setLifetime(draft);
}

/** Says that there is no file to be sent. Headers that were set for the file are not for the error. */
export function describeError(draft: Draft, status: 404 | 412 | 416): void {
  if (isShut(draft)) return;
  resetBody(draft);
  draft.headers = draft.headers?.filter(([name]) => !lifetimes.has(name));
  draft.status = status;
}

/** A file may change at any time, so a client asks every time, unless the handler knows better. */
function setLifetime(draft: Draft): void {
  if (!draft.headers?.some(([name]) => name === "cache-control")) setHeader(draft, "cache-control", "no-cache");
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
