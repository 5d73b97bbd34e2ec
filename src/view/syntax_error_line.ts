/**
 * Finds the row of a syntax error, which `new Function` does not tell.
 *
 * @module
 */

import { messageOf } from "../base/to_error.ts";

/** Where code is wrong, and why if the parser's own words would mislead. */
interface Mistake {
  readonly row: number;
  readonly reason: string | undefined;
}

// No JavaScript can go on with this, wherever it stands, and the parser has its message for nothing else.
const stopper = "\\u{110000}";

/**
 * Finds what is wrong with the code of a template.
 *
 * @param rows The code, which does not compile; its first and last row are the engine's own.
 * @returns The row and the reason.
 */
export function locateMistake(rows: readonly string[]): Mistake {
  const last = rows.length - 1;
  const row = firstBad(rows);
  if (row < last) return { row, reason: undefined };
  // The parser stumbled over the engine's own end: a bracket too many or too few in the template.
  return unbalanced(rows.slice(1, last)) ?? { row: last, reason: undefined };
}

/** The longest beginning that fails at the stopper, and not before it, is sound; the row after it is not. */
function firstBad(rows: readonly string[]): number {
  const expected = complaint(stopper);
  for (let count = rows.length; count > 0; count--) {
    if (complaint(`${rows.slice(0, count).join("\n")}\n${stopper}`) === expected) return count;
  }
  return 0;
}

function complaint(code: string): string {
  try {
    new Function(code);
    return "";
  } catch (error) {
    return messageOf(error);
  }
}

// A guess, since strings and comments are skipped but regular expressions are not understood.
function unbalanced(rows: readonly string[]): Mistake | undefined {
  const open: number[] = [];
  for (const [index, row] of rows.entries()) {
    const bare = row.replaceAll(/'(?:\\.|[^'\\])*'|"(?:\\.|[^"\\])*"|`[^`]*`|\/\/.*$/g, "");
    for (const char of bare) {
      if ("{([".includes(char)) open.push(index);
      else if ("})]".includes(char) && open.pop() === undefined) {
        return { row: index + 1, reason: `"${char}" closes what was not opened` };
      }
    }
  }
  const opened = open.at(-1);
  return opened === undefined ? undefined : { row: opened + 1, reason: "what opens here is not closed" };
}
