/**
 * Arguments that clients repeat in headers, so that proxies can route calls without reading them. Tools mark such
 * arguments with `x-mcp-header` in their schema (revision 2026-07-28).
 *
 * @module
 */

import { isJSONObject } from "../../../base/data/plain_object.ts";
import { codes, ProtocolError } from "./messages.ts";

/** The maximum depth of marked arguments. */
const deepest = 8;

/** Decodes a header value. Values that cannot be sent as they are have the form `=?base64?…?=`. */
export function decodeHeader(name: string, value: string | null): string | null {
  const encoded = /^=\?base64\?(.*)\?=$/.exec(value ?? "")?.[1];
  if (encoded === undefined) return value;
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(
      Uint8Array.fromBase64(encoded, { lastChunkHandling: "strict" }),
    );
  } catch {
    throw new ProtocolError(codes.headers, `Cannot read the header ${name}: it is not valid base64`);
  }
}

/**
 * Throws if a header does not match the argument that it repeats.
 *
 * @param schema The schema of the arguments.
 * @param given The arguments.
 * @param headers The headers of the message.
 */
export function assertMirrored(schema: unknown, given: unknown, headers: Headers, depth = 0): void {
  const properties = Object(schema)["properties"];
  if (!isJSONObject(properties) || depth > deepest) return;
  for (const [name, property] of Object.entries(properties)) {
    const value = isJSONObject(given) && Object.hasOwn(given, name) ? Object(given)[name] : undefined;
    const suffix = Object(property)["x-mcp-header"];
    if (typeof suffix === "string") assertHeader(`Mcp-Param-${suffix}`, value, headers);
    else assertMirrored(property, value, headers, depth + 1);
  }
}

function assertHeader(name: string, value: unknown, headers: Headers): void {
  const sent = decodeHeader(name, headers.get(name));
  const isAbsent = value === undefined || value === null;
  const isNumber = typeof value === "number" || typeof value === "bigint";
  const isSame = isNumber ? sent !== null && Number(sent) === Number(value) : sent === String(value);
  if (isAbsent ? sent === null : isSame) return;
  throw new ProtocolError(codes.headers, `Cannot use the header ${name}: it does not match the argument`);
}

/**
 * Reports whether the origin of a request is allowed. In a DNS rebinding attack, a page's host name is changed to a
 * loopback address after the page has loaded. `Origin` and `Host` are then the same, so comparing them is not
 * sufficient.
 *
 * @param request The request.
 * @param allowed The allowed origins.
 * @returns Whether the origin is allowed. Always `true` if there is no `Origin` header, because browsers always send
 * it.
 */
export function isOriginAllowed(request: Request, allowed: readonly string[]): boolean {
  const origin = request.headers.get("origin");
  if (origin === null || allowed.includes(origin)) return true;
  if (!URL.canParse(origin)) return false;
  const host = request.headers.get("host");
  const own = host !== null && URL.canParse(`http://${host}`) ? new URL(`http://${host}`) : new URL(request.url);
  return isLoopback(new URL(origin).hostname) && isLoopback(own.hostname);
}

function isLoopback(hostname: string): boolean {
  return hostname === "localhost" || hostname === "[::1]" || /^127\.\d+\.\d+\.\d+$/.test(hostname);
}
