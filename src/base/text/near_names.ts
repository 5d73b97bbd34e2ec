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

/**
 * Returns the known name that was probably meant by an unknown one.
 *
 * @param asked The unknown name.
 * @param known The known names.
 * @returns The name, or `undefined` if the unknown name is not a misspelling: it differs in more than its case, one
 * letter or two swapped letters, or in more than three letters if it is long.
 */
export function misspelled(asked: string, known: readonly string[]): string | undefined {
  const nearest = closest(asked, known);
  if (nearest === undefined) return undefined;
  const { name, score } = nearest;
  if (score <= 1 || score <= 3 && name.length >= LONG) return name;
  return score > 2 ? undefined : known.find((each) => isSwapped(asked, each));
}

/**
 * Returns the known name that is most similar to an unknown one. Case is ignored.
 *
 * @param asked The unknown name.
 * @param known The known names.
 * @returns The name, or `undefined` if more than three letters, or more than half of them, differ in all names.
 */
export function nearestName(asked: string, known: readonly string[]): string | undefined {
  const { name, score } = closest(asked, known) ?? { name: "", score: 1 };
  return score <= Math.min(farthest, name.length / 2) ? name : undefined;
}

/** Returns the known name with the fewest differences, and the longest one of several. */
function closest(asked: string, known: readonly string[]): { name: string; score: number } | undefined {
  const letters = lettersOf(asked);
  const rows = known.map((name) => ({ name, score: distance(letters, lettersOf(name)) }));
  return rows.sort((a, b) => a.score - b.score || b.name.length - a.name.length)[0];
}

/** The length from which two different names are unlikely to be similar. */
const LONG = 16;

function lettersOf(name: string): string {
  return name.replaceAll(/[^A-Za-z0-9]/g, "").toLowerCase();
}

function isSwapped(asked: string, name: string): boolean {
  return sortedLetters(asked) === sortedLetters(name) && distance(lettersOf(asked), lettersOf(name)) === 2;
}

function sortedLetters(name: string): string {
  return [...lettersOf(name)].sort().join("");
}
