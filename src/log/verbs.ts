/**
 * Formats single values with a verb, flags, a width and a precision, as in Go.
 *
 * @module
 */

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
 * Formats a value with one of the verbs `t b c d o x X e E f F g G s`.
 *
 * @param options The flags, the width and the precision, such as `-8.3`.
 * @param verb The verb.
 * @param value A number, or a string for `s`, `x` and `X`, or a boolean for `t`.
 */
export function formatVerb(options: string, verb: string, value: unknown): string {
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
  return signed(digits, value, precision === undefined ? layout : { ...layout, isZeroed: false });
}

function letterOf(code: number): string {
  try {
    return String.fromCodePoint(code);
  } catch {
    return "\ufffd";
  }
}

/** Returns the digits of a positive number for `e`, `f` or `g`. */
function floatDigits(value: number, verb: string, { flags, precision = 6 }: Layout): string {
  const isUpper = verb === "E" || verb === "G";
  const isSharp = flags.includes("#");
  if (/e/i.test(verb)) return exponential(value, precision, isUpper, isSharp);
  if (/f/i.test(verb)) return fixed(value, precision, isSharp);
  const most = Math.max(precision, 1);
  const exponent = Number(value.toExponential().split("e")[1]);
  const isFixed = exponent >= -4 && exponent < most;
  const digits = isFixed ? fixed(value, most - 1 - exponent, isSharp) : exponential(value, most - 1, isUpper, isSharp);
  return isSharp
    ? digits
    : digits.replace(/\.(\d*?)0*(e.*)?$/i, (_, kept: string, power = "") => (kept && `.${kept}`) + power);
}

function exponential(value: number, precision: number, isUpper: boolean, isSharp: boolean): string {
  const [digits = "", exponent = ""] = value.toExponential(Math.min(precision, MOST_DIGITS)).split("e");
  const power = exponent.replace(/(?<=^[+-])\d$/, "0$&");
  return `${withZeros(digits, precision, isSharp)}${isUpper ? "E" : "e"}${power}`;
}

function fixed(value: number, precision: number, isSharp: boolean): string {
  // The platform writes larger numbers with an exponent.
  const digits = value < 1e21 ? value.toFixed(Math.min(precision, MOST_DIGITS)) : `${BigInt(value)}.`;
  return withZeros(digits, precision, isSharp);
}

function withZeros(digits: string, precision: number, isSharp: boolean): string {
  const [whole = "", fraction = ""] = digits.split(".");
  return precision === 0 ? whole + (isSharp ? "." : "") : `${whole}.${fraction.padEnd(precision, "0")}`;
}

function signed(digits: string, value: number, layout: Layout): string {
  const { flags, width, isZeroed } = layout;
  const sign = value < 0 ? "-" : flags.includes("+") ? "+" : flags.includes(" ") ? " " : "";
  return isZeroed ? sign + digits.padStart(width - sign.length, "0") : fill(sign + digits, layout);
}

function fill(text: string, { flags, width, isZeroed }: Layout): string {
  return flags.includes("-") ? text.padEnd(width) : text.padStart(width, isZeroed ? "0" : " ");
}
