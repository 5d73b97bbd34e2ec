/**
 * The text of a content security policy.
 *
 * @module
 */

import { FrameworkError } from "../../base/errors.ts";
import { checkHeaderValue } from "../../http/header.ts";

/**
 * Directives and their values: `{ "img-src": ["'self'", "https://img.example"], "upgrade-insecure-requests": null }`.
 */
export type Policy = Readonly<Record<string, readonly string[] | null>>;

const defaults: Policy = {
  "default-src": ["'self'"],
  "base-uri": ["'self'"],
  "font-src": ["'self'", "https:", "data:"],
  "form-action": ["'self'"],
  "frame-ancestors": ["'self'"],
  "img-src": ["'self'", "data:"],
  "object-src": ["'none'"],
  "script-src": ["'self'"],
  "script-src-attr": ["'none'"],
  "style-src": ["'self'", "https:", "'unsafe-inline'"],
  "upgrade-insecure-requests": [],
};

/** Stands where the nonce will; it cannot come from a policy, whose characters are checked. */
const nonceMark = "\0";

/**
 * Writes a policy, cut where the nonce goes.
 *
 * @param policy Directives that are laid over the defaults; `null` takes a default out.
 * @param nonced The directives that name the nonce.
 * @returns The text in pieces, to be joined by a nonce; one piece when no directive names it.
 */
export function policyParts(policy: Policy, nonced: readonly string[]): readonly string[] {
  const directives = new Map<string, readonly string[]>();
  for (const [name, values] of [...Object.entries(defaults), ...Object.entries(policy)]) {
    if (values === null) directives.delete(checkDirective(name));
    else directives.set(checkDirective(name), values.map((value) => checkValue(name, value)));
  }
  for (const name of nonced) {
    // A directive that is not there falls back to default-src, whose sources it must then name as well.
    const own = directives.get(name) ?? directives.get("default-src") ?? [];
    directives.set(checkDirective(name), [...own.filter((value) => value !== "'none'"), `'nonce-${nonceMark}'`]);
  }
  return Array.from(directives, ([name, values]) => [name, ...values].join(" ")).join(";").split(nonceMark);
}

function checkDirective(name: string): string {
  if (/^[a-z]+(?:-[a-z]+)*$/.test(name)) return name;
  throw new FrameworkError(
    "FW_CONFIG",
    `Cannot use the policy directive "${name}": it is not written as "script-src" is`,
  );
}

/**
 * A value that holds a semicolon or a space would be another directive or value, and a policy with fewer holes looks
 * whole.
 */
function checkValue(name: string, value: string): string {
  // Keywords without their quotes are host names to a browser, and so allow nothing, or a host named "self".
  const isBare = /^(?:self|none|unsafe-[a-z-]+|strict-dynamic|report-sample|nonce-.*|sha(?:256|384|512)-.*)$/i.test(
    value,
  );
  if (value === "" || /[;,\s]/.test(value) || isBare) {
    throw new FrameworkError(
      "FW_CONFIG",
      `Cannot use "${value}" in the policy directive "${name}": one value per entry, keywords in single quotes`,
    );
  }
  return checkHeaderValue("content-security-policy", value);
}
