/**
 * Implements Go's formatting verbs for the logger. Each argument is converted to a type that its verb accepts and then
 * formatted.
 *
 * @module
 */

import { describe, describeHead } from "./describe.ts";
import { formatVerb } from "./verbs.ts";

// `%`, flags, width, precision, argument index, verb. A width cannot start with 0, because that is a flag. If a zero
// could be either, the expression would backtrack excessively.
const DIRECTIVE = /%([-+# 0]*)(\*|[1-9]\d*)?(?:\.(\*|\d*))?(?:\[(\d+)\])?([a-zA-Z%]|$)/g;

/** The verbs for numbers, and those among them that also accept strings. */
const NUMBER_VERBS = "dboxXeEfFgGcU";
const HEX_VERBS = "xX";

/**
 * Formats a string like Go's `Sprintf`. Supports `%v %+v %s %q %d %t %x %f %e %g %c %b %o %T %j`, flags, width,
 * precision and `%[n]d`. Every verb accepts every value, and the function never throws, because a log call must not
 * fail a request.
 *
 * @param format The format string.
 * @param args The values for the verbs.
 * @param onError Called with each error formatted by `%+v`, so that its stack trace can be shown elsewhere.
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
      let fault = "";
      if (width !== undefined && !isBounded(width, /^-?\d+$/)) [width, fault] = [undefined, "%!(BADWIDTH)"];
      if (precision !== undefined && !isBounded(precision, /^\d*$/)) {
        [precision, fault] = [undefined, `${fault}%!(BADPREC)`];
      }
      if (index !== undefined) {
        next = Number(index) - 1;
        indexed = true;
      }
      if (next < 0 || next >= args.length) return `${fault}%!${verb}(MISSING)`;
      const options = flags + (width ?? "") + (precision === undefined ? "" : `.${precision}`);
      const value = args[next++];
      if (onError === undefined || verb !== "v" || !flags.includes("+") || !(value instanceof Error)) {
        return fault + formatOne(options, verb, value);
      }
      onError(value);
      return fault + formatOne(options, verb, describeHead(value));
    },
  );
  if (indexed || next >= args.length) return text;
  return `${text}%!(EXTRA ${args.slice(next).map(describe).join(", ")})`;
}

/** Reports whether a width or precision is a number no greater than one million, Go's limit. */
function isBounded(text: string, shape: RegExp): boolean {
  return shape.test(text) && Math.abs(Number(text)) <= 1_000_000;
}

function formatOne(options: string, verb: string, value: unknown): string {
  // Most lines use only these two verbs. Handling them here is quicker.
  if (options === "" && (typeof value === "string" ? verb === "s" : verb === "d" && Number.isSafeInteger(value))) {
    return String(value);
  }
  if (verb === "T") return value instanceof Object ? value.constructor?.name ?? "object" : typeof value;
  if (typeof value === "bigint" && NUMBER_VERBS.includes(verb)) return formatBigInt(options, verb, value);
  const fits = NUMBER_VERBS.includes(verb)
    ? typeof value === "number" || (HEX_VERBS.includes(verb) && typeof value === "string")
    : verb === "t" && typeof value === "boolean";
  if (fits) return formatVerb(options, verb, value);
  const text = verb === "q" ? JSON.stringify(describe(value)) : verb === "j" ? json(value) : describe(value);
  return formatText(options, text);
}

/**
 * Formats a bigint, which may have too many digits for a number. Converting it to a number may lose digits, so this is only done for
 * verbs that round anyway.
 */
function formatBigInt(options: string, verb: string, value: bigint): string {
  const radix = { d: 10, b: 2, o: 8, x: 16, X: 16 }[verb];
  if (radix === undefined || Number.isSafeInteger(Number(value))) return formatVerb(options, verb, Number(value));
  const digits = value.toString(radix);
  return formatText(options, verb === "X" ? digits.toUpperCase() : digits);
}

/** Formats a string with a width and a precision. Left alignment is the only flag that applies. */
function formatText(options: string, text: string): string {
  const fit = options.replace(/^[-+# 0]*/, (flags) => flags.includes("-") ? "-" : "");
  return fit === "" ? text : formatVerb(fit, "s", text);
}

function json(value: unknown): string {
  try {
    return JSON.stringify(value) ?? describe(value);
  } catch {
    return describe(value);
  }
}
