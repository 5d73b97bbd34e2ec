/**
 * Collects the log lines of an application under test.
 *
 * @module
 */

import type * as fw from "../../../mod.ts";

/** Collects the log lines of an application. */
export function logOf(app: fw.Application): string[] {
  const lines: string[] = [];
  app.Logger().SetOutput((line) => void lines.push(line));
  return lines;
}

/** Counts the lines that contain a string. */
export function linesWith(log: readonly string[], text: string): number {
  return log.filter((line) => line.includes(text)).length;
}
