/**
 * The metadata of an uploaded file.
 *
 * @module
 */

import { isHeaderToken } from "../../../base/text/header_token.ts";
import { malformed } from "../source/body_errors.ts";

/** The properties in the header of a file's part. */
interface FilePart {
  readonly field: string;
  /** The file name, as returned by `safeName`. */
  readonly filename: string;
  readonly type: string;
  readonly block: Uint8Array;
}

/** The metadata of an uploaded file, as sent by the client. */
export class FileHeader {
  /**
   * The file name, without folders or control characters, and at most 255 bytes long. It denotes the same file on every
   * operating system: trailing dots and spaces are removed, colons are replaced with `_`, and device names such as
   * `con.txt` start with `_`. It is empty if the client did not send a name. An `UploadFormFiles` callback may change
   * the name and may include a subfolder.
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
   * @param part The properties of the part, with a safe file name and the unparsed header.
   * @ignore
   */
  constructor({ field, filename, type, block }: FilePart) {
    this.Filename = filename;
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
