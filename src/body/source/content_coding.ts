/**
 * The content coding of request bodies.
 *
 * @module
 */

import { HTTPError } from "../../errors/errors.ts";

/**
 * Reads the content coding of a request.
 *
 * @param headers The request headers.
 * @returns The coding in lower case, or an empty string if the body is not compressed.
 */
export function contentCoding(headers: Headers): string {
  const coding = headers.get("content-encoding")?.trim().toLowerCase() ?? "";
  return coding === "identity" ? "" : coding;
}

/**
 * Creates the error for a body with an unexpected or unknown content coding.
 *
 * @param coding The content coding.
 * @returns An error with status 415.
 */
export function unsupportedCoding(coding: string): HTTPError {
  const state = `its content encoding "${coding.slice(0, 32)}" is not supported here`;
  return new HTTPError(415, `Cannot read the request body: ${state}`, { Code: "FW_BODY" });
}
