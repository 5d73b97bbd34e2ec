/**
 * The text of a body in the access log, without secrets.
 *
 * @module
 */

import { toJSON } from "../../base/text/json.ts";
import { parseLossless } from "../../base/text/lossless_json.ts";
import { isJSON } from "../../http/body/source/body_type.ts";
import { isJSONStream, mediaTypeOf } from "../../http/headers/content_type.ts";

/** A body, or the part of it that was read. */
export interface CapturedBody {
  readonly bytes: Uint8Array;
  /** Whether the bytes are the whole body. */
  readonly isWhole: boolean;
  /** The content type. */
  readonly type: string;
}

/** Writes bodies to the log. */
export interface BodyWriter {
  /** The maximum number of characters. */
  readonly max: number;
  /** Reports whether the value of a field is secret. */
  isSecret(name: string): boolean;
}

const HIDDEN = "***";
/** Parts of the names of secret fields, without separators. */
const secretParts = (
  "password passwd passphrase secret token apikey authorization credential cardnumber creditcard privatekey cookie " +
  "session"
).split(" ");
/** The names of secret fields that are parts of other words. */
const secretNames: ReadonlySet<string> = new Set("auth csrf cvc cvv jwt otp pass pin pwd sid ssn".split(" "));

/** Creates the test for secret fields. Further names are added to those that are always secret. */
export function secretTest(names: readonly string[]): (name: string) => boolean {
  const parts = [...secretParts, ...names.map(plainName).filter((name) => name !== "")];
  const isSecret = (name: string) => secretNames.has(name) || parts.some((part) => name.includes(part));
  // Names of form fields may be paths, such as "user[pin]" and "user.pin".
  return (name) => isSecret(plainName(name)) || name.split(/[[\].]+/).some((part) => isSecret(plainName(part)));
}

function plainName(name: string): string {
  return name.toLowerCase().replace(/[^\p{L}\p{N}]/gu, "");
}

type Masker = (text: string, writer: BodyWriter) => string | undefined;

/** The functions that mask bodies, by type. A body that cannot be masked is not logged. */
const maskers: readonly (readonly [matches: (type: string) => boolean, mask: Masker])[] = [
  [isJSON, maskJSON],
  [isJSONStream, maskLines],
  [(type) => type === "application/x-www-form-urlencoded", maskForm],
  [(type) => type === "text/plain", maskText],
];

/** Reports whether bodies of a content type are logged. Others are only described. */
export function isLogged(type: string): boolean {
  return maskerOf(type) !== undefined;
}

/**
 * Returns the text of a body for the log.
 *
 * @returns The masked text, shortened to the maximum. Bodies of other types, incomplete bodies and bodies that do not
 * match their type are only described, because secrets in them cannot be found.
 */
export function bodyText({ bytes, isWhole, type }: CapturedBody, writer: BodyWriter): string {
  if (bytes.length === 0 && isWhole) return "";
  const masked = isWhole ? maskerOf(type)?.(new TextDecoder().decode(bytes), writer) : undefined;
  if (masked === undefined) {
    return `(${[mediaTypeOf(type), ...isWhole ? [`${bytes.length} bytes`] : []].join(", ")})`;
  }
  return masked.length <= writer.max ? masked : `${masked.slice(0, writer.max).replace(/[\uD800-\uDBFF]$/, "")}…`;
}

function maskerOf(type: string): Masker | undefined {
  const media = mediaTypeOf(type);
  return maskers.find(([matches]) => matches(media))?.[1];
}

function maskJSON(text: string, { isSecret }: BodyWriter): string | undefined {
  try {
    return toJSON(maskValue(parseLossless(text), isSecret));
  } catch {
    return undefined;
  }
}

function maskValue(value: unknown, isSecret: (name: string) => boolean): unknown {
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return value.map((each) => maskValue(each, isSecret));
  const masked = Object.entries(value).map((
    [name, each],
  ) => [name, isSecret(name) ? HIDDEN : maskValue(each, isSecret)]);
  return Object.fromEntries(masked);
}

function maskLines(text: string, writer: BodyWriter): string | undefined {
  const lines = text.split("\n").filter((line) => line.trim() !== "").map((line) => maskJSON(line, writer));
  return lines.includes(undefined) ? undefined : lines.join("\n");
}

function maskForm(text: string, { isSecret }: BodyWriter): string {
  const fields = Array.from(new URLSearchParams(text), ([name, value]) => [name, isSecret(name) ? HIDDEN : value]);
  return String(new URLSearchParams(fields));
}

/** Masks plain text. Handlers may read it as JSON. Other text with the name of a secret is not logged. */
function maskText(text: string, writer: BodyWriter): string | undefined {
  return /^\s*[[{"]/.test(text) ? maskJSON(text, writer) : writer.isSecret(text) ? undefined : text;
}
