/**
 * An uploaded file as its part of the form describes it.
 *
 * @module
 */

import { isHeaderToken } from "../base/header_token.ts";
import { malformed } from "./body_errors.ts";

const maxNameBytes = 255;

/** What the header of a part says of its file. */
interface FilePart {
  readonly field: string;
  readonly filename: string;
  readonly type: string;
  readonly block: Uint8Array;
}

/** An uploaded file as its client describes it. */
export class FileHeader {
  /**
   * The name of the file: without folders and control characters, at most 255 bytes; empty when the client gave none.
   * A callback of `UploadFormFiles` may change it, also into a sub-folder.
   */
  Filename: string;
  /** The name of the form field that carries the file. */
  readonly Field: string;
  /**
   * The content type that the client declares for the file, such as `image/png`; empty if there is none. The client
   * chooses it, so it says nothing about the content.
   */
  readonly ContentType: string;
  /** How many bytes the file has; -1 while it is still on its way. */
  Size: number;
  readonly #block: Uint8Array;
  #headers: Headers | undefined = undefined;

  /**
   * Created by the reader of the form.
   *
   * @param part What the header of the part says, with the file name as the client gave it, and the header as it came.
   * @ignore
   */
  constructor({ field, filename, type, block }: FilePart) {
    this.Filename = safeName(filename);
    this.Field = field;
    this.ContentType = type;
    this.Size = -1;
    this.#block = block;
  }

  /** The header of the part that carried the file, such as its `content-type`. */
  get Header(): Headers {
    return this.#headers ??= partHeaders(this.#block);
  }

  /** Replaces the header of the part. */
  set Header(headers: Headers) {
    this.#headers = headers;
  }
}

/**
 * Takes from a client's file name what can safely name a file here.
 *
 * @param name The name as the client gave it.
 * @returns Its last segment, without slashes of both kinds, also at its end; empty when nothing usable is left.
 */
function safeName(name: string): string {
  // What no file system takes, and marks that make a name look like another one.
  const unwanted = /[\p{Cc}\u200e\u200f\u2028-\u202e\u2066-\u2069]/gu;
  const whole = trimSeparators(name);
  const base = whole.slice(Math.max(whole.lastIndexOf("/"), whole.lastIndexOf("\\")) + 1).replace(unwanted, "");
  return base === "." || base === ".." ? "" : shortName(base);
}

/** Cuts separators off the end, one by one: an expression would look at each run of them again and again. */
function trimSeparators(name: string): string {
  let end = name.length;
  while (end > 0 && (name[end - 1] === "/" || name[end - 1] === "\\")) end--;
  return name.slice(0, end);
}

/**
 * Shortens a file name to what file systems take, and keeps its extension.
 *
 * @param name The name.
 * @param suffix What is put between the name and its extension.
 * @returns The name, at most 255 bytes long.
 */
export function shortName(name: string, suffix = ""): string {
  const dot = name.lastIndexOf(".");
  // What follows the last dot of a very long name is hardly an extension.
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
 * Builds the platform's headers of a part; bytes beyond ASCII are Latin-1 there, as in every `Headers`.
 *
 * @param block The lines of the header.
 */
function partHeaders(block: Uint8Array): Headers {
  let text = "";
  for (const byte of block) text += String.fromCharCode(byte);
  return new Headers(headerLines(text));
}

export function headerLines(block: string): [string, string][] {
  if (block === "") return [];
  // A line that begins with a space belongs to the one before.
  const lines = (block.includes("\r\n") ? block.replace(/\r\n[ \t]+/g, " ") : block).split("\r\n");
  return lines.map((line) => {
    const colon = line.indexOf(":");
    const name = line.slice(0, Math.max(colon, 0)).toLowerCase();
    if (!isHeaderToken(name)) throw malformed(act, "a part has a broken header");
    if (forbidden.test(line)) throw malformed(act, "a part has a control character in its header");
    return [name, line.slice(colon + 1).trim()];
  });
}
