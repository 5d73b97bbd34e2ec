/**
 * Matches origins by name or by subdomain.
 *
 * @module
 */

import { FrameworkError } from "../base/errors/errors.ts";

/**
 * Creates a predicate that matches origins against a list. Entries must match the whole origin, because a pattern that
 * is not anchored at both ends would also match `https://shop.example.evil.example`.
 *
 * @param entries Origins such as `https://shop.example` or `https://*.shop.example`.
 * @returns The predicate.
 * @throws {FrameworkError} If an entry is not a valid origin.
 */
export function originTest(entries: readonly string[]): (origin: string) => boolean {
  const exact = new Set(entries.filter((entry) => !entry.includes("*")).map((entry) => checkOrigin(entry, entry)));
  const families = entries.filter((entry) => entry.includes("*")).map(familyOf);
  return (origin) => exact.has(origin) || families.some((family) => isOf(family, origin));
}

/** All subdomains of a host. An origin matches if it has this start and end and there are only labels in between. */
interface Family {
  readonly start: string;
  readonly end: string;
}

function familyOf(entry: string): Family {
  const origin = checkOrigin(entry.replace("://*.", "://any."), entry);
  const border = origin.indexOf("://any.");
  return { start: origin.slice(0, border + 3), end: origin.slice(border + 6) };
}

function isOf(family: Family, origin: string): boolean {
  const { start, end } = family;
  return origin.length > start.length + end.length && origin.startsWith(start) && origin.endsWith(end) &&
    /^[a-z0-9_-]+(?:\.[a-z0-9_-]+)*$/.test(origin.slice(start.length, origin.length - end.length));
}

/** Returns the origin if it is valid, and throws otherwise. An entry that no browser would send would never match. */
function checkOrigin(origin: string, entry: string): string {
  const url = URL.parse(origin);
  // Browser extensions use custom schemes, for which `URL` reports no origin.
  const isOrigin = url !== null &&
    (url.origin === origin || url.origin === "null" && /^[a-z-]+:\/\/[^/]+$/.test(origin));
  if (isOrigin && !origin.includes("*")) return origin;
  throw new FrameworkError(
    "FW_CONFIG",
    `Cannot allow the origin "${entry}": it must look like "https://shop.example" or "https://*.shop.example"`,
  );
}
