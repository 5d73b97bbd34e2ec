/**
 * Parses and evaluates the expressions between `{{` and `}}` in translations: values, functions and nested calls.
 *
 * @module
 */

import { nearestName } from "../../base/text/near_names.ts";

/** A parsed expression. */
export type Expression =
  | { readonly kind: "literal"; readonly value: string | number }
  | { readonly kind: "value"; readonly path: readonly string[] }
  | { readonly kind: "call"; readonly name: string; readonly args: readonly Expression[] };

/** The scope that an expression is evaluated in. */
export interface Scope {
  /** The named values. They come from the first argument of `Tr` if it is an object. */
  readonly data: unknown;
  /** Calls a function by name. Returns `undefined` if there is no such function. */
  call(name: string, args: readonly unknown[]): unknown;
  /** Reports whether a function exists. */
  has(name: string): boolean;
}

const tokens = /\s*(?:("(?:[^"\\]|\\.)*"|`[^`]*`)|(-?\d+(?:\.\d+)?)|(\.?[A-Za-z_][\w.]*|\.)|([()]))/y;

/**
 * Parses an expression such as `.Name`, `upper .Name`, `tr "nav.home"` or `upper (tr "nav.home")`.
 *
 * @throws {SyntaxError} If the expression is invalid.
 */
export function parseExpression(text: string): Expression {
  const found = tokenize(text);
  const { expression, next } = parseCall(found, 0);
  if (next < found.length) throw new SyntaxError(`unexpected "${found[next]?.text}"`);
  return expression;
}

/** Evaluates an expression. */
export function evaluate(expression: Expression, scope: Scope): unknown {
  switch (expression.kind) {
    case "literal":
      return expression.value;
    case "value":
      return valueAt(scope.data, expression.path);
    case "call": {
      // If there is no function with this name, it is a value, so that `{{name}}` works as in other libraries.
      if (expression.args.length === 0 && !scope.has(expression.name)) {
        return valueAt(scope.data, expression.name.split("."));
      }
      return scope.call(expression.name, expression.args.map((each) => evaluate(each, scope)));
    }
  }
}

/** The functions that expressions may call. */
export interface KnownCalls {
  /** The functions by name. */
  readonly functions: ReadonlyMap<string, unknown>;
  /**
   * The checks of the constant arguments of functions, by function name. They receive the arguments after the value,
   * and `undefined` for arguments that are not constant.
   */
  readonly checks: ReadonlyMap<string, (choices: readonly unknown[]) => void>;
}

/**
 * Checks that the functions in an expression exist, and that their constant arguments are valid.
 *
 * @throws {SyntaxError} If there is no function with a name that is called with arguments.
 */
export function checkCalls(expression: Expression, known: KnownCalls): void {
  if (expression.kind !== "call") return;
  const { name, args } = expression;
  if (args.length > 0 && !known.functions.has(name)) throw unknownFunction(name, known.functions);
  const [, ...choices] = args.map((each) => each.kind === "literal" ? each.value : undefined);
  known.checks.get(name)?.(choices);
  for (const each of args) checkCalls(each, known);
}

function unknownFunction(name: string, functions: ReadonlyMap<string, unknown>): SyntaxError {
  const nearest = nearestName(name, [...functions.keys()]);
  const hint = nearest === undefined ? "" : `; did you mean "${nearest}"?`;
  return new SyntaxError(`there is no function "${name}"${hint}`);
}

interface Token {
  readonly kind: "string" | "number" | "name" | "bracket";
  readonly text: string;
}

function tokenize(text: string): Token[] {
  const source = text.trim();
  const found: Token[] = [];
  tokens.lastIndex = 0;
  while (tokens.lastIndex < source.length) {
    const at = tokens.lastIndex;
    const [, string, number, name, bracket] = tokens.exec(source) ?? [];
    if (string !== undefined) found.push({ kind: "string", text: string });
    else if (number !== undefined) found.push({ kind: "number", text: number });
    else if (name !== undefined) found.push({ kind: "name", text: name });
    else if (bracket !== undefined) found.push({ kind: "bracket", text: bracket });
    else throw new SyntaxError(`unexpected "${source.slice(at).trim()}"`);
  }
  return found;
}

/** Parses a name followed by its arguments, up to a closing parenthesis or the end. */
function parseCall(found: readonly Token[], at: number): { expression: Expression; next: number } {
  const first = found[at];
  if (first === undefined) throw new SyntaxError("it is empty");
  if (first.kind !== "name" || first.text.startsWith(".")) return parseOperand(found, at);
  const args: Expression[] = [];
  let next = at + 1;
  while (next < found.length && found[next]?.text !== ")") {
    const operand = parseOperand(found, next);
    args.push(operand.expression);
    next = operand.next;
  }
  return { expression: { kind: "call", name: first.text, args }, next };
}

function parseOperand(found: readonly Token[], at: number): { expression: Expression; next: number } {
  const token = found[at];
  if (token === undefined) throw new SyntaxError("an argument is missing");
  if (token.text === "(") {
    const { expression, next } = parseCall(found, at + 1);
    if (found[next]?.text !== ")") throw new SyntaxError(`a ")" is missing`);
    return { expression, next: next + 1 };
  }
  if (token.kind === "bracket") throw new SyntaxError(`unexpected "${token.text}"`);
  return { expression: leaf(token), next: at + 1 };
}

function leaf({ kind, text }: Token): Expression {
  if (kind === "number") return { kind: "literal", value: Number(text) };
  if (kind === "string") {
    return { kind: "literal", value: text.startsWith("`") ? text.slice(1, -1) : JSON.parse(text) as string };
  }
  if (text.startsWith(".")) return { kind: "value", path: text.slice(1).split(".").filter((part) => part !== "") };
  return { kind: "call", name: text, args: [] };
}

/**
 * Reads a named value. Only own properties are read, so that a translation cannot access properties such as
 * `constructor`.
 */
function valueAt(data: unknown, path: readonly string[]): unknown {
  let value = data;
  for (const name of path) {
    if (typeof value !== "object" || value === null || !Object.hasOwn(value, name)) return undefined;
    value = (value as Record<string, unknown>)[name];
  }
  return value;
}
