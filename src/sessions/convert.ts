/**
 * Session values as the types that the getters promise; `undefined` where a value is none of that type.
 *
 * @module
 */

/** A text, or a number in digits. */
export function toText(value: unknown): string | undefined {
  if (typeof value === "string") return value;
  return typeof value === "number" || typeof value === "bigint" ? String(value) : undefined;
}

/** A safe integer, also from its digits. */
export function toInt(value: unknown): number | undefined {
  const number = isInteger(value) ? Number(value) : value;
  return Number.isSafeInteger(number) ? number as number : undefined;
}

/** An integer of 64 bits, also from its digits. */
export function toInt64(value: unknown): bigint | undefined {
  const isWhole = typeof value === "bigint" || Number.isSafeInteger(value) || isInteger(value);
  if (!isWhole) return undefined;
  const number = BigInt(value as bigint | number | string);
  return BigInt.asIntN(64, number) === number ? number : undefined;
}

/** A number, also from its digits. */
export function toFloat(value: unknown): number | undefined {
  if (typeof value === "number") return value;
  if (typeof value === "bigint") return Number(value);
  if (typeof value !== "string" || value.trim() === "") return undefined;
  const number = Number(value);
  return Number.isFinite(number) ? number : undefined;
}

/** A boolean, also from 0, 1 and their names. */
export function toBoolean(value: unknown): boolean | undefined {
  if (typeof value === "boolean") return value;
  return booleans[String(value).toLowerCase()];
}

const booleans: Readonly<Record<string, boolean>> = Object.assign(Object.create(null), {
  "true": true,
  "t": true,
  "1": true,
  "false": false,
  "f": false,
  "0": false,
});

function isInteger(value: unknown): boolean {
  return typeof value === "bigint" || typeof value === "string" && /^[+-]?[0-9]{1,30}$/.test(value);
}
