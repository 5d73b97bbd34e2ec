/**
 * Values as the log writes them: described one by one, or filled into a format.
 *
 * @module
 */

import { sprintf } from "@std/fmt/printf";

/** How far a chain of causes and a list of errors are followed. */
const DEPTH = 8;
/** How many lines of a message are shown. */
const MESSAGE_LINES = 40;

/** Characters that could end a line, move a terminal's cursor or turn text around: all controls but the tab. */
// deno-lint-ignore no-control-regex
const UNSAFE = /[\x00-\x08\x0a-\x1f\x7f-\x9f\u200e\u200f\u2028-\u202e\u2066-\u2069]/;
const EVERY_UNSAFE = new RegExp(UNSAFE, "g");
const SHORT: Record<string, string> = { "\n": "\\n", "\r": "\\r", "\b": "\\b", "\f": "\\f", "\v": "\\v" };

/**
 * Writes what could forge a line or steer a terminal as visible escapes.
 *
 * @param text The text, which a client may have chosen.
 */
export function escapeControls(text: string): string {
  return UNSAFE.test(text) ? text.replace(EVERY_UNSAFE, visible) : text;
}

/**
 * Describes a value on one line: a string as it is, an error by name and message, anything else as Deno shows it.
 *
 * @param value The value.
 */
export function describe(value: unknown): string {
  if (typeof value === "string") return value;
  try {
    if (value instanceof Error) return headOf(value);
    return Deno.inspect(value, { colors: false, compact: true, breakLength: Infinity, depth: 6 });
  } catch {
    return "[a value that cannot be shown]";
  }
}

/**
 * Describes a value for the first line of an entry: of an error whose message has several lines, the first, as the
 * others are part of {@linkcode traceOf}.
 *
 * @param value The value.
 */
export function describeHead(value: unknown): string {
  const text = describe(value);
  return value instanceof Error ? text.split("\n", 1)[0] ?? "" : text;
}

/**
 * Lists what else an error says, where it comes from and what caused it, for the lines below the one that names it.
 *
 * @param error The error.
 * @returns The lines, indented and safe to print.
 */
export function traceOf(error: Error): string[] {
  const lines: string[] = [];
  try {
    trace(error, "    ", lines, new Set());
  } catch {
    lines.push("    [a stack that cannot be shown]");
  }
  return lines;
}

function trace(error: Error, indent: string, lines: string[], seen: Set<unknown>): void {
  seen.add(error);
  // Every line gets its indent here, so a message that imitates a log line stays visibly a part of this one.
  for (const line of [...messageRest(error), ...framesOf(error)]) lines.push(indent + escapeControls(line));
  if (error instanceof AggregateError) {
    for (const inner of error.errors.slice(0, DEPTH)) related("With", inner, indent, lines, seen);
  }
  if (error.cause !== undefined) related("Caused by", error.cause, indent, lines, seen);
}

function related(how: string, value: unknown, indent: string, lines: string[], seen: Set<unknown>): void {
  if (seen.has(value) || seen.size >= DEPTH) return;
  lines.push(`${indent}${how}: ${escapeControls(describeHead(value))}`);
  if (value instanceof Error) trace(value, `${indent}  `, lines, seen);
}

/** The lines of the message after the first, such as the part of a template that failed. Marked, since a message may
 * imitate the lines of a stack. */
function messageRest(error: Error): string[] {
  const lines = String(error.message).split("\n").map((line) => line.trimEnd());
  return lines.slice(1, MESSAGE_LINES).filter((line) => line !== "").map((line) => `| ${line}`);
}

/** The lines of the stack after the message, which is shown elsewhere and may itself have several lines. */
function framesOf(error: Error): string[] {
  const stack = typeof error.stack === "string" ? error.stack : "";
  const message = String(error.message);
  const at = stack.indexOf(message);
  const afterMessage = at >= 0 && !stack.slice(0, at).includes("\n");
  const rest = afterMessage ? stack.slice(at + message.length) : stack;
  return rest.split("\n").slice(1).map((line) => line.trim()).filter((line) => line !== "");
}

function headOf(error: Error): string {
  const name = String(error.name);
  const message = String(error.message);
  return message === "" ? name : `${name}: ${message}`;
}

function visible(character: string): string {
  const code = character.charCodeAt(0);
  return SHORT[character] ??
    (code < 0x100 ? `\\x${code.toString(16).padStart(2, "0")}` : `\\u${code.toString(16).padStart(4, "0")}`);
}

// `%`, flags, width, precision, argument index, verb. A width begins with a digit other than 0, which is a flag: zeros
// that may be both would be tried as both, over and over.
const DIRECTIVE = /%([-+# 0]*)(\*|[1-9]\d*)?(?:\.(\*|\d*))?(?:\[(\d+)\])?([a-zA-Z%]|$)/g;

/** The verbs for numbers, and those of them that take a text as well. */
const NUMBER_VERBS = "dboxXeEfFgGcU";
const HEX_VERBS = "xX";

/**
 * Formats as Go's `Sprintf` does: `%v %+v %s %q %d %t %x %f %e %g %c %b %o %T %j`, flags, width, precision, `%[n]d`.
 * It takes every value for every verb and never throws, for a log line must not end the request that it tells of.
 *
 * @param format The format.
 * @param args The arguments.
 * @param onError Called with each error that `%+v` names, so that its stack can be shown elsewhere.
 */
export function formatVerbs(format: string, args: readonly unknown[], onError?: (error: Error) => void): string {
  if (typeof format !== "string") format = describe(format);
  let next = 0;
  let indexed = false;
  const text = format.replace(
    DIRECTIVE,
    (_, flags: string, width?: string, precision?: string, index?: string, verb = "") => {
      if (verb === "%") return "%";
      if (verb === "") return "%!(NOVERB)";
      if (width === "*") width = describe(args[next++]);
      if (precision === "*") precision = describe(args[next++]);
      if (index !== undefined) {
        next = Number(index) - 1;
        indexed = true;
      }
      if (next < 0 || next >= args.length) return `%!${verb}(MISSING)`;
      const options = flags + (width ?? "") + (precision === undefined ? "" : `.${precision}`);
      const value = args[next++];
      if (onError === undefined || verb !== "v" || !flags.includes("+") || !(value instanceof Error)) {
        return formatOne(options, verb, value);
      }
      onError(value);
      return formatOne(options, verb, describeHead(value));
    },
  );
  if (indexed || next >= args.length) return text;
  return `${text}%!(EXTRA ${args.slice(next).map(describe).join(", ")})`;
}

function formatOne(options: string, verb: string, value: unknown): string {
  // Most lines hold nothing but these two: 0.5 µs per verb in place of 2 µs through @std/fmt.
  if (options === "" && (typeof value === "string" ? verb === "s" : verb === "d" && Number.isSafeInteger(value))) {
    return String(value);
  }
  if (verb === "T") return value instanceof Object ? value.constructor?.name ?? "object" : typeof value;
  if (typeof value === "bigint" && NUMBER_VERBS.includes(verb)) return formatBigInt(options, verb, value);
  const fits = NUMBER_VERBS.includes(verb)
    ? typeof value === "number" || (HEX_VERBS.includes(verb) && typeof value === "string")
    : verb === "t" && typeof value === "boolean";
  if (fits) return call(options + verb, value);
  const text = verb === "q" ? JSON.stringify(describe(value)) : verb === "j" ? json(value) : describe(value);
  return formatText(options, text);
}

/** @std/fmt does not accept a bigint; as a number it may lose digits, so only the verbs that round anyway make it one. */
function formatBigInt(options: string, verb: string, value: bigint): string {
  const radix = { d: 10, b: 2, o: 8, x: 16, X: 16 }[verb];
  if (radix === undefined || Number.isSafeInteger(Number(value))) return call(options + verb, Number(value));
  const digits = value.toString(radix);
  return formatText(options, verb === "X" ? digits.toUpperCase() : digits);
}

/** A text takes width and precision, and of the flags only the one that moves it to the left. */
function formatText(options: string, text: string): string {
  const fit = options.replace(/^[-+# 0]*/, (flags) => flags.includes("-") ? "-" : "");
  return fit === "" ? text : call(`${fit}s`, text);
}

function call(directive: string, value: unknown): string {
  try {
    return sprintf(`%${directive}`, value);
  } catch {
    return describe(value);
  }
}

function json(value: unknown): string {
  try {
    return JSON.stringify(value) ?? describe(value);
  } catch {
    return describe(value);
  }
}
