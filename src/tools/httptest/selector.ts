/**
 * Compiles a subset of CSS selectors.
 *
 * @module
 */

import { childrenOf, type Element } from "./html_tree.ts";

/** Reports whether an element matches. */
export type Matcher = (element: Element) => boolean;

/** A step of a selector, and its relation to the previous step. */
interface Step {
  readonly combinator: string;
  readonly tests: readonly Matcher[];
}

const token =
  /\s*([>+~,])\s*|(\s+)|([a-z*][\w-]*)|#([\w-]+)|\.([\w-]+)|\[\s*([\w:-]+)\s*(?:([~|^$*]?=)\s*(?:"([^"]*)"|'([^']*)'|([^\s\]]+))\s*)?\]|:([a-z-]+)(?:\(\s*(\d+)\s*\))?/iy;

/** The operators that compare the value of an attribute with that of a selector. */
const comparisons: Readonly<Record<string, (value: string, wanted: string) => boolean>> = {
  "=": (value, wanted) => value === wanted,
  "~=": (value, wanted) => wordsOf(value).includes(wanted),
  "|=": (value, wanted) => value === wanted || value.startsWith(`${wanted}-`),
  "^=": (value, wanted) => wanted !== "" && value.startsWith(wanted),
  "$=": (value, wanted) => wanted !== "" && value.endsWith(wanted),
  "*=": (value, wanted) => wanted !== "" && value.includes(wanted),
};

/** The pseudo-classes. */
const pseudos: Readonly<Record<string, (element: Element, argument: number) => boolean>> = {
  "first-child": (element) => siblingsOf(element)[0] === element,
  "last-child": (element) => siblingsOf(element).at(-1) === element,
  "nth-child": (element, argument) => siblingsOf(element)[argument - 1] === element,
  checked: (element) => element.attributes.has(element.tag === "option" ? "selected" : "checked"),
};

/** The functions that find the elements before a combinator. */
const relatives: Readonly<Record<string, (element: Element) => readonly Element[]>> = {
  " ": ancestorsOf,
  ">": (element) => ancestorsOf(element).slice(0, 1),
  "+": (element) => earlierOf(element).slice(-1),
  "~": earlierOf,
};

/**
 * Compiles a selector.
 *
 * @param selector The selector.
 * @returns The function that reports whether an element matches.
 * @throws {TypeError} If the selector is not supported.
 */
export function compileSelector(selector: string): Matcher {
  const alternatives: Step[][] = [[]];
  let combinator = "";
  let tests: Matcher[] = [];
  const text = selector.trim();
  const endStep = (next: string) => {
    if (tests.length === 0) throw unsupported(selector, next === "" ? "its end" : `"${next}"`);
    alternatives.at(-1)?.push({ combinator, tests });
    combinator = next;
    tests = [];
  };
  for (token.lastIndex = 0; token.lastIndex < text.length;) {
    const from = token.lastIndex;
    const match = token.exec(text);
    if (match === null) throw unsupported(selector, `"${text.slice(from)}"`);
    const sign = match[1] ?? (match[2] === undefined ? undefined : " ");
    if (sign === undefined) tests.push(testOf(match, selector));
    else endStep(sign);
    if (sign === ",") {
      combinator = "";
      alternatives.push([]);
    }
  }
  endStep("");
  return (element) => alternatives.some((steps) => matches(element, steps, steps.length - 1));
}

function testOf(match: RegExpExecArray, selector: string): Matcher {
  const [, , , tag, id, name, attribute, sign, double, single, bare, pseudo, argument] = match;
  if (tag !== undefined) return (element) => tag === "*" || element.tag === tag.toLowerCase();
  if (id !== undefined) return ({ attributes }) => attributes.get("id") === id;
  if (name !== undefined) return ({ attributes }) => wordsOf(attributes.get("class") ?? "").includes(name);
  if (attribute !== undefined) {
    const key = attribute.toLowerCase();
    const compare = comparisons[sign ?? ""];
    if (compare === undefined) return ({ attributes }) => attributes.has(key);
    const wanted = double ?? single ?? bare ?? "";
    return ({ attributes }) => attributes.has(key) && compare(attributes.get(key) ?? "", wanted);
  }
  const test = Object.hasOwn(pseudos, pseudo ?? "") ? pseudos[pseudo ?? ""] : undefined;
  if (test === undefined || (pseudo === "nth-child") !== (argument !== undefined)) {
    throw unsupported(selector, `":${pseudo}"`);
  }
  return (element) => test(element, Number(argument));
}

function matches(element: Element, steps: readonly Step[], at: number): boolean {
  const step = steps[at];
  if (step === undefined || !step.tests.every((test) => test(element))) return false;
  if (at === 0) return true;
  return relatives[step.combinator]?.(element).some((each) => matches(each, steps, at - 1)) ?? false;
}

function ancestorsOf(element: Element): Element[] {
  const ancestors: Element[] = [];
  for (let each = element.parent; each !== undefined; each = each.parent) ancestors.push(each);
  return ancestors;
}

function siblingsOf({ parent }: Element): Element[] {
  return parent === undefined ? [] : childrenOf(parent);
}

function earlierOf(element: Element): Element[] {
  const siblings = siblingsOf(element);
  return siblings.slice(0, Math.max(siblings.indexOf(element), 0));
}

function wordsOf(text: string): string[] {
  return text.split(/\s+/);
}

function unsupported(selector: string, what: string): TypeError {
  return new TypeError(`Cannot select "${selector}": ${what} is not supported or misplaced`);
}
