/**
 * Parses the default value of an argument to find dependencies that are known before the call.
 *
 * @module
 */

import { Tokenizer } from "../reflect/js_tokenizer.ts";
import type { Parameter } from "../reflect/signature.ts";

/** The injection in a default value. */
export interface DefaultAsk {
  /**
   * Whether the default value starts with a call of `mvc.Inject` or a similar function whose argument is the same in
   * every call, so that evaluating it injects that before anything else.
   */
  readonly isKnown: boolean;
  /** Whether the default value consists only of that call, so that the argument is the dependency itself. */
  readonly isWhole: boolean;
  /** Whether another call in the default value may inject something too, under another name. */
  readonly mayInject: boolean;
}

/** The argument of an injecting function: a token, or a schema, which may be written inline. */
type InjectArgument = "token" | "schema";

/** The injecting functions, by published name. */
const published = new Map<string, InjectArgument>();
/** The injecting functions, by their own names, which a bundler or minifier may have changed. */
const bundled = new Map<string, InjectArgument>();

/**
 * Registers an injecting function, so that it is recognized in default values.
 *
 * @param inject The function.
 * @param name The published name.
 * @param argument The kind of its argument.
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
 * Returns the kind of argument of a callee, if it is an injecting function. Evaluating a default value means calling
 * the method, and its body would run if the callee were a function of another library. So a bare name is only trusted
 * if it cannot be anything else: in one bundle with the functions themselves.
 */
function argumentOf(callee: string): InjectArgument | undefined {
  const path = callee.split(".").map((each) => each.trim());
  const [first = "", second = "", ...more] = path;
  if (path.length === 1) return bundled.has(first) && isInOneBundle() ? bundled.get(first) : undefined;
  return first === "mvc" && more.length === 0 ? published.get(second) : undefined;
}

/** Matches most injecting default values: `mvc.Inject(users)`, `mvc.Inject(app.users)`. */
const simpleCall = /^([\w$]+(?:\.[\w$]+)*)\(([A-Za-z_$][\w$]*(?:\.[\w$]+)*)\)$/;
const simplePath = /^[\w$.]+$/;

/** The patterns for all other default values. */
interface CallPatterns {
  /** A callee, which bundlers also write as `(0, mvc.Inject)`, and its opening bracket. */
  readonly call: RegExp;
  readonly path: RegExp;
  /** A call with a name as its argument. */
  readonly tokenCall: RegExp;
}

let patterns: CallPatterns | undefined = undefined;

/**
 * Returns the patterns, created on first use because V8 takes several milliseconds to compile Unicode letter classes.
 */
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

/** The default values of parameter lists, most of which are shared by many methods. */
const asksOf = new WeakMap<readonly Parameter[], readonly (DefaultAsk | undefined)[]>();

/**
 * Parses the default values of parameters.
 *
 * @param parameters All parameters of a function. A default value that depends on another argument differs by call.
 * @returns The injection of each parameter, or `undefined` if there is none.
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

/** A parsed default value. */
interface ReadCall {
  /** The argument of the injecting function, if the value starts with such a call. */
  readonly argument: string | undefined;
  /** Whether that argument is the same in every call, unless it depends on other arguments. */
  readonly isSame: boolean;
  /** The text after the call. */
  readonly rest: string;
  /** Whether any call in the value may inject something under another name. */
  readonly mayInject: boolean;
}

/** The parsed default values by source text, because many arguments share the same one. */
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
    // Members and object keys, as in `z.object({ id: z.string() })`, may have the same name as an argument.
    const isMember = last === "." || last === "?." || (next.text === ":" && (last === "{" || last === ","));
    if (token.kind === "name" && !isMember && own.has(token.text)) return true;
    last = token.text;
    token = next;
  }
  return false;
}

/**
 * Reports whether a call may be `Inject` or a similar function under another name: a call with a name as its argument
 * or, at the start, with an expression. Calls with literals and calls of platform functions are excluded.
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
 * Reports whether the calling program is bundled into one file with fw, so that a top-level name refers to exactly one
 * function. The program must be on the stack, as it is when it registers something.
 */
function isInOneBundle(): boolean {
  return isOne ??= new Set(filesOnStack()).size === 1;
}

/**
 * Returns the files of the functions on the stack, without those of the runtime. Line numbers are not computed, to save
 * time.
 */
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
