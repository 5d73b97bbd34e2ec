/**
 * Values as the log writes them, described one by one.
 *
 * @module
 */

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
