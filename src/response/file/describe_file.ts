/**
 * The headers of file responses.
 *
 * @module
 */

import { type Draft, isShut, resetBody, setHeader, setOwnHeaders, setType } from "../draft.ts";
import type { Validators, Verdict } from "./conditions.ts";
import { contentRange, type Pieces } from "./file_pieces.ts";

/** The caching headers. They apply to the file and not to an error response. */
const lifetimes: ReadonlySet<string> = new Set(["cache-control", "expires", "pragma"]);

/** Validators that this module has set, to distinguish those of a previously served file from the handler's. */
const described = new WeakSet<readonly [string, string]>();

/** Validators set by the handler. They take precedence over the file's validators. */
export interface OwnValidators {
  readonly tag: string | undefined;
  readonly date: string | undefined;
}

/** Reads the validators set by the handler. */
export function ownValidators(draft: Draft): OwnValidators {
  const find = (name: string) => draft.headers?.find((pair) => pair[0] === name && !described.has(pair))?.[1];
  return { tag: find("etag"), date: find("last-modified") };
}

/** The properties of a file response. */
interface FileFacts {
  readonly validators: Validators;
  readonly own: OwnValidators;
  readonly verdict: Verdict;
  readonly pieces: Pieces;
  /** The file's content type. */
  readonly type: string;
  /** The file name for a download. */
  readonly saveAs: string | undefined;
}

/** Sets the headers for a whole file or parts of it. */
export function describeFile(draft: Draft, { validators, own, verdict, pieces, type, saveAs }: FileFacts): void {
  if (isShut(draft)) return;
  draft.status = verdict.status;
  setType(draft, pieces.type ?? type);
  const pairs: [string, string][] = own.tag === undefined && validators.tag !== "" ? [["etag", validators.tag]] : [];
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

/** Sets the headers of a 304 response, without repeating headers the client already has (RFC 9110, section 15.4.5). */
export function describeKnown(draft: Draft, { tag }: Validators, own: OwnValidators): void {
  if (isShut(draft)) return;
  resetBody(draft);
  draft.status = 304;
  if (tag !== "") setHeader(draft, "etag", tag);
  if (own.date !== undefined) setHeader(draft, "last-modified", own.date);
  setLifetime(draft);
}

/** Sets the headers of an error response and removes those meant for the file. */
export function describeError(draft: Draft, status: 404 | 412 | 416): void {
  if (isShut(draft)) return;
  resetBody(draft);
  draft.headers = draft.headers?.filter(([name]) => !lifetimes.has(name));
  draft.status = status;
}

/**
 * Sets the default caching policy. A file may change at any time, so clients have to revalidate it unless the handler
 * sets another policy.
 */
function setLifetime(draft: Draft): void {
  if (!draft.headers?.some(([name]) => name === "cache-control")) setHeader(draft, "cache-control", "no-cache");
}

/**
 * Returns the header value that makes a client download a file.
 *
 * @param name The file name for the download.
 * @returns The value of `Content-Disposition`, with both the full name and an ASCII name for old clients.
 */
function attachment(name: string): string {
  const plain = name.replace(/[^ !#-[\]-~]/g, "_");
  const full = encodeURIComponent(name.toWellFormed()).replace(/['()*]/g, escapeCode);
  return `attachment; filename="${plain}"; filename*=UTF-8''${full}`;
}

function escapeCode(letter: string): string {
  return `%${letter.charCodeAt(0).toString(16).toUpperCase()}`;
}
