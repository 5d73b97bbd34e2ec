/**
 * Checks the drivers and engines that applications pass: clients of databases and brokers, and template libraries.
 *
 * @module
 */

import { isThenable } from "../async/thenable.ts";
import { FrameworkError } from "../errors/errors.ts";

/** A driver, as it is described in messages. */
export interface DriverRule {
  /** The part of fw that uses the driver, such as `the Redis store`. */
  readonly owner: string;
  /** The noun for the driver, such as `client`. */
  readonly noun: string;
  /** The names of the required methods. A name may contain a dot. */
  readonly methods: readonly string[];
  /** The import or call to write in the application. */
  readonly line: string;
  /** The verb for the line in the message. Defaults to `import`. */
  readonly verb?: string;
}

/**
 * Checks that a driver has all required methods.
 *
 * @param driver The driver, as passed by the application.
 * @param rule The methods, and the text for the message.
 * @throws {FrameworkError} If a method is missing.
 */
export function checkDriver(driver: unknown, { owner, noun, methods, line, verb = "import" }: DriverRule): void {
  const missing = methods.find((path) => typeof memberOf(driver, path) !== "function");
  if (missing === undefined) return;
  const kind = kindOf(driver);
  const state = `the ${noun} ${kind === undefined ? "" : `is ${kind} and `}has no method "${missing}"`;
  throw new FrameworkError(
    "FW_CONFIG",
    `Cannot create ${owner}: ${state}; pass a ${noun} that you ${verb} with ${line}`,
  );
}

/** Describes a value that cannot be a driver. */
function kindOf(driver: unknown): string | undefined {
  if (driver === null) return "null";
  if (typeof driver !== "object" && typeof driver !== "function") return `of type "${typeof driver}"`;
  // Such as that of `connect()`.
  return isThenable(driver) ? "a promise, which needs await," : undefined;
}

function memberOf(driver: unknown, path: string): unknown {
  let found = driver;
  for (const name of path.split(".")) {
    found = found === null || found === undefined ? found : Reflect.get(Object(found), name);
  }
  return found;
}
