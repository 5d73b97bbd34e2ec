/**
 * What a request says of an uploaded file, and which part of its name can be trusted.
 *
 * @module
 */

import { partHeaders } from "./multipart/part_header.ts";

// What no file system takes, and marks that make a name look like another one.
const unwanted = /[\p{Cc}\u200e\u200f\u2028-\u202e\u2066-\u2069]/gu;
const maxNameBytes = 255;

/** An uploaded file as its client describes it. */
export class FileHeader {
  /**
   * The name of the file: without folders and control characters, at most 255 bytes; empty when the client gave none.
   * A callback of `UploadFormFiles` may change it, also into a sub-folder.
   */
  Filename: string;
  /** How many bytes the file has; -1 while it is still on its way. */
  Size: number;
  readonly #block: Uint8Array;
  #headers: Headers | undefined = undefined;

  /**
   * Created by the reader of the form.
   *
   * @param filename The name as the client gave it.
   * @param block The header of the part as it came.
   */
  constructor(filename: string, block: Uint8Array) {
    this.Filename = safeName(filename);
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
 * @returns Its last segment, slashes of both kinds cut off; empty when nothing usable is left.
 */
function safeName(name: string): string {
  const base = name.slice(Math.max(name.lastIndexOf("/"), name.lastIndexOf("\\")) + 1).replace(unwanted, "");
  return base === "." || base === ".." ? "" : shortName(base);
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
