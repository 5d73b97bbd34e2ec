/**
 * The `Content-Disposition` response header (RFC 6266).
 *
 * @module
 */

import { readHeaderParameters } from "./header_parameters.ts";

/**
 * Returns the header value that makes a client download a file.
 *
 * @param name The file name for the download.
 * @returns The value of `Content-Disposition`, with both the full name and an ASCII name for old clients.
 */
export function attachment(name: string): string {
  return ["attachment", ...bothNames("filename", name)].join("; ");
}

/**
 * Encodes the file names in a `Content-Disposition` header that contain characters outside Latin-1, which a header
 * cannot contain otherwise.
 *
 * @param value The header value, such as `attachment; filename="отчёт.pdf"`.
 * @returns The value with both the full name and an ASCII name, or the unchanged value if it is malformed.
 */
export function encodeDisposition(value: string): string {
  const read = readHeaderParameters(value);
  if (read === null) return value;
  const { value: type, parameters } = read;
  const parts = Object.entries(parameters).flatMap(([name, text]) => {
    if (name.endsWith("*")) return `${name}=${text}`;
    const [plain, full] = bothNames(name, text);
    // The application's own full name takes precedence.
    return isLatin1(text) || `${name}*` in parameters ? plain : [plain, full];
  });
  return [type, ...parts].join("; ");
}

function isLatin1(text: string): boolean {
  return /^[\0-\xff]*$/.test(text);
}

function bothNames(parameter: string, name: string): [plain: string, full: string] {
  const plain = name.replace(/[^ !#-[\]-~]/g, "_");
  const full = encodeURIComponent(name.toWellFormed()).replace(/['()*]/g, escapeCode);
  return [`${parameter}="${plain}"`, `${parameter}*=UTF-8''${full}`];
}

function escapeCode(letter: string): string {
  return `%${letter.charCodeAt(0).toString(16).toUpperCase()}`;
}
