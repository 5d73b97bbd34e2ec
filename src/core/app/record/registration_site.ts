/**
 * Records where handlers were registered, for tools that explain an application. Recording is off unless a tool turns
 * it on, because a stack trace costs microseconds per route.
 *
 * @module
 */

export let sites: WeakMap<object, Error> | undefined = undefined;
let read: ((stack: string) => string) | undefined = undefined;

/**
 * Starts recording where handlers are registered.
 *
 * @param reader Finds the location in a stack trace. If omitted, the locations can be read once it is known.
 */
export function traceRegistrations(reader?: (stack: string) => string): void {
  sites ??= new WeakMap();
  read ??= reader;
}

/** Returns the location where a handler was registered, or an empty string if it was not recorded. */
export function siteOf(handler: object): string {
  return read?.(sites?.get(handler)?.stack ?? "") ?? "";
}
