/**
 * Validation of response headers.
 *
 * @module
 */

import { FrameworkError } from "../../base/errors/errors.ts";
import { encodeDisposition } from "./disposition.ts";
import { isHeaderToken } from "../../base/text/header_token.ts";

// deno-lint-ignore no-control-regex -- the expression has to match control characters
const refused = /[\0-\x08\x0a-\x1f\x7f]|[^\0-\xff]/;
// deno-lint-ignore no-control-regex -- the expression has to match control characters
const controls = /[\0-\x08\x0a-\x1f\x7f]/;

/**
 * Validates a header name.
 *
 * @returns The name in lower case.
 * @throws {FrameworkError} If the name is not a token.
 */
export function checkHeaderName(name: string): string {
  if (typeof name !== "string" || !isHeaderToken(name)) {
    throw new FrameworkError("FW_HEADER", `Cannot send the header "${String(name)}": its name is not a token`);
  }
  return name.toLowerCase();
}

/**
 * Validates a header value. A line break in a value would allow an attacker to inject headers or a body.
 *
 * @returns The value to send. File names in `Content-Disposition` are encoded. Other values are not changed.
 * @throws {FrameworkError} If the value contains a character that is not allowed.
 */
export function checkHeaderValue(name: string, value: string): string {
  if (!refused.test(value)) return value;
  const encoded = name === "content-disposition" && !controls.test(value) ? encodeDisposition(value) : value;
  if (!refused.test(encoded)) return encoded;
  throw new FrameworkError(
    "FW_HEADER",
    `Cannot send the header "${name}": its value contains a line break, a control character or a non-Latin-1 character`,
  );
}

/**
 * Reads a header without accessing the request's own `headers`.
 *
 * After a program has accessed `request.headers`, Deno responds through a promise and materializes all headers. That
 * costs 3.4 µs per request over a socket, and 4.3 µs with the seven headers that a browser sends. Reading a single
 * header from the platform's own record of the request costs 0.3 µs and leaves the request untouched.
 *
 * @param request A request received over a connection. The headers of an in-process request are already materialized.
 * @param name The header name in lower case.
 * @returns The header value, or `null` if the header is missing.
 */
export function peekHeader(request: Request, name: string): string | null {
  // A program may have replaced the request's headers.
  const record = Object.hasOwn(request, "headers") ? undefined : recordOf(request);
  try {
    if (record?.header !== undefined) return record.header(name);
  } catch {
    // The record is closed. If a program has read the headers, the request still has them.
  }
  return request.headers.get(name);
}

/** The part of the platform's record of a request that is used here. */
interface RequestRecord {
  header?(name: string): string | null;
}

/** The property in which Deno stores the record of a request. */
let recordKey: symbol | undefined = undefined;
/** The global is a getter, like those in `platform_response.ts`. */
let prototype: Request | undefined = undefined;

/** Returns the platform's record of a request, unless a program may have changed the meaning of `headers`. */
function recordOf(request: Request): RequestRecord | undefined {
  if (Object.getPrototypeOf(request) !== (prototype ??= Request.prototype)) return undefined;
  recordKey ??= Object.getOwnPropertySymbols(request).find(({ description }) => description === "request");
  return recordKey && (request as unknown as Record<symbol, RequestRecord>)[recordKey];
}

/**
 * Reports whether a character is a space or a tab.
 *
 * @param code The character code.
 */
export function isBlank(code: number): boolean {
  return code === 0x20 || code === 0x09;
}

/**
 * Removes spaces and tabs from both ends of a string.
 *
 * @param text The string to trim.
 * @returns The trimmed string.
 */
export function trimBlanks(text: string): string {
  let start = 0;
  let end = text.length;
  while (start < end && isBlank(text.charCodeAt(start))) start++;
  while (end > start && isBlank(text.charCodeAt(end - 1))) end--;
  return text.slice(start, end);
}
