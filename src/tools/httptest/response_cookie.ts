/**
 * The cookies of a response.
 *
 * @module
 */

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
      Value: decodedValue(pair?.[1] ?? ""),
      Attributes: new Map(attributes.map(([name, value]) => [name.toLowerCase(), value])),
    };
  });
}

/** Decodes the value of a cookie, as fw does for the handlers of an application. */
export function decodedValue(value: string): string {
  try {
    return decodeURIComponent(value);
  } catch {
    return value;
  }
}

function pairOf(text: string): [string, string] {
  const at = text.indexOf("=");
  return at === -1 ? [text.trim(), ""] : [text.slice(0, at).trim(), text.slice(at + 1).trim()];
}
