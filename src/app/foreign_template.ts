/**
 * Detects path templates written in the syntax of other frameworks. They would be matched literally and are almost
 * certainly mistakes.
 *
 * @module
 */

/** A foreign spelling in a path and its replacement. */
interface ForeignSpelling {
  readonly found: string;
  readonly ours: string;
}

/** Finds a foreign spelling in a path. */
export function foreignSpelling(path: string): ForeignSpelling | undefined {
  if (!/(?:^|\/)[:*]/.test(path)) return undefined;
  // A parameter or a wildcard in foreign syntax at the start of a segment. Braces are fw's own syntax.
  const foreign = /(?:^|\/)(:([\p{L}_][\p{L}\p{N}_]*)|\*([\p{L}_][\p{L}\p{N}_]*)?)[^/]*/u;
  const match = foreign.exec(path.replaceAll(/\{[^}]*\}/g, "{}"));
  if (match === null) return undefined;
  const [, found = "", name, rest] = match;
  return { found, ours: name === undefined ? `{${rest ?? "rest"}:path}` : `{${name}}` };
}
