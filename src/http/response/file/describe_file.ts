/**
 * The headers of file responses.
 *
 * @module
 */

import { typeByExtension } from "@std/media-types/type-by-extension";
import { extname } from "node:path";
import { RecentMap } from "../../../base/data/recent_map.ts";
import { contentTypes } from "../../headers/content_type.ts";
import { attachment } from "../../headers/disposition.ts";
import { type Draft, isShut, resetBody, setHeader, setOwnHeaders, setType } from "../draft.ts";
import type { Validators, Verdict } from "./conditions.ts";
import { contentRange, type Pieces } from "./file_pieces.ts";

/**
 * The maximum number of cached types. File names may come from clients, so the cache is limited, but it is large enough
 * for all common extensions.
 */
const mostTypes = 256;
const known = new Map<string, string>();

/** Matches the media types that are sent with a charset. */
const isText = /^(?:text\/|application\/(?:json|manifest\+json|vnd\.syncml|vnd\.wap\.wbxml))/;

/**
 * Returns a file's content type, based on its extension.
 *
 * @param path The file's path.
 * @returns The content type, or `application/octet-stream` if the extension is unknown.
 */
export function fileType(path: string): string {
  const extension = extname(path);
  const found = known.get(extension);
  if (found !== undefined) return found;
  const bare = typeByExtension(extension) ?? contentTypes.bytes;
  const type = isText.test(bare) ? `${bare}; charset=UTF-8` : bare;
  if (known.size < mostTypes) known.set(extension, type);
  return type;
}

const mostHashes = 1024;
const hashes = new RecentMap<string>({ most: mostHashes });

/**
 * Returns a file's entity tag, computed from its size, modification time and inode. Clients can use the tag to resume a
 * download, because it is strong: a replaced file has another inode, and a modified one has another time. The only
 * change it cannot detect is one that happens within the same millisecond and keeps the size.
 *
 * @param path The file's path.
 * @param info The file's information.
 * @returns The tag. It is a promise only for files without a modification time, which are files embedded in a binary.
 */
export function fileTag(path: string, info: Deno.FileInfo): string | Promise<string> {
  const { mtime, size, ino } = info;
  if (mtime === null) return hashTag(path, size);
  const place = ino === null || ino === 0 ? "" : `-${mixed(ino, mtime.getTime()).toString(36)}`;
  return `"${size.toString(36)}-${mtime.getTime().toString(36)}${place}"`;
}

/**
 * Returns twenty bits derived from the inode. This is enough to distinguish two files with the same size and time but
 * does not reveal the inode number.
 */
function mixed(ino: number, moment: number): number {
  let bits = Math.imul(ino ^ Math.floor(ino / 2 ** 32) ^ moment, 0x9e3779b1);
  bits = Math.imul(bits ^ (bits >>> 15), 0x85ebca6b);
  return (bits ^ (bits >>> 13)) >>> 12;
}

/** Returns a tag based on the content. Embedded files never change, so the tag is computed once. */
async function hashTag(path: string, size: number): Promise<string> {
  const key = `${path}\0${size}`;
  const known = hashes.get(key);
  if (known !== undefined) return known;
  const digest = await crypto.subtle.digest("SHA-256", await Deno.readFile(path));
  const tag = `"${size.toString(36)}-${new Uint8Array(digest, 0, 12).toHex()}"`;
  hashes.set(key, tag);
  return tag;
}

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

/**
 * Sets the headers of a 304 response, without repeating headers the client already has (RFC 9110, section 15.4.5). The
 * type and the length are not sent. They tell middleware which headers it would have added to the file.
 */
export function describeKnown(draft: Draft, { tag, size }: Validators, own: OwnValidators, type: string): void {
  if (isShut(draft)) return;
  resetBody(draft);
  draft.status = 304;
  setType(draft, type);
  setHeader(draft, "content-length", String(size));
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
