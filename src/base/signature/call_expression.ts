/**
 * Parses a default value that is a call, such as `mvc.Inject(users).name`.
 *
 * @module
 */

import { Tokenizer } from "./js_tokenizer.ts";

/** A call in source text. */
export interface CallExpression {
  /** The path of the called function, such as `mvc.Inject`. */
  readonly callee: string;
  /** The text between the brackets. */
  readonly argument: string;
  /** Whether the argument is only a name or a path of names. */
  readonly isPath: boolean;
  /** The text after the call. */
  readonly rest: string;
}

/** Matches most calls: `mvc.Inject(users)`, `mvc.Inject(app.users)`. */
const simpleCall = /^([\w$]+(?:\.[\w$]+)*)\(([A-Za-z_$][\w$]*(?:\.[\w$]+)*)\)$/;
const simplePath = /^[\w$.]+$/;

/** The patterns for all other calls. */
interface Patterns {
  /** Matches a callee and its opening bracket. Bundlers may write a callee as `(0, mvc.Inject)`. */
  readonly call: RegExp;
  readonly path: RegExp;
  /** A call with a name as its argument. */
  readonly nameCall: RegExp;
}

let patterns: Patterns | undefined = undefined;

/** Creates the patterns on first use, because V8 takes several milliseconds to compile Unicode letter classes. */
function newPatterns(): Patterns {
  const word = "[\\p{ID_Continue}$]+";
  const path = `${word}(?:\\s*\\.\\s*${word})*`;
  return {
    call: new RegExp(`^(?:\\(\\s*0\\s*,\\s*(?<wrapped>${path})\\s*\\)|(?<plain>${path}))\\s*\\(`, "u"),
    path: new RegExp(`^\\s*${path}\\s*,?\\s*$`, "u"),
    nameCall: new RegExp(`(?<callee>${path})\\s*\\)?\\s*\\(\\s*(?!\\d)${path}\\s*,?\\s*\\)`, "gu"),
  };
}

/**
 * Parses the call that an expression starts with.
 *
 * @param text The source text of an expression.
 * @returns The call, or `undefined` if the expression does not start with one.
 */
export function readCall(text: string): CallExpression | undefined {
  const [, simple, name = ""] = simpleCall.exec(text) ?? [];
  if (simple !== undefined) return { callee: simple, argument: name, isPath: true, rest: "" };
  const { call, path } = patterns ??= newPatterns();
  const match = call.exec(text);
  if (match === null) return undefined;
  const callee = match.groups?.wrapped ?? match.groups?.plain ?? "";
  const close = closingIndex(text, match[0].length);
  const argument = text.slice(match[0].length, close);
  return { callee, argument, isPath: path.test(argument), rest: text.slice(close + 1).trim() };
}

/**
 * Finds the functions that an expression calls with a name as their argument. At the start of the expression, the
 * argument may also be an expression that begins with a name.
 *
 * @param text The source text of an expression.
 * @returns The paths of the called functions.
 */
export function calleesOfNames(text: string): string[] {
  if (text === "") return [];
  const simple = simpleCall.exec(text)?.[1];
  if (simple !== undefined) return [simple];
  const { nameCall } = patterns ??= newPatterns();
  const callees = [...text.matchAll(nameCall)].map(({ groups }) => groups?.callee ?? "");
  const first = readCall(text);
  if (first !== undefined && /^\s*[\p{ID_Start}$_]/u.test(first.argument)) callees.push(first.callee);
  return callees;
}

/** Finds the bracket that matches the one before the index. */
function closingIndex(text: string, from: number): number {
  const tokens = new Tokenizer(text, from);
  let depth = 1;
  for (let token = tokens.next(); token.kind !== "end"; token = tokens.next()) {
    if (token.kind !== "punctuation") continue;
    if (/^[([{]$/.test(token.text)) depth++;
    else if (/^[)\]}]$/.test(token.text) && --depth === 0) return token.start;
  }
  return text.length;
}

/**
 * Reports whether an expression uses one of the names, not including members of objects.
 *
 * @param expression The source text.
 * @param names The names.
 */
export function mentions(expression: string, names: ReadonlySet<string>): boolean {
  if (simplePath.test(expression)) return names.has(expression.split(".")[0] ?? "");
  const tokens = new Tokenizer(expression);
  let last = "";
  let token = tokens.next();
  while (token.kind !== "end") {
    const next = tokens.next();
    if (token.kind === "template" && expression.includes("${")) return true;
    // Members and object keys, as in `z.object({ id: z.string() })`, may have the same name as an argument.
    const isMember = last === "." || last === "?." || (next.text === ":" && (last === "{" || last === ","));
    if (token.kind === "name" && !isMember && names.has(token.text)) return true;
    last = token.text;
    token = next;
  }
  return false;
}
