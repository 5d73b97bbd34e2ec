/**
 * Validation of response headers.
 *
 * @module
 */

import { FrameworkError } from "../errors/errors.ts";
import { isHeaderToken } from "../text/header_token.ts";

// deno-lint-ignore no-control-regex -- the expression has to match control characters
const refused = /[\0-\x08\x0a-\x1f\x7f]|[^\0-\xff]/;

/**
 * Validates a header name.
 *
 * @returns The name in lower case.
 * @throws {FrameworkError} If the name is not a token.
 */
export function checkHeaderName(name: string): string {
  if (!isHeaderToken(name)) {
    throw new FrameworkError("FW_HEADER", `Cannot send the header "${name}": its name is not a token`);
  }
  return name.toLowerCase();
}

/**
 * Validates a header value. A line break in a value would allow an attacker to inject headers or a body.
 *
 * @returns The unchanged value.
 * @throws {FrameworkError} If the value contains a character that is not allowed.
 */
export function checkHeaderValue(name: string, value: string): string {
  if (refused.test(value)) {
    throw new FrameworkError(
      "FW_HEADER",
      `Cannot send the header "${name}": its value contains a line break, a control character or a non-Latin-1 character`,
    );
  }
  return value;
}
