/**
 * JSON that may stand inside a script element.
 *
 * @module
 */

import { toJSON } from "../base/json.ts";

/**
 * Writes a value as JSON for `<script>`: `const user = <%~ json(it.User) %>;`. A bigint is written as a number.
 *
 * @returns JSON without any character that could end the script or open a comment in it.
 */
export function scriptJSON(value: unknown): string {
  return toJSON(value).replaceAll(
    /[<>&\u2028\u2029]/g,
    (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}
