/**
 * The cookies of a response.
 *
 * @module
 */

import { decodeValue } from "../../http/response/cookies.ts";

/** A cookie that a response sets. */
export interface ResponseCookie {
  /** The name. */
  readonly Name: string;
  /** The decoded value. */
  readonly Value: string;
  /** The attributes by name in lower case, such as `path` and `httponly`. Attributes without a value are empty. */
  readonly Attributes: ReadonlyMap<string, string>;
}

/** Reads the cookies of a response, in order. */
export function responseCookies(headers: Headers): ResponseCookie[] {
  return headers.getSetCookie().map((line) => {
    const [pair, ...attributes] = line.split(";").map(pairOf);
    return {
      Name: pair?.[0] ?? "",
      Value: decodeValue(pair?.[1] ?? ""),
      Attributes: new Map(attributes.map(([name, value]) => [name.toLowerCase(), value])),
    };
  });
}

function pairOf(text: string): [string, string] {
  const at = text.indexOf("=");
  return at === -1 ? [text.trim(), ""] : [text.slice(0, at).trim(), text.slice(at + 1).trim()];
}
