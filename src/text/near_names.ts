/**
 * Suggests similar names in error messages.
 *
 * @module
 */

const farthest = 3;

/**
 * Returns the names most similar to the requested one. A name is similar if only a few letters differ, or if it is the
 * same file name in another folder.
 *
 * @returns At most three names, with the most similar one first.
 */
export function nearNames(asked: string, names: Iterable<string>): string[] {
  const base = baseName(asked);
  const rated: [number, string][] = [];
  for (const name of names) {
    const score = baseName(name).toLowerCase() === base.toLowerCase() ? 0 : distance(asked, name);
    if (score <= farthest) rated.push([score, name]);
  }
  return rated.sort(([a, x], [b, y]) => a - b || (x < y ? -1 : 1)).slice(0, 3).map(([, name]) => name);
}

function baseName(name: string): string {
  return name.slice(name.lastIndexOf("/") + 1);
}

/**
 * Returns the edit distance between two strings.
 *
 * @returns The number of characters to insert, remove or replace. Distances above 3 may be `Infinity`.
 */
export function distance(a: string, b: string): number {
  if (Math.abs(a.length - b.length) > farthest) return Infinity;
  let row = Array.from({ length: b.length + 1 }, (_, column) => column);
  for (let i = 1; i <= a.length; i++) {
    const next = [i];
    for (let j = 1; j <= b.length; j++) {
      const kept = (row[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1);
      next.push(Math.min(kept, (row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1));
    }
    row = next;
  }
  return row[b.length] ?? Infinity;
}
