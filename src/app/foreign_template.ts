/**
 * Detects path templates in the syntax of other frameworks. Such templates would be matched literally and are almost
 * certainly mistakes.
 *
 * @module
 */

/** A parameter in foreign syntax and its replacement. */
interface ForeignSpelling {
  readonly found: string;
  readonly ours: string;
}

/** Finds a parameter in foreign syntax in a path. */
export function foreignSpelling(path: string): ForeignSpelling | undefined {
  if (!/(?:^|\/)[:*]/.test(path)) return undefined;
  // Matches a foreign parameter or wildcard at the start of a segment. Braces are fw's own syntax.
  const foreign = /(?:^|\/)(:([\p{L}_][\p{L}\p{N}_]*)|\*([\p{L}_][\p{L}\p{N}_]*)?)[^/]*/u;
  const match = foreign.exec(path.replaceAll(/\{[^}]*\}/g, "{}"));
  if (match === null) return undefined;
  const [, found = "", name, rest] = match;
  return { found, ours: name === undefined ? `{${rest ?? "rest"}:path}` : `{${name}}` };
}
