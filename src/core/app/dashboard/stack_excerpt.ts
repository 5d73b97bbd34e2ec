/**
 * Finds the source lines around the location where an error was thrown.
 *
 * @module
 */

import { fromFileURL } from "../../../base/text/file_name.ts";
import { placeInTemplate } from "../../../pages/view/template_error.ts";
import { placesIn } from "../record/call_site.ts";

/** A location in a source file. */
export interface SourcePlace {
  readonly file: string;
  readonly line: number;
  /** The column, if it is known. */
  readonly column?: number | undefined;
}

/** A location with the lines around it. */
export interface Excerpt extends SourcePlace {
  /** The lines with their line numbers. */
  readonly lines: readonly (readonly [number: number, text: string])[];
}

const around = 4;

/**
 * Returns the failing line of a template or, if there is none, the topmost location in the stack trace that belongs to
 * the program.
 */
export function excerptOf(error: Error): Excerpt | undefined {
  const template = placeInTemplate(error);
  if (template === undefined) return excerptOfStack(error);
  const { file, line, source } = template;
  return { file, line, lines: linesAround(source.split(/\r?\n/), line) };
}

/** Returns the topmost location that is not inside Deno, fw or a package. A thrown string has none. */
function excerptOfStack(error: Error): Excerpt | undefined {
  const place = placesIn(error.stack ?? "").find(({ url }) => url.startsWith("file:"));
  if (place === undefined) return undefined;
  const { url, line, column } = place;
  const file = fromFileURL(url);
  return { file, line, column, lines: linesAround(readLines(file), line) };
}

function linesAround(lines: readonly string[], line: number): (readonly [number: number, text: string])[] {
  const from = Math.max(0, line - 1 - around);
  return lines.slice(from, line + around).map((text, at) => [from + at + 1, text] as const);
}

/** Reads a file if no new permission is needed. An error page must not cause a permission prompt. */
function readLines(file: string): string[] {
  try {
    if (Deno.permissions.querySync({ name: "read", path: file }).state !== "granted") return [];
    return Deno.readTextFileSync(file).split(/\r?\n/);
  } catch {
    // The excerpt is optional. If the file does not exist or was compiled, only the location is shown.
    return [];
  }
}
