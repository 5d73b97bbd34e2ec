/**
 * Checks the content type and the content coding of a body that is read.
 *
 * @module
 */

import { HTTPError } from "../../../base/errors/errors.ts";
import { mediaTypeOf } from "../../headers/content_type.ts";
import { readHeaderParameters } from "../../headers/header_parameters.ts";
import { malformed } from "./body_errors.ts";
import { isJSON } from "./body_type.ts";

/**
 * Returns the boundary of a multipart form.
 *
 * @param type The request's content type, or `null` if it has none.
 * @returns The boundary, or `undefined` if the body is not a multipart form.
 */
export function multipartBoundary(type: string | null): string | undefined {
  if (type === null || mediaTypeOf(type) !== "multipart/form-data") return undefined;
  const boundary = readHeaderParameters(type)?.parameters["boundary"];
  if (boundary === undefined || !/^[\x20-\x7e]+$/.test(boundary)) {
    throw malformed("read the multipart form", "its content type has no valid boundary");
  }
  return boundary;
}

/** Creates the error for a body whose type or coding is not supported. The purpose may be ` as JSON`. */
export function unsupportedBody(reason: string, purpose = ""): HTTPError {
  return new HTTPError(415, `Cannot read the request body${purpose}: ${reason}`, { Code: "FW_BODY" });
}

/** Creates the error for a body that is not `JSON` or `a form`. */
export function wrongType(expected: string): HTTPError {
  return unsupportedBody(`its content type does not match ${expected}`);
}

/**
 * Rejects a body whose content type is not JSON.
 *
 * @param type The request's content type, or `null` if it has none.
 */
export function assertJSON(type: string | null): void {
  if (type !== null && isJSON(type)) return;
  throw unsupportedBody("its content type is not JSON", " as JSON");
}

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
  return unsupportedBody(`its content encoding "${coding.slice(0, 32)}" is not supported here`);
}
