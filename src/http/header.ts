/**
 * Headers that are to be sent: the check of their names and values.
 *
 * @module
 */

import { FrameworkError } from "../base/errors.ts";
import { isHeaderToken } from "../base/header_token.ts";

// deno-lint-ignore no-control-regex -- control characters are just what is looked for.
const refused = /[\0-\x08\x0a-\x1f\x7f]|[^\0-\xff]/;

/**
 * Checks a header's name.
 *
 * @returns The name in lower case.
 */
export function checkHeaderName(name: string): string {
  if (!isHeaderToken(name)) {
    throw new FrameworkError("FW_HEADER", `Cannot send the header "${name}": its name is not a token`);
  }
  return name.toLowerCase();
}

/**
 * Checks a header's value. A line break in it would let the author of the value write headers and a body of their own.
 *
 * @returns The value as it is.
 */
export function checkHeaderValue(name: string, value: string): string {
  if (refused.test(value)) {
    throw new FrameworkError(
      "FW_HEADER",
      `Cannot send the header "${name}": its value has a line break, a control character or a letter beyond Latin-1`,
    );
  }
  return value;
}
