/**
 * The lines of source around the place where an error was thrown.
 *
 * @module
 */

/** A place in a source file. */
export interface SourcePlace {
  readonly file: string;
  readonly line: number;
  readonly column: number;
}

/** A place with the lines around it. */
export interface Excerpt extends SourcePlace {
  /** The lines, with their numbers. */
  readonly lines: readonly (readonly [number: number, text: string])[];
}

const around = 4;

/** Finds the topmost place of the program itself in a stack: not in Deno, not in a package. */
export function excerptOf(error: Error): Excerpt | undefined {
  const places = placesOf(error.stack ?? "");
  const own = places.find((place) => !/\/(?:node_modules|src\/(?:app|context|response|body))\//.test(place.file));
  const place = own ?? places[0];
  if (place === undefined) return undefined;
  const lines = readLines(place.file);
  const from = Math.max(0, place.line - 1 - around);
  return {
    ...place,
    lines: lines.slice(from, place.line + around).map((text, at) => [from + at + 1, text] as const),
  };
}

function placesOf(stack: string): SourcePlace[] {
  const found: SourcePlace[] = [];
  for (const [, url = "", line, column] of stack.matchAll(/(file:\/\/[^\s)]+?):(\d+):(\d+)/g)) {
    found.push({ file: decodeURIComponent(new URL(url).pathname), line: Number(line), column: Number(column) });
  }
  return found;
}

/** Reads a file if that needs no new permission: a page about an error must not ask at the terminal. */
function readLines(file: string): string[] {
  try {
    if (Deno.permissions.querySync({ name: "read", path: file }).state !== "granted") return [];
    return Deno.readTextFileSync(file).split("\n");
  } catch {
    // The excerpt is a courtesy: a file that is gone or compiled away leaves the place without its lines.
    return [];
  }
}
