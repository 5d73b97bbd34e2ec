/**
 * The `Forwarded` header (RFC 7239): `for=192.0.2.60;proto=https;host=example.com, for="[2001:db8::17]"`.
 *
 * @module
 */

import { readHeaderParameters } from "./header_parameters.ts";

/** A proxy's description of the request it received. */
export interface ForwardedHop {
  /** The address of the sender, or an empty string if the proxy does not report it. */
  readonly for: string;
  /** The scheme of the request, or an empty string if the proxy does not report it. */
  readonly proto: string;
  /** The requested host, or an empty string if the proxy does not report it. */
  readonly host: string;
}

/**
 * Parses the header.
 *
 * @param text The header value.
 * @returns One hop per proxy, with the nearest proxy last. The list is empty if any part of the header is malformed,
 * because an attacker could use such a header to make two programs read different values.
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

/** Splits a string at commas outside quotes. */
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
