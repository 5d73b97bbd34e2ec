/**
 * Builds hostile input for a regular expression: the start of a match, a part that is repeated, and an end that does
 * not match.
 *
 * @module
 */

/** Input for a pattern, which can be made longer. */
export interface Hostile {
  readonly start: string;
  readonly repeated: string;
  readonly end: string;
}

/** The characters that represent a class. */
const candidates = ` \t\r\naAzZ09_-.,;:=/\\'"%&<>()[]{}*+!?#@$|~^\`\0\x7fé`;
const ends = ["", "\0", "!", "\n", "a", '"'];

/** Returns the input for a pattern. */
export function hostileInput(source: string, flags: string): Hostile[] {
  const atoms = atomsOf(source);
  const samples = atoms.map((atom) => charactersOf(atom, flags));
  const starts = new Set([""]);
  let start = "";
  for (const [first = ""] of samples) starts.add(start += first);
  const letters = [...new Set(samples.flatMap((each) => each))];
  const repeated = new Set([...letters, start]);
  for (const [at, each] of samples.entries()) {
    const next = samples[at + 1] ?? samples[0] ?? [];
    for (const one of each.slice(0, 2)) for (const other of next.slice(0, 2)) repeated.add(one + other);
  }
  const input: Hostile[] = [];
  for (const start of starts) {
    for (const each of repeated) {
      if (each !== "") {
        for (const end of ends) input.push({ start, repeated: each, end });
      }
    }
  }
  return input;
}

/** Returns the atoms of a pattern, in order. Groups are ignored, because only their atoms matter. */
function atomsOf(source: string): string[] {
  const atoms: string[] = [];
  for (let at = 0; at < source.length;) {
    const atom = atomAt(source, at);
    if (atom.isMatching) atoms.push(atom.text);
    at += atom.text.length;
  }
  return atoms;
}

function atomAt(source: string, at: number): { text: string; isMatching: boolean } {
  const rest = source.slice(at);
  const group = /^\((?:\?(?:[:=!]|<[=!]|<\w+>|[ims-]+:))?/.exec(rest)?.[0];
  if (group !== undefined) return { text: group, isMatching: false };
  const quantifier = /^(?:[*+?|)^$]|\{\d+(?:,\d*)?\})/.exec(rest)?.[0];
  if (quantifier !== undefined) return { text: quantifier, isMatching: false };
  const escaped = /^\\(?:u\{[^}]*\}|u[0-9a-f]{4}|x[0-9a-f]{2}|[pP]\{[^}]*\}|k<\w+>|c[a-z]|[^])/i.exec(rest)?.[0];
  if (escaped !== undefined) return { text: escaped, isMatching: !/^\\(?:[bB1-9]|k)/.test(escaped) };
  return { text: rest.startsWith("[") ? classAt(rest) : rest.slice(0, 1), isMatching: true };
}

function classAt(rest: string): string {
  let depth = 0;
  for (let at = 0; at < rest.length; at++) {
    const letter = rest[at];
    if (letter === "\\") at++;
    else if (letter === "[" && (at === 0)) depth++;
    else if (letter === "]" && --depth === 0) return rest.slice(0, at + 1);
  }
  return rest;
}

/** Returns a few characters that match an atom. */
function charactersOf(atom: string, flags: string): string[] {
  const isUnicode = /[uv]/.test(flags) ? flags.replace(/[^uv]/g, "") : "";
  const pattern = new RegExp(`^(?:${atom})$`, isUnicode + (flags.includes("i") ? "i" : ""));
  const matching = [...candidates].filter((letter) => pattern.test(letter));
  if (matching.length <= 4) return matching;
  return [...new Set([0, 1, 2, 3].map((at) => matching[Math.floor(at * (matching.length - 1) / 3)] ?? ""))];
}
