/**
 * The lines of source around the place where an error was thrown.
 *
 * @module
 */

import { placeInTemplate } from "../../view/template_place.ts";
import { isFrameworkURL } from "./registration_site.ts";

/** A place in a source file. */
export interface SourcePlace {
  readonly file: string;
  readonly line: number;
  /** The column, if it is known. */
  readonly column?: number | undefined;
}

/** A place with the lines around it. */
export interface Excerpt extends SourcePlace {
  /** The lines, with their numbers. */
  readonly lines: readonly (readonly [number: number, text: string])[];
}

const around = 4;

/** Finds the line of the template at fault, else the topmost place of the program itself in the stack. */
export function excerptOf(error: Error): Excerpt | undefined {
  const template = placeInTemplate(error);
  if (template === undefined) return excerptOfStack(error);
  const { file, line, source } = template;
  return { file, line, lines: linesAround(source.split(/\r?\n/), line) };
}

/** Not in Deno, not in a package. */
function excerptOfStack(error: Error): Excerpt | undefined {
  const places = placesOf(error.stack ?? "");
  const place = places.find(({ isForeign }) => !isForeign) ?? places[0];
  if (place === undefined) return undefined;
  const { file, line, column } = place;
  return { file, line, column, lines: linesAround(readLines(file), line) };
}

function linesAround(lines: readonly string[], line: number): (readonly [number: number, text: string])[] {
  const from = Math.max(0, line - 1 - around);
  return lines.slice(from, line + around).map((text, at) => [from + at + 1, text] as const);
}

function placesOf(stack: string): (SourcePlace & { readonly isForeign: boolean })[] {
  return [...stack.matchAll(/(file:\/\/[^\s)]+?):(\d+):(\d+)/g)].map(([, url = "", line, column]) => ({
    file: decodeURIComponent(new URL(url).pathname),
    line: Number(line),
    column: Number(column),
    isForeign: isFrameworkURL(url) || url.includes("/node_modules/"),
  }));
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
