/**
 * The values of headers: names and blanks, media types and their parameters, `Forwarded` and `Accept`.
 *
 * @module
 */

import { FrameworkError } from "../base/errors.ts";
import { isToken } from "../base/text.ts";

// deno-lint-ignore no-control-regex -- control characters are just what is looked for.
const refused = /[\0-\x08\x0a-\x1f\x7f]|[^\0-\xff]/;

/**
 * Checks a header's name.
 *
 * @returns The name in lower case.
 */
export function checkHeaderName(name: string): string {
  if (!isToken(name)) {
    throw new FrameworkError("FW_HEADER", `Cannot send the header "${name}": its name is not a token`);
  }
  return name.toLowerCase();
}

/**
 * Checks a header's value. A line break in it would let the author of the value write headers and a body of their own.
 *
 * @returns The value as it is.
 */
export function checkHeaderValue(name: string, value: string): string {
  if (refused.test(value)) {
    throw new FrameworkError(
      "FW_HEADER",
      `Cannot send the header "${name}": its value has a line break, a control character or a letter beyond Latin-1`,
    );
  }
  return value;
}

// Spaces and tabs, the only blanks that HTTP knows between words. Other spaces of Unicode are bytes like any other there:
// trimmed too, the cookie `\\xa0__Host-id` would be read as `__Host-id`, which another site may not set.

/**
 * Reports whether a character is a space or a tab.
 *
 * @param code The code of the character.
 */
export function isBlank(code: number): boolean {
  return code === 0x20 || code === 0x09;
}

/**
 * Cuts spaces and tabs off both ends of a text.
 *
 * @param text The text.
 * @returns What is left.
 */
export function trimBlanks(text: string): string {
  let start = 0;
  let end = text.length;
  while (start < end && isBlank(text.charCodeAt(start))) start++;
  while (end > start && isBlank(text.charCodeAt(end - 1))) end--;
  return text.slice(start, end);
}

/** Text and JSON in the platform's own spelling: a response that needs no header of ours costs the least. */
export const contentTypes = {
  text: "text/plain;charset=UTF-8",
  json: "application/json",
  html: "text/html; charset=utf-8",
  bytes: "application/octet-stream",
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

/** A header value and its parameters. */
export interface HeaderParameters {
  /** What stands before the first semicolon, in lower case. */
  readonly value: string;
  /** The parameters by their names in lower case; an object without prototype. */
  readonly parameters: Record<string, string>;
}

/** A quoted value and where it ends. */
interface Quoted {
  readonly text: string;
  /** The index of what follows the closing quote and its spaces: a semicolon, or the end. */
  readonly end: number;
}

/**
 * Reads a header value with parameters, in one walk: no search goes further than the parameter that it is for, or
 * 16 KiB of semicolons would take seconds.
 *
 * @param text The value of the header.
 * @returns Its parts; `null` when a quote is not closed, something follows one, or a name comes twice.
 */
export function readHeaderParameters(text: string): HeaderParameters | null {
  const parameters: Record<string, string> = Object.create(null);
  let at = endOf(text, 0, ";");
  const value = text.slice(0, at).trim().toLowerCase();
  while (at < text.length) {
    const start = at + 1;
    at = endOf(text, start, ";=");
    if (text[at] !== "=") continue;
    const name = text.slice(start, at).trim().toLowerCase();
    // Two programs that read such a header may each take another one.
    if (name in parameters) return null;
    const from = skipSpaces(text, at + 1);
    if (text[from] !== '"') {
      at = endOf(text, from, ";");
      parameters[name] = text.slice(from, at).trim();
      continue;
    }
    // Browsers send a name that ends in a backslash as it is: where no escaped reading ends well, it is literal.
    const quoted = readEscaped(text, from + 1) ?? readLiteral(text, from + 1);
    if (quoted === null) return null;
    parameters[name] = quoted.text;
    at = quoted.end;
  }
  return { value, parameters };
}

/**
 * Decodes the value of an extended parameter (RFC 5987): `UTF-8''%e2%82%ac.txt`.
 *
 * @param text The value.
 * @returns The text; `null` when it cannot be decoded.
 */
export function readExtendedValue(text: string): string | null {
  const match = /^([\w-]+)'[\w-]*'(.*)$/.exec(text);
  if (match === null) return null;
  const [, charset = "", encoded = ""] = match;
  try {
    if (charset.toLowerCase() === "utf-8") return decodeURIComponent(encoded);
    if (charset.toLowerCase() !== "iso-8859-1") return null;
    return encoded.replace(/%([0-9a-f]{2})/gi, (_, hex) => String.fromCharCode(parseInt(hex, 16)));
  } catch {
    return null;
  }
}

/** Reads up to the first quote without a backslash, which escapes only a quote or a backslash: Windows paths have bare ones. */
function readEscaped(text: string, from: number): Quoted | null {
  let hasEscapes = false;
  for (let at = from; at < text.length; at++) {
    const letter = text[at];
    if (letter === "\\" && (text[at + 1] === '"' || text[at + 1] === "\\")) {
      hasEscapes = true;
      at++;
    } else if (letter === '"') {
      const quoted = closedAt(text, from, at);
      return quoted === null || !hasEscapes ? quoted : { ...quoted, text: quoted.text.replace(/\\(["\\])/g, "$1") };
    }
  }
  return null;
}

function readLiteral(text: string, from: number): Quoted | null {
  const close = endOf(text, from, '"');
  return close < text.length ? closedAt(text, from, close) : null;
}

/** The value between two quotes, if the parameter ends behind it. */
function closedAt(text: string, from: number, close: number): Quoted | null {
  const end = skipSpaces(text, close + 1);
  return end === text.length || text[end] === ";" ? { text: text.slice(from, close), end } : null;
}

/** The index of the first of some letters; the length of the text when none of them follows. */
function endOf(text: string, from: number, letters: string): number {
  let at = from;
  while (at < text.length && !letters.includes(text[at] as string)) at++;
  return Math.min(at, text.length);
}

function skipSpaces(text: string, from: number): number {
  let at = from;
  while (text[at] === " " || text[at] === "\t") at++;
  return at;
}

/** What one proxy says of the request that it received. */
export interface ForwardedHop {
  /** Who sent it; empty when the proxy does not say. */
  readonly for: string;
  /** The scheme it came by; empty when the proxy does not say. */
  readonly proto: string;
  /** The host it asked for; empty when the proxy does not say. */
  readonly host: string;
}

/**
 * Reads the header.
 *
 * @param text The value of the header.
 * @returns One hop per proxy, the nearest last; none when any part of the header cannot be read, since what two programs
 * read differently is where forged entries hide.
 */
export function readForwarded(text: string): readonly ForwardedHop[] {
  const hops: ForwardedHop[] = [];
  for (const element of splitOutsideQuotes(text)) {
    const parts = readHeaderParameters(`;${element}`);
    if (parts === null) return [];
    const { for: sender = "", proto = "", host = "" } = parts.parameters;
    hops.push({ for: sender, proto, host });
  }
  return hops;
}

/** Splits at commas; one inside quotes belongs to the value. */
function splitOutsideQuotes(text: string): string[] {
  const elements: string[] = [];
  let start = 0;
  let isQuoted = false;
  for (let at = 0; at < text.length; at++) {
    const character = text[at];
    if (isQuoted && character === "\\") at++;
    else if (character === '"') isQuoted = !isQuoted;
    else if (character === "," && !isQuoted) {
      elements.push(text.slice(start, at));
      start = at + 1;
    }
  }
  return [...elements, text.slice(start)];
}

/** The most ranges that are read of a header; a browser names eight. */
const most = 32;

interface Range {
  readonly type: string;
  readonly subtype: string;
  readonly weight: number;
}

/**
 * Chooses a media type.
 *
 * @param header The `Accept` header; empty if there is none.
 * @param offered What the server can send, the best first: it decides between types of one weight.
 * @returns The type; the first one where the client says nothing or accepts none of them.
 */
export function chooseType(header: string, offered: readonly string[]): string {
  const ranges = readRanges(header);
  let best = offered[0] ?? "";
  let highest = 0;
  for (const media of offered) {
    const weight = weightOf(media, ranges);
    if (weight > highest) {
      best = media;
      highest = weight;
    }
  }
  return best;
}

/** The weight of the most specific range that a type fits; 0 where it fits none. */
function weightOf(media: string, ranges: readonly Range[]): number {
  const [type, subtype] = media.split("/", 2);
  let closest = 0;
  let weight = 0;
  for (const range of ranges) {
    if ((range.type !== "*" && range.type !== type) || (range.subtype !== "*" && range.subtype !== subtype)) continue;
    const closeness = range.type === "*" ? 1 : range.subtype === "*" ? 2 : 3;
    if (closeness <= closest) continue;
    closest = closeness;
    weight = range.weight;
  }
  return weight;
}

function readRanges(header: string): Range[] {
  return header.split(",", most).map((item) => {
    const [media = "", ...parameters] = item.split(";", 8);
    const [type = "", subtype = ""] = media.trim().toLowerCase().split("/", 2);
    const said = parameters.map((parameter) => /^\s*q\s*=\s*([01](?:\.\d{0,3})?)\s*$/i.exec(parameter)?.[1]);
    const weight = said.find((text) => text !== undefined);
    return { type, subtype, weight: weight === undefined ? 1 : Math.min(Number(weight), 1) };
  });
}
