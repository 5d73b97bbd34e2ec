/**
 * The metadata of an uploaded file.
 *
 * @module
 */

import { portableName } from "../../text/file_name.ts";
import { isHeaderToken } from "../../text/header_token.ts";
import { malformed } from "../source/body_errors.ts";

const maxNameBytes = 255;

/** The properties in the header of a file's part. */
interface FilePart {
  readonly field: string;
  readonly filename: string;
  readonly type: string;
  readonly block: Uint8Array;
}

/** The metadata of an uploaded file, as sent by the client. */
export class FileHeader {
  /**
   * The file name, without folders or control characters, and at most 255 bytes long. It denotes the same file on every
   * operating system: trailing dots and spaces are removed, characters that Windows rejects are replaced by `_`, and
   * device names such as `con.txt` start with `_`. It is empty if the client did not send a name. An `UploadFormFiles`
   * callback may change the name and may include a subfolder.
   */
  Filename: string;
  /** The name of the form field that contains the file. */
  readonly Field: string;
  /**
   * The content type that the client declared for the file, such as `image/png`, or an empty string if there is none.
   * The client can send any value, so do not rely on it.
   */
  readonly ContentType: string;
  /** The file size in bytes, or -1 while the file is still being received. */
  Size: number;
  readonly #block: Uint8Array;
  #headers: Headers | undefined = undefined;

  /**
   * Creates the metadata. Called by the form reader.
   *
   * @param part The properties of the part, with the client's file name and the unparsed header.
   * @ignore
   */
  constructor({ field, filename, type, block }: FilePart) {
    this.Filename = safeName(filename);
    this.Field = field;
    this.ContentType = type;
    this.Size = -1;
    this.#block = block;
  }

  /** Returns the header of the file's part, with fields such as `content-type`. */
  get Header(): Headers {
    return this.#headers ??= partHeaders(this.#block);
  }

  /** Replaces the header of the part. */
  set Header(headers: Headers) {
    this.#headers = headers;
  }
}

/**
 * Returns a safe file name based on the one sent by the client.
 *
 * @param name The client's file name.
 * @returns The last path segment without slashes or backslashes, or an empty string if nothing usable remains.
 */
function safeName(name: string): string {
  // Matches characters that file systems reject, and formatting characters that can disguise a name.
  const unwanted = /[\p{Cc}\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff]/gu;
  const whole = trimSeparators(name);
  const base = whole.slice(Math.max(whole.lastIndexOf("/"), whole.lastIndexOf("\\")) + 1).replace(unwanted, "");
  // A shortened name may end with a space or become the name of a device.
  return portableName(shortName(portableName(base)));
}

/** Removes trailing separators one by one. A regular expression would examine each run of separators repeatedly. */
function trimSeparators(name: string): string {
  let end = name.length;
  while (end > 0 && (name[end - 1] === "/" || name[end - 1] === "\\")) end--;
  return name.slice(0, end);
}

/**
 * Shortens a file name to the maximum length of file systems, preserving its extension.
 *
 * @param name The file name.
 * @param suffix The text to insert before the extension.
 * @returns The file name, at most 255 bytes long.
 */
export function shortName(name: string, suffix = ""): string {
  const dot = name.lastIndexOf(".");
  // In a very long name, the text after the last dot is probably not an extension.
  const extension = dot > 0 && name.length - dot <= 64 ? name.slice(dot) : "";
  const stem = name.slice(0, name.length - extension.length);
  return cutBytes(stem, maxNameBytes - byteLength(extension) - byteLength(suffix)) + suffix + extension;
}

function cutBytes(text: string, max: number): string {
  if (byteLength(text) <= max) return text;
  const target = new Uint8Array(max);
  const { read } = encoder.encodeInto(text, target);
  return text.slice(0, read);
}

function byteLength(text: string): number {
  return encoder.encode(text).length;
}

const encoder = new TextEncoder();

export const act = "read the multipart form";

const forbidden = /[\0\r\n]/;

/**
 * Creates the `Headers` of a part. Non-ASCII bytes are decoded as Latin-1, as in every `Headers` object.
 *
 * @param block The header lines.
 */
function partHeaders(block: Uint8Array): Headers {
  let text = "";
  for (const byte of block) text += String.fromCharCode(byte);
  return new Headers(headerLines(text));
}

export function headerLines(block: string): [string, string][] {
  if (block === "") return [];
  // A line that starts with a space continues the previous one.
  const lines = (block.includes("\r\n") ? block.replace(/\r\n[ \t]+/g, " ") : block).split("\r\n");
  return lines.map((line) => {
    const colon = line.indexOf(":");
    const name = line.slice(0, Math.max(colon, 0)).toLowerCase();
    if (!isHeaderToken(name)) throw malformed(act, "a part has a malformed header");
    if (forbidden.test(line)) throw malformed(act, "a part has a control character in its header");
    return [name, line.slice(colon + 1).trim()];
  });
}
