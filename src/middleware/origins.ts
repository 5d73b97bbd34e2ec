/**
 * Which origins are meant: by name or by subdomain.
 *
 * @module
 */

import { FrameworkError } from "../base/errors.ts";

/**
 * Prepares a test of origins. Entries are compared whole: a pattern without both ends fixed also matches
 * `https://shop.example.evil.example`.
 *
 * @param entries Origins such as `https://shop.example` or `https://*.shop.example`.
 * @returns The test.
 */
export function originTest(entries: readonly string[]): (origin: string) => boolean {
  const exact = new Set(entries.filter((entry) => !entry.includes("*")).map((entry) => checkOrigin(entry, entry)));
  const families = entries.filter((entry) => entry.includes("*")).map(familyOf);
  return (origin) => exact.has(origin) || families.some((family) => isOf(family, origin));
}

/** All subdomains of a host: what an origin begins and ends with, and between them only labels. */
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

/** An entry that no browser would write never matches, and its author would not learn why. */
function checkOrigin(origin: string, entry: string): string {
  const url = URL.parse(origin);
  // Origins of extensions have schemes of their own, for which the platform knows no origin.
  const isOrigin = url !== null &&
    (url.origin === origin || url.origin === "null" && /^[a-z-]+:\/\/[^/]+$/.test(origin));
  if (isOrigin && !origin.includes("*")) return origin;
  throw new FrameworkError(
    "FW_CONFIG",
    `Cannot allow the origin "${entry}": it is not written as "https://shop.example" or "https://*.shop.example" is`,
  );
}
