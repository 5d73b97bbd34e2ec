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

/** How a column of text, CSV and templates is written. */
const columns: { readonly [name in keyof Entry]: (entry: Entry) => string } = {
  Timestamp: (entry) => isoTime(entry.Timestamp.getTime()),
  Latency: (entry) => duration(entry.Latency),
  Code: (entry) => String(entry.Code),
  Method: (entry) => entry.Method,
  Path: (entry) => entry.Path,
  Route: (entry) => entry.Route,
  IP: (entry) => entry.IP,
  ID: (entry) => entry.ID,
  User: (entry) => entry.User,
  BytesReceived: (entry) => String(entry.BytesReceived),
  BytesSent: (entry) => String(entry.BytesSent),
  Error: (entry) => entry.Error,
  Params: (entry) => isEmpty(entry.Params) ? "" : textFields(entry.Params).trimStart(),
  Fields: (entry) => isEmpty(entry.Fields) ? "" : textFields(entry.Fields).trimStart(),
};

/** The columns of CSV, in order. */
const order = [
  "Timestamp",
  "Latency",
  "Code",
  "Method",
  "Path",
  "Route",
  "IP",
  "ID",
  "User",
  "Params",
  "Fields",
  "BytesReceived",
  "BytesSent",
  "Error",
] as const;

/** The name of a format that fw brings. */
export type FormatName = "text" | "json" | "csv";

const formats: { readonly [name in FormatName]: Formatter } = { text: textLine, json: jsonLine, csv: csvLine };

/** Finds the formatter of a name, or builds it from a template: a text with columns in braces. */
export function formatterOf(format: FormatName | (string & Record<never, never>) | Formatter): Formatter {
  if (typeof format === "function") return (entry) => escapeControls(format(entry));
  return Object.hasOwn(formats, format) ? formats[format as FormatName] : templateOf(format);
}

/** The first line of a file in CSV. */
export function csvHeader(): string {
  return order.join(",");
}

/** In the order of CSV; what fw itself writes needs no escape. */
function textLine(entry: Entry): string {
  return `${columns.Timestamp(entry)}|${duration(entry.Latency)}|${entry.Code}|${textValue(entry.Method)}|` +
    `${textValue(entry.Path)}|${textValue(entry.Route)}|${textValue(entry.IP)}|${textValue(entry.ID)}|` +
    `${textValue(entry.User)}|${textValue(columns.Params(entry))}|${textValue(columns.Fields(entry))}|` +
    `${entry.BytesReceived}|${entry.BytesSent}|${textValue(entry.Error)}`;
}

/** A bar would begin another column, and a client can put one into its path. */
function textValue(value: string): string {
  if (value === "" || plainText.test(value)) return value;
  const text = escapeControls(value);
  return text.includes("|") ? text.replaceAll("|", "\\x7c") : text;
}

function csvLine(entry: Entry): string {
  let line = "";
  for (const name of order) {
    const value = name === "Latency" ? milliseconds(entry.Latency) : columns[name](entry);
    line += `${line === "" ? "" : ","}${csvValue(escapeControls(String(value)))}`;
  }
  return line;
}

function csvValue(value: string): string {
  // A spreadsheet would compute what begins so, and a client may have chosen it: even a method can be "+cmd|'calc'!A0".
  const text = /^[=+@-]/.test(value) ? `'${value}` : value;
  return /[",]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

/**
 * The members of a line of JSON that are left out when they are empty: Iris' names. The line is put together by hand,
 * which takes 1 µs where an object and `JSON.stringify` take 4 (tests/bench/guards.ts).
 */
const members: readonly (readonly [name: string, read: (entry: Entry) => string])[] = [
  ["path", columns.Path],
  ["route", columns.Route],
  ["ip", columns.IP],
  ["request_id", columns.ID],
  ["user", columns.User],
];

function jsonLine(entry: Entry): string {
  let line = `{"timestamp":"${columns.Timestamp(entry)}","latency_ms":${milliseconds(entry.Latency)},` +
    `"code":${entry.Code},"method":${quoted(entry.Method)}`;
  for (const [name, read] of members) {
    const value = read(entry);
    if (value !== "") line += `,"${name}":${quoted(value)}`;
  }
  line += objectMember("params", entry.Params) + objectMember("fields", entry.Fields) +
    `,"bytes_received":${entry.BytesReceived},"bytes_sent":${entry.BytesSent}`;
  return entry.Error === "" ? `${line}}` : `${line},"error":${quoted(entry.Error)}}`;
}

function quoted(text: string): string {
  return plainJSON.test(text) ? `"${text}"` : safeJSON(text);
}

function objectMember(name: string, fields: { readonly [name: string]: unknown }): string {
  const object = membersOf(fields);
  return object === undefined ? "" : `,"${name}":${safeJSON(object)}`;
}

function membersOf(fields: { readonly [name: string]: unknown }): object | undefined {
  if (isEmpty(fields)) return undefined;
  const copy: { [name: string]: unknown } = Object.create(null);
  addFields(copy, fields);
  for (const _ in copy) return copy;
  return undefined;
}

/** Compiles a template once: `{Method} {Path} {Code}`. */
function templateOf(template: string): Formatter {
  const parts = template.split(/\{(\w+)\}/).map((part, index) => index % 2 === 0 ? part : columnOf(part));
  return (entry) => {
    let line = "";
    for (const part of parts) line += typeof part === "string" ? part : part(entry);
    return escapeControls(line);
  };
}

function columnOf(name: string): (entry: Entry) => string {
  if (Object.hasOwn(columns, name)) return columns[name as keyof Entry];
  throw new FrameworkError(
    "FW_CONFIG",
    `Cannot use the access log template: "{${name}}" is not one of {${order.join("}, {")}}`,
  );
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
