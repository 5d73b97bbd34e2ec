/**
 * Content types, as fw writes and reads them.
 *
 * @module
 */

import { trimBlanks } from "./blanks.ts";

/** Text and JSON in the platform's own spelling: a response that needs no header of ours costs the least. */
export const contentTypes = {
  text: "text/plain;charset=UTF-8",
  json: "application/json",
  html: "text/html; charset=utf-8",
  bytes: "application/octet-stream",
  script: "text/javascript; charset=utf-8",
  xml: "application/xml; charset=utf-8",
  yaml: "application/yaml",
  msgpack: "application/vnd.msgpack",
} as const;

/**
 * Returns the media type of a content type: what stands before its parameters.
 *
 * @returns The media type in lower case.
 */
export function mediaTypeOf(type: string): string {
  const end = type.indexOf(";");
  return trimBlanks(end < 0 ? type : type.slice(0, end)).toLowerCase();
}

/**
 * Completes a content type with a charset where it is text and names none.
 *
 * @returns The content type to send.
 */
export function withCharset(type: string, charset: string): string {
  if (/charset=/i.test(type) || !/^text\/|^application\/(?:xml|javascript|x-yaml|yaml)\b/i.test(type)) return type;
  return `${type}; charset=${charset.toLowerCase()}`;
}
