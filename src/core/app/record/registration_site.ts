/**
 * Records where handlers were registered, for tools that explain an application. Recording is off unless a tool turns
 * it on, because a stack trace costs microseconds per route.
 *
 * @module
 */

export let sites: WeakMap<object, string> | undefined = undefined;

/** Starts recording where handlers are registered. */
export function traceRegistrations(): void {
  sites ??= new WeakMap();
}

/** Returns the location where a handler was registered, or an empty string if it was not recorded. */
export function siteOf(handler: object): string {
  return sites?.get(handler) ?? "";
}

/** Returns the first location outside fw in a stack trace. */
export function callSite(stack: string): string {
  for (const [, url = "", line] of stack.matchAll(/(\w+:\/\/[^\s)]+?):(\d+):\d+/g)) {
    if (!isFrameworkURL(url)) return `${url}:${line}`;
  }
  return "";
}

/** Reports whether a module belongs to fw, including its bundle. */
export function isFrameworkURL(url: string): boolean {
  const root = new URL("../../../../", import.meta.url).href;
  return ["src/", "mvc/", "js/", "mod.ts"].some((part) => url.startsWith(root + part));
}
