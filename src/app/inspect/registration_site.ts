/**
 * Where handlers were registered, for tools that explain an application. Nothing is noted unless a tool asks first: a
 * stack costs microseconds for every route.
 *
 * @module
 */

export let sites: WeakMap<object, string> | undefined = undefined;

/** Notes from now on where handlers are registered. */
export function traceRegistrations(): void {
  sites ??= new WeakMap();
}

/** The place where a handler was registered; empty where none was noted. */
export function siteOf(handler: object): string {
  return sites?.get(handler) ?? "";
}

/** The first place in a stack outside of fw. */
export function callSite(stack: string): string {
  for (const [, url = "", line] of stack.matchAll(/(\w+:\/\/[^\s)]+?):(\d+):\d+/g)) {
    if (!isFrameworkURL(url)) return `${url}:${line}`;
  }
  return "";
}

/** Reports whether a module belongs to fw, its bundle included. */
export function isFrameworkURL(url: string): boolean {
  const root = new URL("../../../", import.meta.url).href;
  return ["src/", "mvc/", "js/", "mod.ts"].some((part) => url.startsWith(root + part));
}
