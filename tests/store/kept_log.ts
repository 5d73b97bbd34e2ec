/**
 * The log of an application under test, line by line.
 *
 * @module
 */

import type * as fw from "../../mod.ts";

/** Keeps the log of an application. */
export function logOf(app: fw.Application): string[] {
  const lines: string[] = [];
  app.Logger().SetOutput((line) => void lines.push(line));
  return lines;
}

/** Counts the lines that hold a text. */
export function linesWith(log: readonly string[], text: string): number {
  return log.filter((line) => line.includes(text)).length;
}
