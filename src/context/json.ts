/**
 * JSON as answers carry it: compact, and a bigint is a number.
 *
 * @module
 */

/**
 * Writes a value as JSON.
 *
 * @returns The text; a value that JSON does not know, such as `undefined`, is `null`.
 */
export function toJSON(value: unknown): string {
  if (typeof value === "bigint") return value.toString();
  try {
    return JSON.stringify(value) ?? "null";
  } catch (error) {
    // A replacer makes every call about five times as slow, so it is used only where the platform gave up on a bigint.
    if (!(error instanceof TypeError) || !holdsBigint(value)) throw error;
    return JSON.stringify(value, bigintAsNumber) ?? "null";
  }
}

function bigintAsNumber(_key: string, value: unknown): unknown {
  return typeof value === "bigint" ? rawJSON(value.toString()) : value;
}

function holdsBigint(value: unknown, seen: Set<unknown> = new Set()): boolean {
  if (typeof value === "bigint") return true;
  if (typeof value !== "object" || value === null || seen.has(value)) return false;
  seen.add(value);
  return Object.values(value).some((part) => holdsBigint(part, seen));
}

// TypeScript's library does not list JSON.rawJSON yet; V8 has had it since 11.4.
const rawJSON = (JSON as unknown as { rawJSON(text: string): unknown }).rawJSON;
