/**
 * Reads the default value of an argument: whether it injects something that can be known before the call.
 *
 * @module
 */

import { Tokenizer } from "../reflect/js_tokenizer.ts";
import type { Parameter } from "../reflect/signature.ts";

/** What a default value injects. */
export interface DefaultAsk {
  /**
   * True if it begins with a call of `mvc.Inject` or its like whose argument is the same in every call, so that
   * evaluating it injects that before anything else.
   */
  readonly isKnown: boolean;
  /** True if it is nothing but that call, so that the argument is the dependency itself. */
  readonly isWhole: boolean;
  /** True if another call in it may inject something too, under another name. */
  readonly mayInject: boolean;
}

/** The argument of a function that injects: a token, or a schema, which may be written in place. */
type InjectArgument = "token" | "schema";

/** The functions that inject, by their published names. */
const published = new Map<string, InjectArgument>();
/** The same by their own names, which a bundler or a minifier may have changed. */
const bundled = new Map<string, InjectArgument>();

/**
 * Has a function recognised in default values.
 *
 * @param inject The function.
 * @param name Its published name.
 * @param argument What it is called with.
 */
export function recognise(
  inject: (argument: never) => unknown,
  name: string,
  argument: InjectArgument = "token",
): void {
  published.set(name, argument);
  bundled.set(inject.name, argument);
}

/**
 * What a callee is called with, if it is one of the functions that inject. To evaluate a default value is to call the
 * method, whose body would run if the callee were a function of another library. So a name alone is trusted only where
 * it cannot be anyone else's: in one bundle with the functions themselves.
 */
function argumentOf(callee: string): InjectArgument | undefined {
  const path = callee.split(".").map((each) => each.trim());
  const [first = "", second = "", ...more] = path;
  if (path.length === 1) return bundled.has(first) && isInOneBundle() ? bundled.get(first) : undefined;
  return first === "mvc" && more.length === 0 ? published.get(second) : undefined;
}

/** Most default values that inject: `mvc.Inject(users)`, `mvc.Inject(app.users)`. */
const simpleCall = /^([\w$]+(?:\.[\w$]+)*)\(([A-Za-z_$][\w$]*(?:\.[\w$]+)*)\)$/;
const simplePath = /^[\w$.]+$/;

/** The patterns for all other default values. */
interface CallPatterns {
  /** A callee, which bundlers also write as `(0, mvc.Inject)`, and its opening bracket. */
  readonly call: RegExp;
  readonly path: RegExp;
  /** A call with a name for its argument. */
  readonly tokenCall: RegExp;
}

let patterns: CallPatterns | undefined = undefined;

/** Created on first use: letters of all scripts take V8 some milliseconds. */
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
 * @returns What each injects; `undefined` for one that injects nothing.
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
  const { argument, rest, mayInject } = call;
  if (argument === undefined) return { isKnown: false, isWhole: false, mayInject };
  const isKnown = call.isSame && !mentions(argument, all);
  return { isKnown, isWhole: rest === "", mayInject: isKnown ? mayInjectMore(rest) : mayInject };
}

/** A default value by itself. */
interface ReadCall {
  /** The argument of the function that injects, if the value begins with such a call. */
  readonly argument: string | undefined;
  /** True if that is the same in every call, unless it depends on other arguments. */
  readonly isSame: boolean;
  /** The text after the call. */
  readonly rest: string;
  /** True if a call in the whole may inject something under another name. */
  readonly mayInject: boolean;
}

/** Default values by their text: many arguments have one and the same. */
const calls = new Map<string, ReadCall>();

function readCall(text: string): ReadCall {
  const [, callee, argument] = simpleCall.exec(text) ?? [];
  if (callee !== undefined) {
    const mayInject = !isGlobal(callee);
    return { argument: argumentOf(callee) === undefined ? undefined : argument, isSame: true, rest: "", mayInject };
  }
  const match = callPatterns().call.exec(text);
  const kind = argumentOf(match?.groups?.wrapped ?? match?.groups?.plain ?? "");
  const close = match === null || kind === undefined ? undefined : closingIndex(text, match[0].length);
  const mayInject = mayInjectMore(text);
  if (match === null || close === undefined) return { argument: undefined, isSame: false, rest: "", mayInject };
  const written = text.slice(match[0].length, close);
  const isSame = kind === "schema" || callPatterns().path.test(written);
  return { argument: written, isSame, rest: text.slice(close + 1).trim(), mayInject };
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
  let token = tokens.next();
  while (token.kind !== "end") {
    const next = tokens.next();
    if (token.kind === "template" && expression.includes("${")) return true;
    // A member and the key of an object, as in `z.object({ id: z.string() })`, only have the name of an argument.
    const isMember = last === "." || last === "?." || (next.text === ":" && (last === "{" || last === ","));
    if (token.kind === "name" && !isMember && own.has(token.text)) return true;
    last = token.text;
    token = next;
  }
  return false;
}

/**
 * Reports whether a call may be `Inject` or its like under another name: one with a name for its argument, or, at the
 * start, with an expression; but not of a literal, and not of a function of the platform.
 */
function mayInjectMore(text: string): boolean {
  if (text === "") return false;
  const calls = [...text.matchAll(callPatterns().tokenCall)];
  if (calls.some(({ groups }) => !isGlobal(groups?.callee ?? ""))) return true;
  const first = callPatterns().call.exec(text);
  const isCall = first !== null && /^\s*[\p{ID_Start}$_]/u.test(text.slice(first[0].length));
  return isCall && !isGlobal(first.groups?.wrapped ?? first.groups?.plain ?? "");
}

function isGlobal(callee: string): boolean {
  return Object.hasOwn(globalThis, callee.split(".")[0]?.trim() ?? "");
}

let isOne: boolean | undefined = undefined;

/**
 * Reports whether the program that calls is bundled into one file with fw, so that a name at its top level is the name
 * of one function only. The program has to be on the stack, as it is when it registers something.
 */
function isInOneBundle(): boolean {
  return isOne ??= new Set(filesOnStack()).size === 1;
}

/** The files of the functions on the stack, without those of the runtime. Lines are not computed: that takes time. */
function filesOnStack(): string[] {
  const { prepareStackTrace, stackTraceLimit } = Error as unknown as Partial<StackOptions>;
  const holder: { stack?: unknown } = {};
  try {
    Object.assign(Error, {
      stackTraceLimit: Infinity,
      prepareStackTrace: (_: Error, sites: readonly CallSite[]) => sites.map((site) => site.getFileName() ?? "ext:"),
    });
    Error.captureStackTrace(holder);
    return (holder.stack as string[]).filter((file) => !/^(?:ext|node):/.test(file));
  } finally {
    Object.assign(Error, { prepareStackTrace, stackTraceLimit });
  }
}

interface CallSite {
  getFileName(): string | null;
}

interface StackOptions {
  readonly prepareStackTrace: (error: Error, sites: readonly CallSite[]) => unknown;
  readonly stackTraceLimit: number;
}
