/**
 * How entries are written: one line each, whatever clients put into them.
 *
 * @module
 */

import { FrameworkError } from "../../base/errors.ts";
import { escapeControls } from "../../log/describe.ts";
import { addFields, safeJSON, textFields } from "../../log/line.ts";
import type { Entry } from "./entry.ts";

/** Writes an entry as one line, without its line break. */
export type Formatter = (entry: Entry) => string;

/** How a column of text, CSV and templates is written. */
const columns: { readonly [name in keyof Entry]: (entry: Entry) => string } = {
  Timestamp: (entry) => entry.Timestamp.toISOString(),
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
  Params: (entry) => textFields(entry.Params).trimStart(),
  Fields: (entry) => textFields(entry.Fields).trimStart(),
};

/** The columns of text and CSV, in order. */
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

function textLine(entry: Entry): string {
  let line = "";
  for (const name of order) line += `${line === "" ? "" : "|"}${textValue(columns[name](entry))}`;
  return line;
}

/** A bar would begin another column, and a client can put one into its path. */
function textValue(value: string): string {
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

/** The members of a line of JSON: Iris' names, with the unit where there is one. What is empty is left out. */
const members: readonly (readonly [name: string, read: (entry: Entry) => unknown])[] = [
  ["timestamp", columns.Timestamp],
  ["latency_ms", (entry) => milliseconds(entry.Latency)],
  ["code", (entry) => entry.Code],
  ["method", columns.Method],
  ["path", columns.Path],
  ["route", columns.Route],
  ["ip", columns.IP],
  ["request_id", columns.ID],
  ["user", columns.User],
  ["params", (entry) => membersOf(entry.Params)],
  ["fields", (entry) => membersOf(entry.Fields)],
  ["bytes_received", (entry) => entry.BytesReceived],
  ["bytes_sent", (entry) => entry.BytesSent],
  ["error", columns.Error],
];

function jsonLine(entry: Entry): string {
  const line: { [name: string]: unknown } = {};
  for (const [name, read] of members) {
    const value = read(entry);
    if (value !== "" && value !== undefined) line[name] = value;
  }
  return safeJSON(line);
}

function membersOf(fields: { readonly [name: string]: unknown }): object | undefined {
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

function milliseconds(latency: number): number {
  return Number(latency.toFixed(3));
}

function duration(latency: number): string {
  if (latency >= 1000) return `${(latency / 1000).toFixed(2)}s`;
  return latency >= 1 ? `${latency.toFixed(2)}ms` : `${(latency * 1000).toFixed(0)}µs`;
}
