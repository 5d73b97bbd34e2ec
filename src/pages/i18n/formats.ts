/**
 * The functions available in translations: dates, numbers and lists in the language's format.
 *
 * @module
 */

import { RecentMap } from "../../base/data/recent_map.ts";
import { FrameworkError } from "../../base/errors/errors.ts";

/** A function that translations can call. */
export type MessageFunc = (...args: never[]) => unknown;

type DateStyle = "full" | "long" | "medium" | "short";
type Dated = Date | number | string | null | undefined;
type Counted = number | bigint | null | undefined;

const dateStyles: ReadonlySet<string> = new Set(["full", "long", "medium", "short"]);
/** Matches a date without a time, which is the same day everywhere. */
const plainDate = /^\d{4}-\d\d-\d\d$/;

/**
 * Creates the built-in functions for a language. The functions for dates take a style and a time zone after the value,
 * in any order. A missing value is an empty string, like `{{.Name}}` without a name.
 *
 * @param tag The language tag.
 * @param zone The default time zone. If empty, it is that of the system.
 */
export function formatsOf(tag: string, zone = ""): Record<string, MessageFunc> {
  const dates = (toOptions: (style: DateStyle | undefined) => Intl.DateTimeFormatOptions) => {
    return (value: Dated, ...choices: string[]) => {
      const { style, timeZone = zone } = readChoices(choices);
      return dateIn(tag, value, toOptions(style), timeZone);
    };
  };
  return {
    date: dates((style = "medium") => ({ dateStyle: style })),
    time: dates((style = "short") => ({ timeStyle: style })),
    datetime: dates((style = "medium") => ({ dateStyle: style, timeStyle: "short" })),
    number: (value: Counted, digits?: number) =>
      numberIn(
        tag,
        value,
        digits === undefined ? {} : { minimumFractionDigits: digits, maximumFractionDigits: digits },
      ),
    percent: (value: Counted, digits = 0) => numberIn(tag, value, { style: "percent", maximumFractionDigits: digits }),
    currency: (value: Counted, currency: string) => numberIn(tag, value, { style: "currency", currency }),
    list: (values: readonly string[], type: "conjunction" | "disjunction" = "conjunction") =>
      new Intl.ListFormat(tag, { type }).format(values),
    call: (fn: (...args: unknown[]) => unknown, ...args: unknown[]) => fn(...args),
  };
}

/** Checks the constant arguments of a built-in function, so that a mistake is reported when translations are loaded. */
export const formatChecks: Readonly<Record<string, (choices: readonly unknown[]) => void>> = {
  date: readChoices,
  time: readChoices,
  datetime: readChoices,
  currency: ([currency]) => {
    if (currency !== undefined) optionsOf("currency", currency, () => numberFormat("en", currencyOptions(currency)));
  },
};

/**
 * Throws if a time zone does not exist.
 *
 * @throws {FrameworkError} If the system does not know the time zone.
 */
export function checkZone(zone: string): void {
  if (zone !== "") optionsOf("time zone", zone, () => dateFormat("en", { timeZone: zone }));
}

/** The style and the time zone of a date. */
interface DateChoices {
  readonly style?: DateStyle;
  readonly timeZone?: string;
}

function readChoices(choices: readonly unknown[]): DateChoices {
  let read: DateChoices = {};
  for (const choice of choices) {
    if (choice === undefined || choice === null || choice === "") continue;
    const text = String(choice);
    if (dateStyles.has(text)) read = { ...read, style: text as DateStyle };
    else {
      checkZone(text);
      read = { ...read, timeZone: text };
    }
  }
  return read;
}

// Creating a formatter takes about 20 µs, and using one takes 0.3 µs. Time zones may come from users, who can spell
// them in many ways.
const formatters = new RecentMap<Intl.DateTimeFormat | Intl.NumberFormat>({ most: 1000 });

function dateIn(tag: string, value: Dated, options: Intl.DateTimeFormatOptions, zone: string): string {
  if (value === undefined || value === null) return "";
  const timeZone = typeof value === "string" && plainDate.test(value) ? "UTC" : zone;
  // Dates from booleans and objects would be in 1970.
  const date = value instanceof Date || ["number", "string"].includes(typeof value) ? new Date(value) : undefined;
  if (date === undefined || Number.isNaN(date.getTime())) {
    throw new FrameworkError("FW_LANGUAGE", `Cannot format "${String(value)}" as a date: it is not a valid date`);
  }
  return dateFormat(tag, timeZone === "" ? options : { ...options, timeZone }).format(date);
}

function numberIn(tag: string, value: Counted, options: Intl.NumberFormatOptions): string {
  return value === undefined || value === null ? "" : numberFormat(tag, options).format(value);
}

function currencyOptions(currency: unknown): Intl.NumberFormatOptions {
  return { style: "currency", currency: String(currency) };
}

function dateFormat(tag: string, options: Intl.DateTimeFormatOptions): Intl.DateTimeFormat {
  const key = `date ${tag} ${JSON.stringify(options)}`;
  let formatter = formatters.get(key) as Intl.DateTimeFormat | undefined;
  if (formatter === undefined) formatters.set(key, formatter = new Intl.DateTimeFormat(tag, options));
  return formatter;
}

function numberFormat(tag: string, options: Intl.NumberFormatOptions): Intl.NumberFormat {
  const key = `number ${tag} ${JSON.stringify(options)}`;
  let formatter = formatters.get(key) as Intl.NumberFormat | undefined;
  if (formatter === undefined) formatters.set(key, formatter = new Intl.NumberFormat(tag, options));
  return formatter;
}

/** Creates a formatter and names the option that it rejects. */
function optionsOf(kind: string, value: unknown, create: () => unknown): void {
  try {
    create();
  } catch (cause) {
    const hint = kind === "time zone" ? '; use a name such as "Europe/Athens", or a style such as "short"' : "";
    throw new FrameworkError("FW_LANGUAGE", `Cannot use the ${kind} "${value}": it does not exist${hint}`, { cause });
  }
}
