/**
 * Checks the return values of callbacks on which a decision depends. A value of the wrong type fails the request,
 * because a promise would otherwise count as `true`, and an object as a key that all requests share.
 *
 * @module
 */

import { describe, ignoreRejection, isBoolean, isString } from "../async/callback.ts";
import { isThenable } from "../async/thenable.ts";
import { FrameworkError } from "../errors/errors.ts";
import { isRecord } from "./option_kinds.ts";

/**
 * Checks a return value.
 *
 * @param value The value.
 * @param source The callback, such as `Skip of csrf`.
 * @param isValid Reports whether the value has the right type.
 * @param noun The right type, such as `a boolean`.
 * @returns The value.
 * @throws {FrameworkError} If the value has another type.
 */
export function returned<T>(
  value: unknown,
  source: string,
  isValid: (value: unknown) => value is T,
  noun: string,
): T {
  if (isValid(value)) return value;
  ignoreRejection(value);
  const message = `Cannot use the return value of ${source}: it must be ${noun}, not ${describe(value)}`;
  throw new FrameworkError("FW_RETURN", message);
}

/** Checks a decision. */
export function returnedBoolean(value: unknown, source: string): boolean {
  return typeof value === "boolean" ? value : returned(value, source, isBoolean, "a boolean");
}

/** Checks a key or another text. */
export function returnedString(value: unknown, source: string): string {
  return typeof value === "string" ? value : returned(value, source, isString, "a string");
}

/** Checks an object with named members. */
export function returnedObject(value: unknown, source: string): Readonly<Record<string, unknown>> {
  return returned(value, source, isObject, "an object");
}

/** Reports whether a value is an object with named members. */
export function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return isRecord(value) && !("then" in value);
}

/**
 * Calls the functions that set something up.
 *
 * @param functions The functions.
 * @param subject Their argument.
 * @param source The functions, such as `a configurator`.
 * @throws {FrameworkError} If one is not a function or is asynchronous.
 */
export function applyAll<T>(functions: readonly ((subject: T) => unknown)[], subject: T, source: string): void {
  for (const each of functions) {
    assertFunction(each, source);
    const result = each(subject);
    if (!isThenable(result)) continue;
    ignoreRejection(result);
    // Nothing would wait for it.
    throw new FrameworkError("FW_CONFIG", `Cannot use ${source}: it must not be asynchronous`);
  }
}

/** Throws if a value is not a function. */
export function assertFunction(value: unknown, source: string): void {
  if (typeof value === "function") return;
  throw new FrameworkError("FW_CONFIG", `Cannot use ${source}: it must be a function, not ${describe(value)}`);
}
