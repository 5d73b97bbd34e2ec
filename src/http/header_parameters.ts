/**
 * Header values with parameters: `form-data; name="a"; filename="b.txt"`.
 *
 * @module
 */

/** A header value and its parameters. */
export interface HeaderParameters {
  /** What stands before the first semicolon, in lower case. */
  readonly value: string;
  /** The parameters by their names in lower case; an object without prototype. */
  readonly parameters: Record<string, string>;
}

/**
 * Reads a header value with parameters.
 *
 * @param text The value of the header.
 * @returns Its parts; `null` when a quote is not closed, something follows one, or a name comes twice.
 */
export function readHeaderParameters(text: string): HeaderParameters | null {
  const parameters: Record<string, string> = Object.create(null);
  let at = endOf(text, 0);
  const value = text.slice(0, at).trim().toLowerCase();
  while (at < text.length) {
    const start = at + 1;
    at = endOf(text, start);
    const equals = text.indexOf("=", start);
    if (equals < 0 || equals > at) continue;
    const name = text.slice(start, equals).trim().toLowerCase();
    // Two programs that read such a header may each take another one.
    if (name in parameters) return null;
    const open = skipSpaces(text, equals + 1);
    if (text[open] !== '"') {
      parameters[name] = text.slice(equals + 1, at).trim();
      continue;
    }
    const close = endOfQuote(text, open + 1);
    if (close < 0) return null;
    at = skipSpaces(text, close + 1);
    if (at < text.length && text[at] !== ";") return null;
    const quoted = text.slice(open + 1, close);
    // A backslash escapes only a quote or a backslash: Windows paths come with bare ones.
    parameters[name] = quoted.includes("\\") ? quoted.replace(/\\(["\\])/g, "$1") : quoted;
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

function endOf(text: string, from: number): number {
  const at = text.indexOf(";", from);
  return at < 0 ? text.length : at;
}

function skipSpaces(text: string, from: number): number {
  while (text[from] === " " || text[from] === "\t") from++;
  return from;
}

function endOfQuote(text: string, from: number): number {
  if (!text.includes("\\", from)) return text.indexOf('"', from);
  for (let i = from; i < text.length; i++) {
    if (text[i] === "\\" && (text[i + 1] === '"' || text[i + 1] === "\\")) i++;
    else if (text[i] === '"') return i;
  }
  return -1;
}
