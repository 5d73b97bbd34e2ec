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
  return readParameters(text, [readEscaped, readLiteral]);
}

/**
 * Reads the header of a part of a form. Browsers write a backslash as it is and a quote as `%22` (WHATWG), other
 * programs escape both by a backslash; one lone backslash or `%22` anywhere proves the browsers' spelling for the whole
 * header.
 *
 * @param text The value of the header.
 * @returns Its parts; `null` when a quote is not closed, something follows one, or a name comes twice.
 */
export function readFormParameters(text: string): HeaderParameters | null {
  const isLiteral = text.includes("%22") || hasLoneBackslash(text);
  return readParameters(text, isLiteral ? [readLiteral, readEscaped] : [readEscaped, readLiteral]);
}

/** Reports whether a backslash escapes neither a quote nor a backslash. */
function hasLoneBackslash(text: string): boolean {
  for (let at = text.indexOf("\\"); at >= 0; at = text.indexOf("\\", at + 2)) {
    if (text[at + 1] !== '"' && text[at + 1] !== "\\") return true;
  }
  return false;
}

/** Reads a quoted value from behind its first quote. */
type Reading = (text: string, from: number) => Quoted | null;

function readParameters(text: string, [first, second]: readonly [Reading, Reading]): HeaderParameters | null {
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
    // Browsers send a name that ends in a backslash as it is: if one reading does not end well, the other may.
    const quoted = first(text, from + 1) ?? second(text, from + 1);
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

/**
 * Reads up to the first quote without a backslash, which escapes only a quote or a backslash: Windows paths have bare
 * ones.
 */
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
