/**
 * Finds literal status codes in a method's source, such as 201 in `return mvc.Tuple(user, 201)`.
 *
 * @module
 */

import { Tokenizer } from "../../base/signature/js_tokenizer.ts";

/**
 * Finds the literal status codes that a controller method returns.
 *
 * @param owner The controller's class.
 * @param action The method's name.
 * @returns The unique status codes, or an empty array if the source cannot be parsed.
 */
export function literalStatuses(owner: object, action: string): number[] {
  const method: unknown = Object(Object(owner)["prototype"])[action];
  if (typeof method !== "function") return [];
  try {
    return [...new Set(statusesIn(Function.prototype.toString.call(method)))];
  } catch {
    return [];
  }
}

function statusesIn(source: string): number[] {
  const tokens = tokensOf(source);
  const found: number[] = [];
  for (let at = 0; at + 1 < tokens.length; at++) {
    if (tokens[at] !== "Tuple" || tokens[at + 1] !== "(") continue;
    for (const argument of argumentsFrom(tokens, at + 2)) {
      const [only = "", another] = argument;
      if (another === undefined && /^[2-5]\d\d$/.test(only)) found.push(Number(only));
    }
  }
  return found;
}

function tokensOf(source: string): string[] {
  const tokenizer = new Tokenizer(source);
  const tokens: string[] = [];
  for (let token = tokenizer.next(); token.kind !== "end"; token = tokenizer.next()) tokens.push(token.text);
  return tokens;
}

/** Returns the tokens of each argument of a call, up to its closing parenthesis. */
function argumentsFrom(tokens: readonly string[], start: number): string[][] {
  const args: string[][] = [[]];
  let depth = 0;
  for (let at = start; at < tokens.length; at++) {
    const text = tokens[at] ?? "";
    if (depth === 0 && text === ")") break;
    if (/^[([{]$/.test(text)) depth++;
    if (/^[)\]}]$/.test(text)) depth--;
    if (depth === 0 && text === ",") args.push([]);
    else args.at(-1)?.push(text);
  }
  return args;
}
