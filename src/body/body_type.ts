/**
 * Which kind of body a content type declares: a form of either kind, or JSON.
 *
 * @module
 */

import { HTTPError } from "../base/errors.ts";
import { mediaTypeOf } from "../http/content_type.ts";
import { readHeaderParameters } from "../http/header_parameters.ts";
import { malformed } from "./body_errors.ts";

const urlencoded = "application/x-www-form-urlencoded";

/**
 * Reports whether a body is an urlencoded form.
 *
 * @param type The content type of the request.
 * @returns True for `application/x-www-form-urlencoded`, with or without parameters.
 */
export function isUrlencoded(type: string): boolean {
  return type === urlencoded || mediaTypeOf(type) === urlencoded;
}

/**
 * Finds the boundary of a multipart form.
 *
 * @param type The content type of the request; `null` when it has none.
 * @returns The boundary; `undefined` when the body is something else.
 */
export function multipartBoundary(type: string | null): string | undefined {
  if (type === null || mediaTypeOf(type) !== "multipart/form-data") return undefined;
  const boundary = readHeaderParameters(type)?.parameters["boundary"];
  if (boundary === undefined || !/^[\x20-\x7e]+$/.test(boundary)) {
    throw malformed("read the multipart form", "its content type declares no usable boundary");
  }
  return boundary;
}

/**
 * Reports whether a body is a form of either kind.
 *
 * @param type The content type of the request.
 */
export function isForm(type: string): boolean {
  return isUrlencoded(type) || mediaTypeOf(type) === "multipart/form-data";
}

/**
 * Reports whether a body is JSON: `application/json`, `text/json`, or a type that ends in `+json`.
 *
 * @param type The content type of the request.
 */
export function isJSON(type: string): boolean {
  return type === "application/json" || /^(?:application\/json|text\/json|.+\+json)$/.test(mediaTypeOf(type));
}

/**
 * Refuses a body that does not declare to be JSON.
 *
 * @param type The content type of the request; `null` when it has none.
 */
export function assertJSON(type: string | null): void {
  if (type !== null && isJSON(type)) return;
  throw new HTTPError(415, "Cannot read the request body as JSON: its content type is not JSON", { Code: "FW_BODY" });
}
