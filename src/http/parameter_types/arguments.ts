/**
 * Parsing of function arguments in path templates.
 *
 * @module
 */

import type { Argument, ParamFunction } from "./functions.ts";
import type { Scanner } from "./scanner.ts";

/**
 * Reads the arguments and the closing parenthesis.
 *
 * @param scanner The scanner, positioned after the opening parenthesis.
 * @param reading How to parse the function's arguments; see {@linkcode ParamFunction.reading}.
 */
export function readArguments(scanner: Scanner, reading: ParamFunction["reading"]): Argument[] {
  const open = scanner.at - 1;
  const args = reading === "raw"
    ? readWhole(scanner, open)
    : reading === "values"
    ? readSeparated(scanner, open, ")", readList)
    : readItems(scanner, open, reading === "list");
  if (!scanner.take(")")) {
    throw scanner.ended() ? unclosed(scanner, open) : scanner.fail(`expected ")" but found "${scanner.peek()}"`);
  }
  return args;
}

function readItems(scanner: Scanner, open: number, list: boolean): string[] {
  scanner.skipSpaces();
  const items = list ? readList(scanner, open) : undefined;
  if (items === undefined) return readSeparated<never>(scanner, open, ")");
  scanner.skipSpaces();
  return items;
}

/** Reads a list in brackets. Returns `undefined` if there is none. */
function readList(scanner: Scanner, open: number): string[] | undefined {
  if (!scanner.take("[")) return undefined;
  const items = readSeparated<never>(scanner, open, "]");
  if (!scanner.take("]")) throw scanner.fail('expected "]"');
  return items;
}

/** Reads items separated by commas. Items of a special form are read by a function. */
function readSeparated<T>(
  scanner: Scanner,
  open: number,
  close: string,
  special?: (scanner: Scanner, open: number) => T | undefined,
): (string | T)[] {
  const items: (string | T)[] = [];
  scanner.skipSpaces();
  if (scanner.peek() === close) return items;
  do {
    scanner.skipSpaces();
    const start = scanner.at;
    const whole = special?.(scanner, open) ?? readQuoted(scanner, open, false);
    const item = whole ?? scanner.until(`,${close}`).trimEnd();
    if (scanner.ended()) throw unclosed(scanner, open);
    if (whole === undefined && item === "") throw scanner.fail("expected an argument", start);
    items.push(item);
    scanner.skipSpaces();
  } while (scanner.take(","));
  return items;
}

/** Reads a single argument up to the function's closing parenthesis. Quotes around the whole argument are removed. */
function readWhole(scanner: Scanner, open: number): string[] {
  const quoted = readQuoted(scanner, open, true);
  if (quoted !== undefined) return [quoted];
  const start = scanner.at;
  let depth = 0;
  let inClass = false;
  for (; !scanner.ended(); scanner.at++) {
    const character = scanner.peek();
    if (character === "\\") scanner.at++;
    else if (inClass) inClass = character !== "]";
    else if (character === "[") inClass = true;
    else if (character === "(") depth++;
    else if (character === ")" && depth-- === 0) break;
  }
  if (scanner.ended()) throw unclosed(scanner, open);
  const text = scanner.source.slice(start, scanner.at);
  return text === "" ? [] : [text];
}

/**
 * Reads a quoted string, in which a backslash escapes the next character. Returns `undefined` if there is no opening
 * quote.
 */
function readQuoted(scanner: Scanner, open: number, keepBackslash: boolean): string | undefined {
  const quote = scanner.peek();
  if (quote !== '"' && quote !== "'") return undefined;
  const start = scanner.at++;
  let text = "";
  for (; !scanner.ended(); scanner.at++) {
    const character = scanner.peek();
    if (character === quote) {
      scanner.at++;
      return text;
    }
    if (character === "\\") {
      scanner.at++;
      // Backslashes belong to the regular expression, unless they escape the quote.
      if (keepBackslash && scanner.peek() !== quote) text += "\\";
    }
    text += scanner.peek();
  }
  throw scanner.fail("a quote is not closed", start > open ? start : open);
}

function unclosed(scanner: Scanner, open: number): Error {
  return scanner.fail('"(" is not closed', open);
}
