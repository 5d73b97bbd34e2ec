/**
 * Repeats a recorded request, in this process or with curl.
 *
 * @module
 */

import { HIDDEN, type RequestEntry } from "./history.ts";

/** The headers that belong to a connection or to a browser. */
const unsent = /^(?:host|connection|content-length|transfer-encoding|accept-encoding|expect|te|sec-.*|upgrade.*)$/;

/** Returns the reason why a request cannot be sent again, or `undefined`. */
export function obstacleTo({ Method, Headers, Body, IsMasked }: RequestEntry): string | undefined {
  if (/^(?:CONNECT|TRACE|TRACK)$/.test(Method)) return "programs cannot send this method";
  if (IsMasked) return "its address or body contains a secret or is too long";
  const isEmpty = Headers["transfer-encoding"] === undefined && (Headers["content-length"] ?? "0") === "0";
  if (Body !== undefined || isEmpty) return undefined;
  return "its body was not read, is not text, or has more than 16 KB";
}

/** Returns the request without cookies and credentials. */
export function requestOf(entry: RequestEntry): Request {
  const { Method: method, Origin, Path, Body = "" } = entry;
  const headers = headersOf(entry).filter(([, value]) => value !== HIDDEN);
  // Requests with these methods have no body.
  const body = Body === "" || /^(?:GET|HEAD)$/.test(method) ? null : new TextEncoder().encode(Body);
  return new Request(Origin + Path, { method, headers, body });
}

/** Returns a command that sends the request. It has placeholders for secrets. */
export function curlOf(entry: RequestEntry): string {
  const { Method, Origin, Path, Headers, Body = "" } = entry;
  const method = Method === "HEAD" ? "--head" : `-X ${quoted(Method)}`;
  // A header without a value ends with a semicolon, because a colon would remove it.
  const parts = headersOf(entry).map(([name, value]) =>
    `-H ${quoted(value === "" ? `${name};` : `${name}: ${value}`)}`
  );
  // Without a type, curl would declare a form.
  if (Body !== "" && Headers["content-type"] === undefined) parts.push("-H content-type:");
  if (Body !== "") parts.push(`--data-raw ${quoted(Body)}`);
  // In a path, curl would interpret braces and brackets.
  const name = /[[\]{}]/.test(Path) ? "curl --globoff" : "curl";
  return [`${name} ${method} ${quoted(Origin + Path)}`, ...parts].join(" \\\n  ");
}

/** Returns the headers that were recorded completely. */
function headersOf({ Headers }: RequestEntry): [name: string, value: string][] {
  return Object.entries(Headers).filter(([name, value]) => !unsent.test(name) && !value.includes("…"));
}

/** Quotes a word for a shell. Inside single quotes, no other character has a meaning. */
function quoted(word: string): string {
  return /^[\w./:=-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`;
}
