/**
 * Detects path templates in the syntax of other frameworks. Such templates would be matched literally and are almost
 * certainly mistakes.
 *
 * @module
 */

import type { Logger } from "../../base/log/logger.ts";

/** Warns about a path in the syntax of another framework, because it would only match literally. */
export function warnOfSpelling(logger: Logger, path: string, where: string): void {
  const spelling = foreignSpelling(path);
  if (spelling === undefined) return;
  logger.Warnf(
    `Path of "%s" matches only the literal "%s": use "%s" for a parameter`,
    where,
    spelling.found,
    spelling.ours,
  );
}

/** A parameter in foreign syntax and its replacement. */
interface ForeignSpelling {
  readonly found: string;
  readonly ours: string;
}

/** Finds a parameter in foreign syntax in a path. */
function foreignSpelling(path: string): ForeignSpelling | undefined {
  if (!/(?:^|\/)[:*]/.test(path)) return undefined;
  // Matches a foreign parameter or wildcard at the start of a segment. Braces are fw's own syntax.
  const foreign = /(?:^|\/)(:([\p{L}_][\p{L}\p{N}_]*)|\*([\p{L}_][\p{L}\p{N}_]*)?)[^/]*/u;
  const match = foreign.exec(path.replaceAll(/\{[^}]*\}/g, "{}"));
  if (match === null) return undefined;
  const [, found = "", name, rest] = match;
  return { found, ours: name === undefined ? `{${rest ?? "rest"}:path}` : `{${name}}` };
}
