/**
 * How texts are written that programs read, JSON, HTML, the tokens of headers and the slashes of paths, and which of them are
 * nearly alike.
 *
 * @module
 */

/**
 * Writes a value as JSON.
 *
 * @returns The text; a value that JSON does not know, such as `undefined`, is `null`.
 */
export function toJSON(value: unknown): string {
  if (holdsBigint(value)) return withBigints(value);
  try {
    return JSON.stringify(value) ?? "null";
  } catch (error) {
    // A replacer makes every call about five times as slow, so it is used only where the platform gave up: on a bigint,
    // or on a circle, which it gives up on again.
    if (!(error instanceof TypeError)) throw error;
    return withBigints(value);
  }
}

/**
 * Looks for a bigint where one mostly is, at the top: an exception that tells of it costs 5 µs.
 *
 * @returns True when the value is a bigint, or a direct property of it is one.
 */
export function holdsBigint(value: unknown): boolean {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return typeof value === "bigint";
  for (const name in value) {
    if (typeof (value as Record<string, unknown>)[name] === "bigint") return true;
  }
  return false;
}

function withBigints(value: unknown): string {
  return JSON.stringify(value, bigintAsNumber) ?? "null";
}

function bigintAsNumber(_key: string, value: unknown): unknown {
  return typeof value === "bigint" ? rawJSON(value.toString()) : value;
}

// TypeScript's library does not list JSON.rawJSON yet; V8 has had it since 11.4.
const rawJSON = (JSON as unknown as { rawJSON(text: string): unknown }).rawJSON;

const token = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/;

/**
 * Reports whether a text is a token.
 *
 * @param text The text.
 * @returns True when it has one character at least and each may stand in a token.
 */
export function isToken(text: string): boolean {
  return token.test(text);
}

/**
 * Stands in a decoded path for a slash that was escaped, and so does not separate segments. It is the second half of
 * a surrogate pair: decoded text holds it only behind a first half.
 */
export const innerSlash = "\udc2f";

// By code points, or the second half of "\u{1f42f}", a tiger, would be taken for a slash.
const alone = /\udc2f/gu;

/** Turns the escaped slashes of a decoded value back into slashes; the length stays. */
export function restoreSlashes(value: string): string {
  return value.includes(innerSlash) ? value.replace(alone, "/") : value;
}

const entities: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
};

/** Escapes a text, so that it is safe inside of elements and quoted attributes. */
export function escapeHTML(text: string): string {
  return text.replace(/[&<>"']/g, (letter) => entities[letter] ?? letter);
}

const farthest = 3;

/**
 * Picks the names most like the one asked for: a few letters off, or the same file in another folder.
 *
 * @returns At most three, the nearest first.
 */
export function nearNames(asked: string, names: Iterable<string>): string[] {
  const base = baseName(asked);
  const rated: [number, string][] = [];
  for (const name of names) {
    const score = baseName(name).toLowerCase() === base.toLowerCase() ? 0 : distance(asked, name);
    if (score <= farthest) rated.push([score, name]);
  }
  return rated.sort(([a, x], [b, y]) => a - b || (x < y ? -1 : 1)).slice(0, 3).map(([, name]) => name);
}

function baseName(name: string): string {
  return name.slice(name.lastIndexOf("/") + 1);
}

/** How many letters must be put in, taken out or changed; anything above the farthest is not counted on. */
function distance(a: string, b: string): number {
  if (Math.abs(a.length - b.length) > farthest) return Infinity;
  let row = Array.from({ length: b.length + 1 }, (_, column) => column);
  for (let i = 1; i <= a.length; i++) {
    const next = [i];
    for (let j = 1; j <= b.length; j++) {
      const kept = (row[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1);
      next.push(Math.min(kept, (row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1));
    }
    row = next;
  }
  return row[b.length] ?? Infinity;
}
