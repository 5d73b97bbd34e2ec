/**
 * How entries are written: one line each, whatever clients put into them.
 *
 * @module
 */

import { FrameworkError } from "../../base/errors.ts";
import { escapeControls } from "../../log/describe.ts";
import { addFields, textFields } from "../../log/fields.ts";
import { safeJSON } from "../../log/line.ts";
import type { Entry } from "./entry.ts";

/** Writes an entry as one line, without its line break. */
export type Formatter = (entry: Entry) => string;

/** What needs no escape: between bars, and between the quotes of JSON. */
const [plainText, plainJSON] = [/^[ -{}~]*$/, /^[ !#-[\]-~]*$/];

/** One column of the log, in all formats. */
interface Column {
  /** Its name in JSON, after Iris. */
  readonly member: string;
  /** Whether a client or a token may have chosen the value, so that it has to be escaped. */
  readonly isSupplied: boolean;
  /** Whether the text is in quotes where it needs them. */
  readonly isQuoted: boolean;
  /** The value between bars and in templates. */
  text(entry: Entry): string;
  /** The value in CSV, before it is quoted. */
  csv(entry: Entry): string;
  /** The value as a JSON literal; empty to leave the member out. */
  json(entry: Entry): string;
}

/** The columns of lines, in the order in which they are written. */
const lineColumns = {
  Timestamp: own("timestamp", timeOf, (entry) => `"${timeOf(entry)}"`),
  Latency: {
    ...own("latency_ms", (entry) => duration(entry.Latency), (entry) => String(milliseconds(entry.Latency))),
    csv: (entry: Entry) => String(milliseconds(entry.Latency)),
  },
  Status: count("status", (entry) => entry.Status),
  Method: supplied("method", (entry) => entry.Method),
  Path: supplied("path", (entry) => entry.Path),
  Route: supplied("route", (entry) => entry.Route),
  IP: supplied("ip", (entry) => entry.IP),
  ID: supplied("request_id", (entry) => entry.ID),
  User: supplied("user", (entry) => entry.User),
  Params: fields("params", (entry) => entry.Params),
  Fields: fields("fields", (entry) => entry.Fields),
  BytesReceived: count("bytes_received", (entry) => entry.BytesReceived),
  BytesSent: count("bytes_sent", (entry) => entry.BytesSent),
  Error: supplied("error", (entry) => entry.Error),
} as const;

/** All columns, for templates. */
const columns: { readonly [name in keyof Entry]: Column } = {
  ...lineColumns,
  UserAgent: supplied("user_agent", (entry) => entry.UserAgent),
  Referrer: supplied("referrer", (entry) => entry.Referrer),
  Protocol: supplied("protocol", (entry) => entry.Protocol),
};

const names = Object.keys(columns);
const rows: readonly Column[] = Object.values(lineColumns);

/** A column that fw writes itself. */
function own(member: string, text: Formatter, json: Formatter): Column {
  return { member, isSupplied: false, isQuoted: false, text, csv: text, json };
}

function count(member: string, read: (entry: Entry) => number): Column {
  const text = (entry: Entry) => String(read(entry));
  return own(member, text, text);
}

function supplied(member: string, read: Formatter): Column {
  const json = (entry: Entry) => read(entry) === "" ? "" : quoted(read(entry));
  return { ...own(member, read, json), isSupplied: true };
}

/** A column of names and values, whose values are quoted where they need it. */
function fields(member: string, read: (entry: Entry) => { readonly [name: string]: unknown }): Column {
  const text = (entry: Entry) => isEmpty(read(entry)) ? "" : textFields(read(entry)).trimStart();
  return { ...own(member, text, (entry) => jsonObject(read(entry))), isSupplied: true, isQuoted: true };
}

/** The name of a format that fw brings. */
export type FormatName = "text" | "json" | "csv" | "common" | "combined";

const formats: { readonly [name in FormatName]: Formatter } = {
  text: textLine,
  json: jsonLine,
  csv: csvLine,
  common: commonLine,
  combined: (entry) => `${commonLine(entry)} ${inQuotes(entry.Referrer || "-")} ${inQuotes(entry.UserAgent || "-")}`,
};

/** Finds the formatter of a name, or builds it from a template: a text with columns in braces. */
export function formatterOf(format: FormatName | (string & Record<never, never>) | Formatter): Formatter {
  if (typeof format === "function") return (entry) => escapeControls(format(entry));
  return Object.hasOwn(formats, format) ? formats[format as FormatName] : templateOf(format);
}

/** The first line of a file in CSV. */
export function csvHeader(): string {
  return Object.keys(lineColumns).join(",");
}

/** A line as Apache's and nginx's: what most programs that read access logs expect. */
function commonLine(entry: Entry): string {
  const user = entry.User === "" ? "-" : escapeControls(entry.User).replace(/[\s"]/g, hexEscape);
  const request = inQuotes(`${entry.Method} ${entry.Path} ${entry.Protocol}`);
  return `${entry.IP || "-"} - ${user} [${clfTime(entry.Timestamp)}] ${request} ${entry.Status} ${
    entry.BytesSent || "-"
  }`;
}

/** Neither a quote nor a line break of a client ends the column. */
function inQuotes(text: string): string {
  return `"${escapeControls(text.replace(/["\\]/g, "\\$&"))}"`;
}

/** A time as `15/Nov/2026:21:40:00 +0000`. */
function clfTime(time: Date): string {
  const [, day, month, year, clock] = time.toUTCString().split(" ");
  return `${day}/${month}/${year}:${clock} +0000`;
}

function textLine(entry: Entry): string {
  let line = "";
  for (const column of rows) {
    const value = column.text(entry);
    line += `${line === "" ? "" : "|"}${column.isSupplied ? textValue(value) : value}`;
  }
  return line;
}

/** A bar would begin another column, and a client can put one into its path. */
function textValue(value: string): string {
  if (value === "" || plainText.test(value)) return value;
  const text = escapeControls(value);
  return text.includes("|") ? text.replaceAll("|", "\\x7c") : text;
}

function csvLine(entry: Entry): string {
  let line = "";
  for (const column of rows) line += `${line === "" ? "" : ","}${csvValue(escapeControls(column.csv(entry)))}`;
  return line;
}

function csvValue(value: string): string {
  // A spreadsheet would compute what begins so, and a client may have chosen it: even a method can be "+cmd|'calc'!A0".
  const text = /^[=+@-]/.test(value) ? `'${value}` : value;
  return /[",]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

/** Put together by hand, which takes 1 µs where an object and `JSON.stringify` take 4 (tests/bench/guards.ts). */
function jsonLine(entry: Entry): string {
  let line = "";
  for (const column of rows) {
    const value = column.json(entry);
    if (value !== "") line += `${line === "" ? "{" : ","}"${column.member}":${value}`;
  }
  return `${line}}`;
}

function quoted(text: string): string {
  return plainJSON.test(text) ? `"${text}"` : safeJSON(text);
}

function jsonObject(fields: { readonly [name: string]: unknown }): string {
  const object = membersOf(fields);
  return object === undefined ? "" : safeJSON(object);
}

function membersOf(fields: { readonly [name: string]: unknown }): object | undefined {
  if (isEmpty(fields)) return undefined;
  const copy: { [name: string]: unknown } = Object.create(null);
  addFields(copy, fields);
  for (const _ in copy) return copy;
  return undefined;
}

/**
 * Compiles a template once: `{Method} {Path} {Status}`. A value that a client or a token supplies cannot end its
 * column: white space, quotes, backslashes and what separates the columns of this template are escaped as in `\x20`,
 * and `-` stands for an empty value.
 */
function templateOf(template: string): Formatter {
  const parts = template.split(/\{(\w+)\}/);
  const between = parts.filter((_, index) => index % 2 === 0).join("");
  const separators = [...new Set(between)].filter((letter) => "|,;=()<>[]".includes(letter));
  const breaking = new RegExp(`[\\s"'\\\\${separators.map((letter) => `\\${letter}`).join("")}]`, "g");
  const writers = parts.map((part, index) =>
    index % 2 === 0 ? () => escapeControls(part) : columnWriter(part, breaking)
  );
  return (entry) => {
    let line = "";
    for (const write of writers) line += write(entry);
    return line;
  };
}

function columnWriter(name: string, breaking: RegExp): Formatter {
  if (!Object.hasOwn(columns, name)) {
    throw new FrameworkError(
      "FW_CONFIG",
      `Cannot use the access log template: "{${name}}" is not one of {${names.join("}, {")}}`,
    );
  }
  const column = columns[name as keyof Entry];
  if (!column.isSupplied) return (entry) => column.text(entry);
  if (column.isQuoted) return (entry) => escapeControls(column.text(entry)) || "-";
  return (entry) => escapeControls(column.text(entry).replace(breaking, hexEscape)) || "-";
}

/** A character as `\x20`. */
function hexEscape(letter: string): string {
  return letter.charCodeAt(0) < 256
    ? `\\x${letter.charCodeAt(0).toString(16).padStart(2, "0")}`
    : `\\u${letter.charCodeAt(0).toString(16).padStart(4, "0")}`;
}

function isEmpty(fields: { readonly [name: string]: unknown }): boolean {
  for (const _ in fields) return false;
  return true;
}

function milliseconds(latency: number): number {
  return Math.round(latency * 1000) / 1000;
}

function duration(latency: number): string {
  if (latency >= 1000) return `${(latency / 1000).toFixed(2)}s`;
  return latency >= 1 ? `${latency.toFixed(2)}ms` : `${Math.round(latency * 1000)}µs`;
}

function timeOf(entry: Entry): string {
  return isoTime(entry.Timestamp.getTime());
}

/** The moment in ISO 8601, of which all but the milliseconds is the same for a whole second. */
function isoTime(moment: number): string {
  const current = Math.floor(moment / 1000);
  if (current !== second) {
    second = current;
    secondText = new Date(current * 1000).toISOString().slice(0, -4);
  }
  return `${secondText}${String(moment - current * 1000).padStart(3, "0")}Z`;
}

let second = NaN;
let secondText = "";
