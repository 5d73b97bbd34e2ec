/**
 * Parses the parameters of a function from its source text: their number, their names, and the kinds of their default
 * values.
 *
 * @module
 */

import { type SourceToken, Tokenizer } from "./js_tokenizer.ts";

/**
 * The kind of a default value. It is a literal of one of four types, a call (as in `mvc.Inject(Users)`) or a member of
 * its result, or anything else.
 */
export type DefaultKind = "number" | "bigint" | "boolean" | "string" | "call" | "other";

/** A default value in source text. */
export interface DefaultValue {
  readonly kind: DefaultKind;
  readonly source: string;
}

/** A parameter of a function. */
export interface Parameter {
  /** The name, or an empty string if the parameter is destructured. */
  readonly name: string;
  readonly form: "plain" | "pattern" | "rest";
  /** The default value, if there is one. */
  readonly fallback: DefaultValue | undefined;
}

/**
 * Parses the parameters of a method, function or arrow function.
 *
 * The source may be minified: `!1` is a boolean, `1e3` a number, `(0, a.b)(c)` a call, and names have no meaning.
 *
 * @param text The result of `Function.prototype.toString`.
 * @returns The parameters, or `undefined` for bound and native functions and classes.
 */
export function readSignature(text: string): readonly Parameter[] | undefined {
  const simple = readSimple(text);
  if (simple !== undefined) return simple;
  const tokens = new Tokenizer(text);
  for (let token = tokens.next(); token.kind !== "end"; token = tokens.next()) {
    if (token.text === "class") return undefined;
    // A method may have a computed name with arbitrary content: `["Get" + (1, "By")](id) {}`.
    if (token.text === "[") skipGroup(tokens);
    else if (token.text === "(") return isNative(text) ? undefined : readList(tokens, text);
    else if (token.text === "=>") return readBareArrow(text);
  }
  return undefined;
}

/**
 * Matches a method, function or arrow function up to its parameters, if each parameter is only a name, or a name with a
 * simple literal or `mvc.Inject(Users)`.
 */
const simpleHead = /^(?:async\s+)?(?:(?:function\s+)?[\w$]+\s*)?\(\s*/y;
const simplePath = "[A-Za-z_$][\\w$]*(?:\\.[A-Za-z_$][\\w$]*)*";
const simpleParameter = new RegExp(
  "([A-Za-z_$][\\w$]*)(?:\\s*=\\s*(-?\\d[\\d_]*(n?)|(true|false|![01])(?![\\w$.(])|" +
    `"[^"\\\\]*"|'[^'\\\\]*'|(${simplePath})\\((?:${simplePath})?\\)))?\\s*(?:,\\s*|(\\)))`,
  "y",
);

/** The parameter lists by the source text before the body. Many methods share a list such as `id = 0n`. */
const lists = new Map<string, readonly Parameter[]>();

/**
 * Parses the parameters of most methods without tokenizing, which would take five times as long. An application with
 * 500 controllers has 5,000 of them.
 */
function readSimple(text: string): readonly Parameter[] | undefined {
  simpleHead.lastIndex = 0;
  if (!simpleHead.test(text) || isNative(text)) return undefined;
  const start = simpleHead.lastIndex;
  const body = text.indexOf("{", start);
  const list = text.slice(start, body);
  const before = lists.get(list);
  if (before !== undefined) return before;
  const isEmpty = text[start] === ")";
  const parameters = isEmpty ? [] : readSimpleFrom(text, start);
  // If a string contains a brace, the list may continue after it.
  const isWhole = (isEmpty ? start : simpleParameter.lastIndex) <= body;
  if (parameters !== undefined && isWhole) lists.set(list, parameters);
  return parameters;
}

function readSimpleFrom(text: string, start: number): Parameter[] | undefined {
  const parameters: Parameter[] = [];
  for (let at = start;; at = simpleParameter.lastIndex) {
    simpleParameter.lastIndex = at;
    const match = simpleParameter.exec(text);
    if (match === null) return undefined;
    const [, name = "", source, suffix, truth, callee, close] = match;
    if (callee !== undefined && Object.hasOwn(conversions, callee)) return undefined;
    const kind = callee === undefined ? literalKind(source ?? "", suffix, truth) : "call";
    parameters.push({ name, form: "plain", fallback: source === undefined ? undefined : { kind, source } });
    if (close !== undefined) return parameters.slice();
  }
}

function literalKind(source: string, suffix: string | undefined, truth: string | undefined): DefaultKind {
  if (truth !== undefined) return "boolean";
  if (suffix === undefined) return source.startsWith('"') || source.startsWith("'") ? "string" : "number";
  return suffix === "n" ? "bigint" : "number";
}

/** Reports whether a function is native or bound. Only such functions have this body, which is not valid JavaScript. */
function isNative(text: string): boolean {
  return text.includes("[native code]") && /\{\s*\[native code\]\s*\}\s*$/.test(text);
}

/** Parses `async id => …` and `id => …`, the only form without brackets. */
function readBareArrow(text: string): Parameter[] {
  const tokens = new Tokenizer(text);
  let last = tokens.next();
  for (let token = last; token.text !== "=>"; token = tokens.next()) last = token;
  return [{ name: last.text, form: "plain", fallback: undefined }];
}

function readList(tokens: Tokenizer, text: string): Parameter[] {
  const parameters: Parameter[] = [];
  for (;;) {
    const { found, end } = readUntilComma(tokens);
    if (found.length > 0) parameters.push(readParameter(found, text));
    if (end.text !== ",") return parameters;
  }
}

/** Collects tokens up to the comma or bracket that ends them. Groups in brackets are collected as a whole. */
function readUntilComma(tokens: Tokenizer): { found: SourceToken[]; end: SourceToken } {
  const found: SourceToken[] = [];
  let depth = 0;
  for (;;) {
    const token = tokens.next();
    if (token.kind === "end") return { found, end: token };
    if (depth === 0 && (isPunctuation(token, ",") || isClosing(token))) return { found, end: token };
    if (isOpening(token)) depth++;
    else if (isClosing(token)) depth--;
    found.push(token);
  }
}

function readParameter(tokens: readonly SourceToken[], text: string): Parameter {
  const first = tokens[0];
  if (first === undefined || isPunctuation(first, "...")) {
    return { name: tokens[1]?.kind === "name" ? tokens[1].text : "", form: "rest", fallback: undefined };
  }
  const assign = isOpening(first) ? closingIndex(tokens, 0) + 1 : 1;
  const value = tokens.slice(assign + 1);
  const fallback = value.length === 0 ? undefined : readDefault(value, text);
  return first.kind === "name"
    ? { name: first.text, form: "plain", fallback }
    : { name: "", form: "pattern", fallback };
}

function readDefault(tokens: readonly SourceToken[], text: string): DefaultValue {
  const source = text.slice(tokens[0]?.start, tokens.at(-1)?.end);
  return { kind: kindOf(withoutBrackets(tokens)), source };
}

const literalKinds: Partial<Record<SourceToken["kind"], DefaultKind>> = {
  number: "number",
  bigint: "bigint",
  string: "string",
  template: "string",
};

/**
 * The calls that define a type as clearly as a literal. For old targets, minifiers write `BigInt(0)` instead of `0n`.
 */
const conversions: Readonly<Record<string, DefaultKind>> = {
  Number: "number",
  BigInt: "bigint",
  Boolean: "boolean",
  String: "string",
};

function kindOf(tokens: readonly SourceToken[]): DefaultKind {
  const [first, second] = tokens;
  if (first === undefined) return "other";
  if (second === undefined) {
    return first.text === "true" || first.text === "false" ? "boolean" : literalKinds[first.kind] ?? "other";
  }
  const operand = withoutBrackets(tokens.slice(1));
  if (operand.length === 1 && first.kind === "punctuation") return signedKind(first.text, operand[0]?.kind);
  if (!isCall(tokens)) return "other";
  const isConversion = isPunctuation(second, "(") && closingIndex(tokens, 1) === tokens.length - 1;
  return isConversion && Object.hasOwn(conversions, first.text) ? conversions[first.text] ?? "call" : "call";
}

/** Returns the kind of `-1`, `+1` and `-1n`, and of `!0` and `!1`, which minifiers use for true and false. */
function signedKind(sign: string, operand: SourceToken["kind"] | undefined): DefaultKind {
  if (sign === "-" && (operand === "number" || operand === "bigint")) return operand;
  if (sign === "+" && operand === "number") return "number";
  return sign === "!" && operand !== undefined && operand in literalKinds ? "boolean" : "other";
}

/** Reports whether tokens are a name or an expression in brackets, followed by members and at least one call. */
function isCall(tokens: readonly SourceToken[]): boolean {
  const first = tokens[0];
  if (first === undefined || (first.kind === "name" && (first.text === "new" || first.text === "function"))) {
    return false;
  }
  let at = isPunctuation(first, "(") ? closingIndex(tokens, 0) + 1 : first.kind === "name" ? 1 : tokens.length;
  let calls = 0;
  while (at < tokens.length) {
    if (isPunctuation(tokens[at], "?.")) at++;
    if (isPunctuation(tokens[at], "(") || isPunctuation(tokens[at], "[")) {
      if (isPunctuation(tokens[at], "(")) calls++;
      at = closingIndex(tokens, at) + 1;
    } else if (isPunctuation(tokens[at], ".") && tokens[at + 1]?.kind === "name") {
      at += 2;
    } else if (isPunctuation(tokens[at - 1], "?.") && tokens[at]?.kind === "name") {
      at++;
    } else {
      return false;
    }
  }
  return calls > 0;
}

function withoutBrackets(tokens: readonly SourceToken[]): readonly SourceToken[] {
  let inner = tokens;
  while (isPunctuation(inner[0], "(") && closingIndex(inner, 0) === inner.length - 1) inner = inner.slice(1, -1);
  return inner;
}

/** Finds the bracket that closes the one at `from`. */
function closingIndex(tokens: readonly SourceToken[], from: number): number {
  let depth = 0;
  for (let i = from; i < tokens.length; i++) {
    const token = tokens[i];
    if (token === undefined) continue;
    if (isOpening(token)) depth++;
    else if (isClosing(token) && --depth === 0) return i;
  }
  return tokens.length;
}

function skipGroup(tokens: Tokenizer): void {
  for (let depth = 1; depth > 0;) {
    const token = tokens.next();
    if (token.kind === "end") return;
    if (isOpening(token)) depth++;
    else if (isClosing(token)) depth--;
  }
}

function isPunctuation(token: SourceToken | undefined, text: string): boolean {
  return token?.kind === "punctuation" && token.text === text;
}

function isOpening(token: SourceToken): boolean {
  return token.kind === "punctuation" && (token.text === "(" || token.text === "[" || token.text === "{");
}

function isClosing(token: SourceToken): boolean {
  return token.kind === "punctuation" && (token.text === ")" || token.text === "]" || token.text === "}");
}
