/**
 * Detects forms and JSON by their content type.
 *
 * @module
 */

import { mediaTypeOf } from "../../headers/content_type.ts";

const urlencoded = "application/x-www-form-urlencoded";

/**
 * Reports whether a content type is that of a URL-encoded form.
 *
 * @param type The request's content type.
 * @returns `true` for `application/x-www-form-urlencoded`, with or without parameters.
 */
export function isUrlencoded(type: string): boolean {
  return type === urlencoded || mediaTypeOf(type) === urlencoded;
}

/**
 * Reports whether a content type is that of a form.
 *
 * @param type The request's content type.
 */
export function isForm(type: string): boolean {
  return isUrlencoded(type) || mediaTypeOf(type) === "multipart/form-data";
}

/**
 * Reports whether a content type is JSON: `application/json`, `text/json`, or a type that ends in `+json`.
 *
 * @param type The request's content type.
 */
export function isJSON(type: string): boolean {
  return type === "application/json" || /^(?:application\/json|text\/json|.+\+json)$/.test(mediaTypeOf(type));
}
