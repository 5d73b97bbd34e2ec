/**
 * Reads the default value of an argument: whether it asks for something that can be known before the call.
 *
 * @module
 */

import { Tokenizer } from "../reflect/js_tokenizer.ts";
import type { Parameter } from "../reflect/signature.ts";

/** What the default value of an argument asks for. */
export interface DefaultAsk {
  /**
   * True when it begins with a call of `Inject` or its kin, with an argument that is the same in every call, so that
   * evaluating it asks for that before anything else.
   */
  readonly isKnown: boolean;
  /** True when it is nothing but that call, so that the argument is the dependency itself. */
  readonly isWhole: boolean;
  /** How many other calls in it may be `Inject` by another name. */
  readonly others: number;
}

/**
 * What a function that asks is called with: a token, or a schema, which is the same in every call however it is
 * written.
 */
type AskArgument = "token" | "schema";

/** The names by which the functions that ask are called in source text. */
const names = new Map<string, AskArgument>();

/**
 * Has a function recognised in default values. In a bundle its name is the one that the minifier gave it, in the text
 * of its callers and in its own property `name` alike.
 *
 * @param ask The function.
 * @param name Its published name.
 * @param argument What it is called with.
 */
export function recognise(ask: (argument: never) => unknown, name: string, argument: AskArgument = "token"): void {
  names.set(name, argument);
  names.set(ask.name, argument);
}

/** Most default values that ask: `Inject(users)`, `mvc.Inject(app.users)`. */
const simpleCall = /^([\w$]+(?:\.[\w$]+)*)\(([A-Za-z_$][\w$]*(?:\.[\w$]+)*)\)$/;
const simplePath = /^[\w$.]+$/;

/** What is needed to read all others. */
interface CallPatterns {
  /** A callee, which bundlers also write as `(0, mvc.Inject)`, and its opening bracket. */
  readonly call: RegExp;
  readonly path: RegExp;
  readonly tokenCall: RegExp;
}

let patterns: CallPatterns | undefined = undefined;

/** Created when they are needed first: letters of all scripts take V8 some milliseconds. */
function callPatterns(): CallPatterns {
  return patterns ??= newPatterns();
}

function newPatterns(): CallPatterns {
  const word = "[\\p{ID_Continue}$]+";
  const path = `${word}(?:\\s*\\.\\s*${word})*`;
  return {
    call: new RegExp(`^(?:\\(\\s*0\\s*,\\s*(?<wrapped>${path})\\s*\\)|(?<plain>${path}))\\s*\\(`, "u"),
    path: new RegExp(`^\\s*${path}\\s*,?\\s*$`, "u"),
    tokenCall: new RegExp(`(?<callee>${path})\\s*\\)?\\s*\\(\\s*(?!\\d)${path}\\s*,?\\s*\\)`, "gu"),
  };
}

/** The default values of parameter lists, most of which many methods share. */
const asksOf = new WeakMap<readonly Parameter[], readonly (DefaultAsk | undefined)[]>();

/**
 * Reads the default values of parameters.
 *
 * @param parameters All parameters of a function: a default value that depends on another argument differs by call.
 * @returns What each asks for; `undefined` for one that asks for nothing.
 */
export function readDefaults(parameters: readonly Parameter[]): readonly (DefaultAsk | undefined)[] {
  let asks = asksOf.get(parameters);
  if (asks === undefined) asksOf.set(parameters, asks = parameters.map((each) => readDefault(each, parameters)));
  return asks;
}

function readDefault({ fallback }: Parameter, all: readonly Parameter[]): DefaultAsk | undefined {
  if (fallback === undefined || (fallback.kind !== "call" && fallback.kind !== "other")) return undefined;
  const { source } = fallback;
  let call = calls.get(source);
  if (call === undefined) calls.set(source, call = readCall(source));
  const { argument, rest } = call;
  if (argument === undefined) return { isKnown: false, isWhole: false, others: call.others };
  const isKnown = call.isSame && !mentions(argument, all);
  return { isKnown, isWhole: rest === "", others: isKnown ? countOthers(rest) : call.others };
}

/** A default value by itself. */
interface ReadCall {
  /** What a function that asks is called with, if the value begins with such a call. */
  readonly argument: string | undefined;
  /** True when that is the same in every call, as far as it does not depend on other arguments. */
  readonly isSame: boolean;
  /** What follows the call. */
  readonly rest: string;
  /** How many calls in the whole may be `Inject` by another name. */
  readonly others: number;
}

/** Default values by their text: many arguments ask for one and the same. */
const calls = new Map<string, ReadCall>();

function readCall(text: string): ReadCall {
  const [, callee, argument] = simpleCall.exec(text) ?? [];
  if (callee === undefined) return readAnyCall(text);
  const others = isGlobal(callee) ? 0 : 1;
  return asksFor(callee) === undefined
    ? { argument: undefined, isSame: false, rest: "", others }
    : { argument, isSame: true, rest: "", others };
}

function readAnyCall(text: string): ReadCall {
  const others = countOthers(text);
  const match = callPatterns().call.exec(text);
  const asks = asksFor(match?.groups?.wrapped ?? match?.groups?.plain ?? "");
  const close = match === null || asks === undefined ? undefined : closingIndex(text, match[0].length);
  if (match === null || close === undefined) return { argument: undefined, isSame: false, rest: "", others };
  const argument = text.slice(match[0].length, close);
  const isSame = asks === "schema" || callPatterns().path.test(argument);
  return { argument, isSame, rest: text.slice(close + 1).trim(), others };
}

/** What a callee is called with, if it is a function that asks. Other modules have a `Query` or a `Body` too. */
function asksFor(callee: string): AskArgument | undefined {
  const path = callee.split(".").map((each) => each.trim());
  const asks = names.get(path.at(-1) ?? "");
  return asks === "schema" && path.length > 1 && path.join(".") !== `mvc.${path.at(-1)}` ? undefined : asks;
}

/** Finds the bracket that closes the one before an index. */
function closingIndex(text: string, from: number): number | undefined {
  const tokens = new Tokenizer(text, from);
  let depth = 1;
  for (let token = tokens.next(); token.kind !== "end"; token = tokens.next()) {
    if (token.kind !== "punctuation") continue;
    if (/^[([{]$/.test(token.text)) depth++;
    else if (/^[)\]}]$/.test(token.text) && --depth === 0) return token.start;
  }
  return undefined;
}

/** Reports whether an expression uses `this` or an argument of the same call. */
function mentions(expression: string, parameters: readonly Parameter[]): boolean {
  const own = new Set(["this", "arguments", ...parameters.map(({ name }) => name)]);
  if (simplePath.test(expression)) return own.has(expression.split(".")[0] ?? "");
  const tokens = new Tokenizer(expression);
  let last = "";
  for (let token = tokens.next(); token.kind !== "end"; token = tokens.next()) {
    if (token.kind === "template" && expression.includes("${")) return true;
    if (token.kind === "name" && last !== "." && last !== "?." && own.has(token.text)) return true;
    last = token.text;
  }
  return false;
}

/**
 * Counts the calls that may be `Inject` or its kin under another name: those with a name for their argument, or, as
 * what the default value begins with, with an expression; not of literals, and not of functions of the platform.
 */
function countOthers(text: string): number {
  if (text === "") return 0;
  const calls = [...text.matchAll(callPatterns().tokenCall)].filter(({ groups }) => !isGlobal(groups?.callee ?? ""));
  const first = callPatterns().call.exec(text);
  const isCall = first !== null && /^\s*[\p{ID_Start}$_]/u.test(text.slice(first[0].length));
  return Math.max(calls.length, isCall && !isGlobal(first.groups?.wrapped ?? first.groups?.plain ?? "") ? 1 : 0);
}

function isGlobal(callee: string): boolean {
  return Object.hasOwn(globalThis, callee.split(".")[0]?.trim() ?? "");
}
