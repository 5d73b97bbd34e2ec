/**
 * JSON for script elements.
 *
 * @module
 */

import { toJSON } from "../text/json.ts";

/**
 * Serializes a value as JSON for `<script>`: `const user = <%~ json(it.User) %>;`. Bigints are written as numbers.
 *
 * @returns JSON without any character that could end the script or start a comment in it.
 */
export function scriptJSON(value: unknown): string {
  return toJSON(value).replaceAll(
    /[<>&\u2028\u2029]/g,
    (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}
