/**
 * Data that JSON alone cannot express: several arguments of an event, and bytes within other values.
 *
 * @module
 */

/** The arguments of an event with several arguments. If an event has one argument, that argument is its data. */
export class Args extends Array<unknown> {}

/**
 * Replaces placeholders with their attachments.
 *
 * @returns The value, or `undefined` if an attachment is missing.
 */
export function attach(value: unknown, attachments: readonly Uint8Array[]): { readonly value: unknown } | undefined {
  let isWhole = true;
  function filled(value: unknown): unknown {
    if (value instanceof Args) return Args.from(value, filled);
    if (Array.isArray(value)) return value.map(filled);
    if (typeof value !== "object" || value === null) return value;
    if (value instanceof Error) isWhole = false;
    if ("_placeholder" in value && value._placeholder === true && "num" in value) {
      const found = typeof value.num === "number" ? attachments[value.num] : undefined;
      isWhole &&= found !== undefined;
      return found;
    }
    return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, filled(each)]));
  }
  const whole = filled(value);
  return isWhole ? { value: whole } : undefined;
}
