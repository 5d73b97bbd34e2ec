/**
 * JSON that may stand inside a script element.
 *
 * @module
 */

// TypeScript's library does not list JSON.rawJSON yet; V8 has it.
const rawJSON = (JSON as unknown as { rawJSON(text: string): unknown }).rawJSON;

/**
 * Writes a value as JSON for `<script>`: `const user = <%~ json(it.User) %>;`. A bigint is written as a number.
 *
 * @returns JSON without any character that could end the script or open a comment in it.
 */
export function scriptJSON(value: unknown): string {
  const text = JSON.stringify(value, bigintAsNumber) ?? "null";
  return text.replaceAll(/[<>&\u2028\u2029]/g, (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, "0")}`);
}

function bigintAsNumber(_key: string, value: unknown): unknown {
  return typeof value === "bigint" ? rawJSON(value.toString()) : value;
}
