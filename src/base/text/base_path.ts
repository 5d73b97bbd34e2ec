/**
 * Validates base paths, below which a proxy publishes an application.
 *
 * @module
 */

/** The maximum length of a base path. */
const longest = 256;
/** Matches characters that are not part of a single path, or that have a meaning in HTML, cookies or header lists. */
const unsafe = /[\0-\x20\x7f"'`<>\\^{|}?#,;]/;

/**
 * Normalizes a base path.
 *
 * @param text The path, such as `/seats` or `/seats/`.
 * @returns The URL-encoded path without a trailing slash, which is empty for `/`, or `undefined` if the text is not a
 * single absolute path.
 */
export function parseBasePath(text: string): string | undefined {
  if (text === "" || text === "/") return "";
  if (text.length > longest || !text.startsWith("/")) return undefined;
  const segments = text.slice(1).replace(/\/$/, "").split("/").map(decodeSegment);
  return segments.every(isSafe) ? segments.map((segment) => `/${encodeURIComponent(segment)}`).join("") : undefined;
}

/** Returns the decoded segments of a normalized base path. */
export function baseSegments(base: string): readonly string[] {
  return base === "" ? [] : base.slice(1).split("/").map(decodeURIComponent);
}

/** Returns an invalid segment if an escape sequence is malformed. */
function decodeSegment(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    return "";
  }
}

function isSafe(segment: string): boolean {
  return segment !== "" && segment !== "." && segment !== ".." && !segment.includes("/") && !unsafe.test(segment);
}
