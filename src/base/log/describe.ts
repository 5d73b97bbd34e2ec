/**
 * Formatting of values in log lines.
 *
 * @module
 */

/** The maximum number of causes and nested errors to follow. */
const DEPTH = 8;
/** The maximum number of message lines to show. */
const MESSAGE_LINES = 40;

/**
 * Characters that could end a line, move a terminal's cursor or reverse the text direction. This includes all control
 * characters except the tab.
 */
// deno-lint-ignore no-control-regex
const UNSAFE = /[\x00-\x08\x0a-\x1f\x7f-\x9f\u200e\u200f\u2028-\u202e\u2066-\u2069]/;
const EVERY_UNSAFE = new RegExp(UNSAFE, "g");
const SHORT: Record<string, string> = { "\n": "\\n", "\r": "\\r", "\b": "\\b", "\f": "\\f", "\v": "\\v" };

/**
 * Replaces characters that could forge a log line or control a terminal with visible escape sequences.
 *
 * @param text The text, which may come from a client.
 */
export function escapeControls(text: string): string {
  return UNSAFE.test(text) ? text.replace(EVERY_UNSAFE, visible) : text;
}

/**
 * Formats a value on one line. Strings are unchanged, errors are shown by name and message, and other values are shown
 * as Deno displays them.
 *
 * @param value The value to format.
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
 * Formats a value for the first line of a log entry. If an error message has several lines, only the first one is used,
 * because {@linkcode traceOf} returns the others.
 *
 * @param value The value to format.
 */
export function describeHead(value: unknown): string {
  const text = describe(value);
  return value instanceof Error ? text.split("\n", 1)[0] ?? "" : text;
}

/**
 * Returns the remaining message lines, the stack trace and the causes of an error. They are written below the line with
 * the error's name.
 *
 * @param error The error to describe.
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
  // Indent each line here, so that a message that looks like a log line is still recognizable as a part of this entry.
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

/**
 * Returns the message lines after the first one, such as the failing part of a template. They are marked, because a
 * message could look like a stack trace.
 */
function messageRest(error: Error): string[] {
  const lines = String(error.message).split("\n").map((line) => line.trimEnd());
  return lines.slice(1, MESSAGE_LINES).filter((line) => line !== "").map((line) => `| ${line}`);
}

/** Returns the stack trace without the message. The message is shown elsewhere and may have several lines. */
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
