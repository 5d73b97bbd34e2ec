/**
 * Header values with parameters, such as `form-data; name="a"; filename="b.txt"`.
 *
 * @module
 */

/** A header value and its parameters. */
export interface HeaderParameters {
  /** The part before the first semicolon, in lower case. */
  readonly value: string;
  /** The parameters by lowercase name, in an object without a prototype. */
  readonly parameters: Record<string, string>;
}

/** A quoted value and its end. */
interface Quoted {
  readonly text: string;
  /** The index after the closing quote and any spaces, at a semicolon or the end of the string. */
  readonly end: number;
}

/**
 * Parses a header value with parameters in a single pass. No search looks beyond the current parameter, because 16 KiB
 * of semicolons would otherwise take seconds.
 *
 * @param text The header value.
 * @returns The parsed value, or `null` if a quote is not closed, a quoted value is followed by other characters, or a
 * name occurs twice.
 */
export function readHeaderParameters(text: string): HeaderParameters | null {
  return readParameters(text, [readEscaped, readLiteral]);
}

/**
 * Parses the header of a form part. Browsers leave a backslash unescaped and write a quote as `%22` (WHATWG), while
 * other programs escape both with a backslash. A single unescaped backslash or `%22` indicates that a browser wrote the
 * header.
 *
 * @param text The header value.
 * @returns The parsed value, or `null` if a quote is not closed, a quoted value is followed by other characters, or a
 * name occurs twice.
 */
export function readFormParameters(text: string): HeaderParameters | null {
  const isLiteral = text.includes("%22") || hasLoneBackslash(text);
  return readParameters(text, isLiteral ? [readLiteral, readEscaped] : [readEscaped, readLiteral]);
}

/** Reports whether the string contains a backslash that escapes neither a quote nor a backslash. */
function hasLoneBackslash(text: string): boolean {
  for (let at = text.indexOf("\\"); at >= 0; at = text.indexOf("\\", at + 2)) {
    if (text[at + 1] !== '"' && text[at + 1] !== "\\") return true;
  }
  return false;
}

/** A function that reads a quoted value, starting after the opening quote. */
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
    // If a name occurred twice, two programs might use different values.
    if (name in parameters) return null;
    const from = skipSpaces(text, at + 1);
    if (text[from] !== '"') {
      at = endOf(text, from, ";");
      parameters[name] = text.slice(from, at).trim();
      continue;
    }
    // Browsers do not escape a backslash at the end of a name. If one way of reading fails, the other may succeed.
    const quoted = first(text, from + 1) ?? second(text, from + 1);
    if (quoted === null) return null;
    parameters[name] = quoted.text;
    at = quoted.end;
  }
  return { value, parameters };
}

/**
 * Decodes an extended parameter value (RFC 5987), such as `UTF-8''%e2%82%ac.txt`.
 *
 * @param text The value to decode.
 * @returns The decoded string, or `null` if it is invalid.
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
 * Reads up to the first unescaped quote. A backslash escapes only a quote or another backslash, because Windows paths
 * contain plain ones.
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

/** Returns the value between two quotes if the parameter ends after the closing one. */
function closedAt(text: string, from: number, close: number): Quoted | null {
  const end = skipSpaces(text, close + 1);
  return end === text.length || text[end] === ";" ? { text: text.slice(from, close), end } : null;
}

/** Returns the index of the first of the given characters, or the length of the string if none of them occurs. */
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
