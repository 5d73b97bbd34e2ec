/**
 * The content security policy.
 *
 * @module
 */

import { FrameworkError } from "../../base/errors/errors.ts";
import { checkHeaderValue } from "../../http/headers/header.ts";

/**
 * The directives and values of a content security policy, such as `{ "img-src": ["'self'", "https://img.example"],
 * "upgrade-insecure-requests": null }`.
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
};

/** Directives that only apply to pages that were requested over HTTPS. */
const secureDefaults: Policy = {
  // Over plain HTTP, the directive would make browsers request styles and scripts from a port without TLS.
  "upgrade-insecure-requests": [],
};

/** The placeholder for the nonce. It cannot occur in a policy, because the policy's characters are validated. */
const nonceMark = "\0";

/**
 * Formats a policy, split at the positions of the nonce.
 *
 * @param policy The directives that override the defaults. `null` removes a default.
 * @param nonced The directives that contain the nonce.
 * @param isHTTPS Whether the page was requested over HTTPS. Otherwise, the policy only contains
 * `upgrade-insecure-requests` if the application sets it.
 * @returns The parts, to be joined with a nonce. There is one part if no directive contains the nonce.
 */
export function policyParts(policy: Policy, nonced: readonly string[], isHTTPS: boolean): readonly string[] {
  const directives = new Map<string, readonly string[]>();
  const own = { ...defaults, ...isHTTPS && secureDefaults, ...policy };
  for (const [name, values] of Object.entries(own)) {
    if (values === null) directives.delete(checkDirective(name));
    else directives.set(checkDirective(name), values.map((value) => checkValue(name, value)));
  }
  for (const name of nonced) {
    // A missing directive falls back to default-src, so a new one must include the sources of default-src.
    const own = directives.get(name) ?? directives.get("default-src") ?? [];
    directives.set(checkDirective(name), [...own.filter((value) => value !== "'none'"), `'nonce-${nonceMark}'`]);
  }
  return Array.from(directives, ([name, values]) => [name, ...values].join(" ")).join(";").split(nonceMark);
}

function checkDirective(name: string): string {
  if (/^[a-z]+(?:-[a-z]+)*$/.test(name)) return name;
  throw new FrameworkError(
    "FW_CONFIG",
    `Cannot use the policy directive "${name}": it must look like "script-src"`,
  );
}

/** Validates a value. A semicolon or a space would start another directive or value, which could weaken the policy. */
function checkValue(name: string, value: string): string {
  // Browsers treat keywords without quotes as host names. For example, self would be a host named "self".
  const isBare = /^(?:self|none|unsafe-[a-z-]+|strict-dynamic|report-sample|nonce-.*|sha(?:256|384|512)-.*)$/i.test(
    value,
  );
  if (value === "" || /[;,\s]/.test(value) || isBare) {
    throw new FrameworkError(
      "FW_CONFIG",
      `Cannot use "${value}" in the policy directive "${name}": use one value per entry and quote keywords`,
    );
  }
  return checkHeaderValue("content-security-policy", value);
}
