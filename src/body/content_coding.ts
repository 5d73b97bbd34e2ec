/**
 * The coding that a body was compressed with.
 *
 * @module
 */

import { HTTPError } from "../base/errors.ts";

/**
 * Reads the content coding of a request.
 *
 * @param headers The headers of the request.
 * @returns The coding in lower case; empty when the body is not compressed.
 */
export function contentCoding(headers: Headers): string {
  const coding = headers.get("content-encoding")?.trim().toLowerCase() ?? "";
  return coding === "identity" ? "" : coding;
}

/**
 * Creates the error of a body that is compressed where that is not read, or in a way that is not known.
 *
 * @param coding The coding.
 * @returns The error, 415.
 */
export function unsupportedCoding(coding: string): HTTPError {
  const state = `its content encoding "${coding.slice(0, 32)}" is not supported here`;
  return new HTTPError(415, `Cannot read the request body: ${state}`, { Code: "FW_BODY" });
}
