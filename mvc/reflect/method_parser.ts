/**
 * Parses controller method names. For example, `GetUserByFollowers` is split into its verb and path parts.
 *
 * @module
 */

import { Methods } from "../../src/http/headers/methods.ts";

/** A part of the path that a method name defines. */
export type NamePart =
  | { readonly kind: "word"; readonly text: string }
  | { readonly kind: "by" }
  | { readonly kind: "wildcard" };

/** A method name that defines a route. */
export interface ParsedName {
  /** The HTTP methods: one, or all nine for `All` and `Any`. */
  readonly methods: readonly string[];
  /** The parts after the verb, in order. */
  readonly parts: readonly NamePart[];
}

/** The verbs of method names: HTTP methods with a capital initial. */
const verbs: ReadonlyMap<string, readonly string[]> = new Map([
  ...Methods.map((method): [string, readonly string[]] => [method[0] + method.slice(1).toLowerCase(), [method]]),
  ["All", Methods],
  ["Any", Methods],
]);

/** Both spellings turn the preceding `By` into a catch-all. The specification uses the second one. */
const wildcards: ReadonlySet<string | undefined> = new Set(["Wildcard", "Wildard"]);

/**
 * Parses a method name as a route.
 *
 * @param name The name of a controller method.
 * @returns The route, or `undefined` if the first word is not a verb.
 */
export function parseMethodName(name: string): ParsedName | undefined {
  // Controllers share most of their method names. Parsing them again took 14 of 250 ms for 500 controllers with 10
  // methods each.
  const before = parsedNames.get(name);
  if (before !== undefined || parsedNames.has(name)) return before;
  const read = readName(name);
  parsedNames.set(name, read);
  return read;
}

const parsedNames = new Map<string, ParsedName | undefined>();

function readName(name: string): ParsedName | undefined {
  const words = splitWords(name);
  const methods = verbs.get(words[0] ?? "");
  if (methods === undefined) return undefined;
  const parts: NamePart[] = [];
  for (let i = 1; i < words.length; i++) {
    const word = words[i] ?? "";
    if (word !== "By") {
      parts.push({ kind: "word", text: word.toLowerCase() });
    } else if (wildcards.has(words[i + 1])) {
      parts.push({ kind: "wildcard" });
      i++;
    } else {
      parts.push({ kind: "by" });
    }
  }
  return { methods, parts };
}

/**
 * Splits a name at its capital letters. A run of capitals is one word (`ID`, `HTTP`), but its last capital belongs to
 * the next word if it is followed by a lower-case letter other than a plural `s` (`HTTPServer`, but `IDs`). Digits,
 * underscores and all other characters extend the preceding word.
 *
 * @param name The name.
 * @returns The words, as written.
 */
export function splitWords(name: string): string[] {
  const words: string[] = [];
  const letters = [...name];
  let start = 0;
  for (let i = 1; i < letters.length; i++) {
    if (!isCapital(letters[i]) || (isCapital(letters[i - 1]) && continuesAcronym(letters, i))) continue;
    words.push(letters.slice(start, i).join(""));
    start = i;
  }
  if (letters.length > 0) words.push(letters.slice(start).join(""));
  return words;
}

/** Reports whether the capital at `at`, which follows another capital, belongs to the same word. */
function continuesAcronym(letters: readonly string[], at: number): boolean {
  const next = letters[at + 1];
  if (next === undefined || !isSmall(next)) return true;
  // The plural "IDs" is one word, not "I" and "Ds".
  return next === "s" && (letters[at + 2] === undefined || isCapital(letters[at + 2]));
}

function isCapital(letter: string | undefined): boolean {
  return letter !== undefined && /^\p{Lu}$/u.test(letter);
}

function isSmall(letter: string): boolean {
  return /^\p{Ll}$/u.test(letter);
}

type Verb = "Get" | "Post" | "Put" | "Delete" | "Connect" | "Head" | "Patch" | "Options" | "Trace" | "All" | "Any";

/**
 * The name itself if its first word is a verb, or `never` otherwise. `Getter` is not a route.
 *
 * @internal
 */
export type RouteName<K> = K extends `${Verb}${infer Rest}`
  ? Rest extends "" ? K : Rest extends Uncapitalize<Rest> ? never : K
  : never;

/** Reports whether `By` is one of the words of a name. `GetByteSize` does not contain it. */
export type HasBy<K extends string> = K extends `${string}By${infer Rest}`
  ? Rest extends "" ? true : Rest extends Uncapitalize<Rest> ? HasBy<Rest> : true
  : false;
