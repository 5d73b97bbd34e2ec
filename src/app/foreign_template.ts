/**
 * Path templates in the spelling of other frameworks: here they are plain text, which no one means.
 *
 * @module
 */

/** Where a path is written in another spelling, and how it is written here. */
interface ForeignSpelling {
  readonly found: string;
  readonly ours: string;
}

/** Looks for another spelling in a path. */
export function foreignSpelling(path: string): ForeignSpelling | undefined {
  if (!/(?:^|\/)[:*]/.test(path)) return undefined;
  // A parameter or a wildcard as others write it, at the beginning of a segment; what stands in braces is ours.
  const foreign = /(?:^|\/)(:([\p{L}_][\p{L}\p{N}_]*)|\*([\p{L}_][\p{L}\p{N}_]*)?)[^/]*/u;
  const match = foreign.exec(path.replaceAll(/\{[^}]*\}/g, "{}"));
  if (match === null) return undefined;
  const [, found = "", name, rest] = match;
  return { found, ours: name === undefined ? `{${rest ?? "rest"}:path}` : `{${name}}` };
}
