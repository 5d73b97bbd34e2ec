/**
 * The fields of the request that the running code belongs to. They identify the request in log lines of services, which
 * only know the application's logger.
 *
 * @module
 */

import type { LogFields } from "./fields.ts";

let find: () => LogFields | undefined = () => undefined;

/** Sets the function that finds the fields. Until then, there are none, and loggers pay nothing for them. */
export function findFieldsBy(finder: () => LogFields | undefined): void {
  find = finder;
}

/** Returns the fields of the request that the running code belongs to. */
export function ambientFields(): LogFields | undefined {
  return find();
}
