/**
 * The header `Forwarded` (RFC 7239): `for=192.0.2.60;proto=https;host=example.com, for="[2001:db8::17]"`.
 *
 * @module
 */

import { readHeaderParameters } from "./header_parameters.ts";

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
 * @returns One hop per proxy, the nearest last; none when any part of the header cannot be read, since what two
 * programs read differently is where forged entries hide.
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
