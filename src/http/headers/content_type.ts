/**
 * Content types.
 *
 * @module
 */

import { trimBlanks } from "./header.ts";

/** Text and JSON use the same spelling as the platform, because a response without fw's own header is the cheapest. */
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
 * Returns the media type of a content type, without its parameters.
 *
 * @returns The media type in lower case.
 */
export function mediaTypeOf(type: string): string {
  const end = type.indexOf(";");
  return trimBlanks(end < 0 ? type : type.slice(0, end)).toLowerCase();
}

/** Returns the charset of a content type in lower case, or an empty string if it has none. */
export function charsetOf(type: string): string {
  return /;\s*charset\s*=\s*"?([^\s;"]+)/i.exec(type)?.[1]?.toLowerCase() ?? "";
}

/**
 * Adds a charset to a text content type that does not have one.
 *
 * @returns The content type to send.
 */
export function withCharset(type: string, charset: string): string {
  if (/charset=/i.test(type) || !/^text\/|^application\/(?:xml|javascript|x-yaml|yaml)\b/i.test(type)) return type;
  return `${type}; charset=${charset.toLowerCase()}`;
}

const jsonStreams = /^application\/(?:x-)?(?:ndjson|jsonlines|jsonl|json-seq)$/;
const textual = /^text\/|[/+](?:json|xml|yaml|javascript|csv|graphql)$|^application\/(?:x-yaml|x-www-form-urlencoded)$/;

/** Reports whether a media type is a stream of JSON values: JSON lines, by any of their names, or text sequences. */
export function isJSONStream(type: string): boolean {
  return jsonStreams.test(type);
}

/** Reports whether bodies of a media type are text. */
export function isTextual(type: string): boolean {
  return textual.test(type) || isJSONStream(type);
}
