/**
 * Finds the places in stack traces that belong to the program.
 *
 * @module
 */

/** A place in a stack trace. */
export interface CallPlace {
  /** The URL of the module. */
  readonly url: string;
  readonly line: number;
  readonly column: number;
}

/** The maximum length of a line. A longer one is a part of a message. */
const MOST_CHARACTERS = 4_000;

/** Returns the places that are neither in fw nor in a package, the innermost first. */
export function placesIn(stack: string): CallPlace[] {
  return stack.split("\n").flatMap((text) => {
    if (text.length > MOST_CHARACTERS) return [];
    const [, name = "", line, column] = /^\s*at (?:.* \()?(\w+:\/\/.*):(\d+):(\d+)\)?$/.exec(text) ?? [];
    const url = urlOf(name);
    return name === "" || isForeign(url) ? [] : [{ url, line: Number(line), column: Number(column) }];
  });
}

/** Returns the first place, such as `file:///app/main.ts:7`, or an empty string. */
export function callSite(stack: string): string {
  const [place] = placesIn(stack);
  return place === undefined ? "" : `${place.url}:${place.line}`;
}

/** Returns the URL of a file, which Deno shows without percent-encoding, for example with spaces. */
function urlOf(name: string): string {
  if (!/^file:.*(?:[^!-~]|[#?]|%(?![\da-f]{2}))/i.test(name)) return name;
  const encoded = name.replace(/[%#?]/g, encodeURIComponent);
  return URL.canParse(encoded) ? new URL(encoded).href : name;
}

/** Reports whether a module belongs to a package or to fw, including its bundle. */
function isForeign(url: string): boolean {
  const root = new URL("../../../../", import.meta.url).href;
  return url.includes("/node_modules/") ||
    ["src/", "mvc/", "js/", "mod.ts"].some((part) => url.startsWith(root + part));
}
