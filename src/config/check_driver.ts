/**
 * Checks the drivers and engines that applications pass: clients of databases and brokers, and template libraries.
 *
 * @module
 */

import { FrameworkError } from "../errors/errors.ts";

/** A driver, as it is described in messages. */
export interface DriverRule {
  /** The part of fw that uses the driver, such as `the Redis store`. */
  readonly owner: string;
  /** The noun for the driver, such as `client`. */
  readonly noun: string;
  /** The names of the required methods. A name may contain a dot. */
  readonly methods: readonly string[];
  /** The import to write in the application. */
  readonly line: string;
}

/**
 * Checks that a driver has all required methods.
 *
 * @param driver The driver, as passed by the application.
 * @param rule The methods, and the text for the message.
 * @throws {FrameworkError} If a method is missing.
 */
export function checkDriver(driver: unknown, { owner, noun, methods, line }: DriverRule): void {
  const missing = methods.find((path) => typeof memberOf(driver, path) !== "function");
  if (missing === undefined) return;
  const state = driver === null || typeof driver !== "object" && typeof driver !== "function"
    ? `the ${noun} is ${driver === null ? "null" : `of type "${typeof driver}"`} and has no method "${missing}"`
    : `the ${noun} has no method "${missing}"`;
  throw new FrameworkError(
    "FW_CONFIG",
    `Cannot create ${owner}: ${state}; pass a ${noun} that you import with ${line}`,
  );
}

function memberOf(driver: unknown, path: string): unknown {
  let found = driver;
  for (const name of path.split(".")) {
    found = found === null || found === undefined ? found : Reflect.get(Object(found), name);
  }
  return found;
}
