/**
 * Parsing of function arguments in path templates.
 *
 * @module
 */

import type { ParamFunction } from "./functions.ts";
import type { Scanner } from "./scanner.ts";

/**
 * Reads the arguments and the closing parenthesis.
 *
 * @param scanner The scanner, positioned after the opening parenthesis.
 * @param reading How to parse the function's arguments; see {@linkcode ParamFunction.reading}.
 */
export function readArguments(scanner: Scanner, reading: ParamFunction["reading"]): string[] {
  const open = scanner.at - 1;
  const args = reading === "raw" ? readWhole(scanner, open) : readItems(scanner, open, reading === "list");
  if (!scanner.take(")")) {
    throw scanner.ended() ? unclosed(scanner, open) : scanner.fail(`expected ")" but found "${scanner.peek()}"`);
  }
  return args;
}

function readItems(scanner: Scanner, open: number, list: boolean): string[] {
  scanner.skipSpaces();
  if (list && scanner.peek() === "[") {
    scanner.at++;
    const items = readSeparated(scanner, open, "]");
    if (!scanner.take("]")) throw scanner.fail('expected "]"');
    scanner.skipSpaces();
    return items;
  }
  return readSeparated(scanner, open, ")");
}

function readSeparated(scanner: Scanner, open: number, close: string): string[] {
  const items: string[] = [];
  scanner.skipSpaces();
  if (scanner.peek() === close) return items;
  do {
    scanner.skipSpaces();
    const start = scanner.at;
    const quoted = readQuoted(scanner, open, false);
    const item = quoted ?? scanner.until(`,${close}`).trimEnd();
    if (scanner.ended()) throw unclosed(scanner, open);
    if (quoted === undefined && item === "") throw scanner.fail("expected an argument", start);
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
