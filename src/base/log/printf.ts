/**
 * Implements Go's formatting verbs for the logger. Each argument is converted to a type that its verb accepts and then
 * formatted.
 *
 * @module
 */

import { describe, describeHead } from "./describe.ts";

// `%`, flags, width, precision, argument index, verb. A width cannot start with 0, because that is a flag. If a zero
// could be either, the expression would backtrack excessively.
const DIRECTIVE = /%([-+# 0]*)(\*|[1-9]\d*)?(?:\.(\*|\d*))?(?:\[(\d+)\])?([a-zA-Z%]|$)/g;

/** The verbs for numbers, and those among them that also accept strings. */
const NUMBER_VERBS = "dboxXeEfFgGcU";
const HEX_VERBS = "xX";

/** The flags, the width and the precision of a verb. */
interface Layout {
  readonly flags: string;
  readonly width: number;
  readonly precision: number | undefined;
  /** Whether a number is filled with zeros instead of spaces. */
  readonly isZeroed: boolean;
}

const bases: Readonly<Record<string, number>> = { d: 10, b: 2, o: 8, x: 16, X: 16 };
const prefixes: Readonly<Record<number, string>> = { 2: "0b", 8: "0", 16: "0x" };
/** The most digits that the platform writes after the point. Go writes zeros after them. */
const MOST_DIGITS = 100;
// deno-lint-ignore no-control-regex -- the colors of a terminal begin with one
const colors = /\x1b\[[\d;]*m/g;

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
 * Formats a bigint. Converting it to a number may lose digits, so this is only done for small ones and for verbs that
 * round anyway.
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

/**
 * Formats a value with one of the verbs `t b c d o x X e E f F g G s`.
 *
 * @param options The flags, the width and the precision, such as `-8.3`.
 * @param verb The verb.
 * @param value A number, or a string for `s`, `x` and `X`, or a boolean for `t`.
 */
function formatVerb(options: string, verb: string, value: unknown): string {
  const [, flags = "", width = "", precision] = /^([-+# 0]*)(\d*)(?:\.(\d*))?$/.exec(options) ?? [];
  const layout = {
    flags,
    width: Number(width),
    precision: precision === undefined ? undefined : Number(precision),
    isZeroed: flags.includes("0") && !flags.includes("-"),
  };
  if (typeof value !== "number") return formatString(String(value), verb, layout);
  const base = bases[verb];
  if (base !== undefined) return formatInteger(value, base, verb, layout);
  if (verb === "c") return fill(letterOf(value), layout);
  if (!/[efg]/i.test(verb)) return `%!(BAD VERB '${verb}')`;
  if (Number.isFinite(value)) return signed(floatDigits(Math.abs(value), verb, layout), value, layout);
  const plain = { ...layout, isZeroed: false };
  return Number.isNaN(value) ? signed("NaN", 0, plain) : signed("Inf", value, { ...plain, flags: `${flags}+` });
}

function formatString(text: string, verb: string, layout: Layout): string {
  const { flags, precision, width } = layout;
  if (verb === "t") return fill(text, layout);
  const shown = text.slice(0, precision);
  if (verb === "s") return fill(shown, { ...layout, width: width + shown.length - shown.replace(colors, "").length });
  const prefix = flags.includes("#") && text !== "" ? "0x" : "";
  const bytes = Array.from(
    { length: shown.length },
    (_, at) => (shown.charCodeAt(at) & 0xff).toString(16).padStart(2, "0"),
  );
  const hex = prefix + bytes.join(flags.includes(" ") ? ` ${prefix}` : "");
  return fill(verb === "X" ? hex.toUpperCase() : hex, layout);
}

function formatInteger(value: number, base: number, verb: string, layout: Layout): string {
  const { flags, precision } = layout;
  let digits = Math.abs(value).toString(base);
  if (precision !== undefined) digits = value === 0 && precision === 0 ? "" : digits.padStart(precision, "0");
  const prefix = flags.includes("#") && !(base === 8 && digits.startsWith("0")) ? prefixes[base] ?? "" : "";
  if (digits !== "") digits = prefix + digits;
  if (verb === "X") digits = digits.toUpperCase();
  return signed(digits, value || 0, precision === undefined ? layout : { ...layout, isZeroed: false });
}

function letterOf(code: number): string {
  try {
    return String.fromCodePoint(code);
  } catch {
    return "\ufffd";
  }
}

/** Returns the digits of a positive number for `e`, `f` or `g`. */
function floatDigits(value: number, verb: string, { flags, precision: given }: Layout): string {
  const isUpper = verb === "E" || verb === "G";
  const isSharp = flags.includes("#");
  const precision = given ?? 6;
  if (/e/i.test(verb)) return exponential(value, precision, isUpper, isSharp);
  if (/f/i.test(verb)) return fixed(value, precision, isSharp);
  // Without a precision, `g` writes as many digits as needed to read the number again.
  const [shortest = "", power] = value.toExponential().split("e");
  const isShortest = given === undefined && !isSharp;
  const most = isShortest ? Math.max(shortest.length - 1, 1) : Math.max(precision, 1);
  const exponent = isShortest ? Number(power) : Number(exponential(value, most - 1, false, false).split("e")[1]);
  const isFixed = exponent >= -4 && exponent < (isShortest ? 6 : most);
  const digits = isFixed
    ? fixed(value, Math.max(most - 1 - exponent, 0), isSharp)
    : exponential(value, most - 1, isUpper, isSharp);
  return isSharp
    ? digits
    : digits.replace(/\.(\d*?)0*(e.*)?$/i, (_, kept: string, power = "") => (kept && `.${kept}`) + power);
}

function exponential(value: number, precision: number, isUpper: boolean, isSharp: boolean): string {
  const most = Math.min(precision, MOST_DIGITS);
  const [digits = "", exponent = ""] = toEven(value.toExponential(most), value.toExponential(exact(most)), most)
    .split("e");
  const power = exponent.replace(/(?<=^[+-])\d$/, "0$&");
  return `${withZeros(digits, precision, isSharp)}${isUpper ? "E" : "e"}${power}`;
}

function fixed(value: number, precision: number, isSharp: boolean): string {
  // The platform writes larger numbers with an exponent.
  const most = Math.min(precision, MOST_DIGITS);
  const digits = value < 1e21 ? toEven(value.toFixed(most), value.toFixed(exact(most)), most) : `${BigInt(value)}.`;
  return withZeros(digits, precision, isSharp);
}

/** Returns a precision that shows whether a number is exactly between two others. */
function exact(precision: number): number {
  return Math.min(precision + 25, MOST_DIGITS);
}

/**
 * Rounds a number that is exactly between two others to the even one, as Go does. The platform rounds it up.
 *
 * @param rounded The digits, as the platform rounds them.
 * @param longer The same number with more digits.
 * @param precision The number of digits after the point.
 */
function toEven(rounded: string, longer: string, precision: number): string {
  const [digits = "", power] = longer.split("e");
  const point = digits.indexOf(".");
  const kept = digits.slice(0, precision === 0 ? point : point + 1 + precision);
  const isTie = /^50*$/.test(digits.slice(point + 1 + precision));
  if (!isTie || Number(kept.at(-1)) % 2 === 1) return rounded;
  return power === undefined ? kept : `${kept}e${power}`;
}

function withZeros(digits: string, precision: number, isSharp: boolean): string {
  const [whole = "", fraction = ""] = digits.split(".");
  return precision === 0 ? whole + (isSharp ? "." : "") : `${whole}.${fraction.padEnd(precision, "0")}`;
}

function signed(digits: string, value: number, layout: Layout): string {
  const { flags, width, isZeroed } = layout;
  const sign = value < 0 || Object.is(value, -0) ? "-" : flags.includes("+") ? "+" : flags.includes(" ") ? " " : "";
  return isZeroed ? sign + digits.padStart(width - sign.length, "0") : fill(sign + digits, layout);
}

function fill(text: string, { flags, width, isZeroed }: Layout): string {
  return flags.includes("-") ? text.padEnd(width) : text.padStart(width, isZeroed ? "0" : " ");
}
