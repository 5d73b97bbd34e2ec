/**
 * Data that JSON alone cannot express: several arguments of an event, and bytes within other values.
 *
 * @module
 */

import { bytesOf, isBytes } from "../data/bytes.ts";
import { plainCollection } from "../text/json.ts";

/** The arguments of an event with several arguments. If an event has one argument, that argument is its data. */
export class Args extends Array<unknown> {}

/** Reports whether a value contains bytes. */
export function hasBytes(value: unknown): boolean {
  if (typeof value !== "object" || value === null) return false;
  if (isBytes(value)) return true;
  if (value instanceof Map || value instanceof Set) return value.values().some(hasBytes);
  return Object.values(value).some(hasBytes);
}

/** Replaces bytes with placeholders, and adds them to the attachments. */
export function detach(value: unknown, attachments: Uint8Array<ArrayBuffer>[]): unknown {
  if (typeof value !== "object" || value === null) return value;
  if (isBytes(value)) return { _placeholder: true, num: attachments.push(bytesOf(value)) - 1 };
  if ("toJSON" in value && typeof value.toJSON === "function") return detach(value.toJSON(), attachments);
  const plain = plainCollection(value) as object;
  if (Array.isArray(plain)) return plain.map((each) => detach(each, attachments));
  return Object.fromEntries(Object.entries(plain).map(([name, each]) => [name, detach(each, attachments)]));
}

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
