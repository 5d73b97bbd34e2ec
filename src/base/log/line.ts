/**
 * Formatting of log lines as text or JSON.
 *
 * @module
 */

import { escapeControls } from "./describe.ts";
import { addFields, type LogFields, textFields } from "./fields.ts";
import { type Level, PRINT } from "./level.ts";

/** The content of one log entry. */
export interface Entry {
  /** The entry's level. */
  readonly level: Level;
  /** The formatted time, or an empty string for none. */
  readonly time: string;
  /** The message, including any control characters. */
  readonly message: string;
  /** The fields of the entry, if any. */
  readonly fields: LogFields | undefined;
  /** The stack traces of the errors among the arguments, safe to print. */
  readonly trace: readonly string[];
}

/** Characters that JSON does not escape but that a terminal or an editor may interpret. */
const UNSAFE_IN_JSON = /[\x7f-\x9f\u200e\u200f\u2028-\u202e\u2066-\u2069]/g;
const SECOND = 1000;

let second = -1;
let secondText = "";

/**
 * Formats an entry as text: `[INFO] 2026/11/15 02:56:07 message field=value`, followed by indented stack traces.
 *
 * @param entry The log entry.
 * @param color Whether to color the title.
 * @param trusted Whether the message comes from fw and may contain colors.
 */
export function textLine({ level, time, message, fields, trace }: Entry, color: boolean, trusted = false): string {
  const title = color ? level.paint(level.title) : level.title;
  let line = title === "" ? time : time === "" ? title : `${title} ${time}`;
  const text = trusted ? message : escapeControls(message);
  line = line === "" ? text : `${line} ${text}`;
  if (fields !== undefined) line += textFields(fields);
  return trace.length === 0 ? line : `${line}\n${trace.join("\n")}`;
}

/**
 * Formats an entry as JSON: `{"timestamp":"…","level":"info","message":"…","field":5}`, with a `stack` if an error was
 * logged.
 *
 * @param entry The log entry.
 */
export function jsonLine({ level, time, message, fields, trace }: Entry): string {
  // The record has no prototype, so that a field named __proto__ remains a field.
  const record: Record<string, unknown> = Object.create(null);
  if (time !== "") record.timestamp = time;
  if (level !== PRINT) record.level = level.name;
  record.message = message;
  if (fields !== undefined) addFields(record, fields);
  if (trace.length > 0) record.stack = trace.join("\n");
  return safeJSON(record);
}

/**
 * Serializes a record or a string as single-line JSON without characters that a terminal or an editor would interpret.
 *
 * @param record The record to serialize.
 */
export function safeJSON(record: object | string): string {
  return JSON.stringify(record).replace(
    UNSAFE_IN_JSON,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}

/**
 * Formats a time for text lines: `2026/11/15 02:56:07`, in local time.
 *
 * @param now The time, in milliseconds since 1970.
 */
export function secondTime(now: number): string {
  // The result is the same for a whole second, so it is computed once per second instead of once per line.
  const current = Math.floor(now / SECOND);
  if (current !== second) {
    second = current;
    const date = new Date(now);
    const day = `${date.getFullYear()}/${two(date.getMonth() + 1)}/${two(date.getDate())}`;
    secondText = `${day} ${two(date.getHours())}:${two(date.getMinutes())}:${two(date.getSeconds())}`;
  }
  return secondText;
}

function two(value: number): string {
  return String(value).padStart(2, "0");
}
