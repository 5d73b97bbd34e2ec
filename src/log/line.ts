/**
 * One line of the log, as text or as JSON.
 *
 * @module
 */

import { escapeControls } from "./describe.ts";
import { addFields, type LogFields, textFields } from "./fields.ts";
import { type Level, PRINT } from "./level.ts";

/** What one call of the logger says. */
export interface Entry {
  /** Its level. */
  readonly level: Level;
  /** The time in words; empty for none. */
  readonly time: string;
  /** What is said, control characters and all. */
  readonly message: string;
  /** What the line carries beside the message, if anything. */
  readonly fields: LogFields | undefined;
  /** Where the errors among the arguments come from, as lines that are safe to print. */
  readonly trace: readonly string[];
}

/** What JSON leaves as it is, though a terminal or an editor may act on it. */
const UNSAFE_IN_JSON = /[\x7f-\x9f\u200e\u200f\u2028-\u202e\u2066-\u2069]/g;
const SECOND = 1000;

let second = -1;
let secondText = "";

/**
 * Builds a line of text: `[INFO] 2026/11/15 02:56:07 message field=value`, and below it, indented, where errors come
 * from.
 *
 * @param entry What is said.
 * @param color True when the title is to have its colour.
 * @param trusted True when the message is ours and may hold colours.
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
 * Builds a line of JSON: `{"timestamp":"…","level":"info","message":"…","field":5}`, with a `stack` where an error was
 * given.
 *
 * @param entry What is said.
 */
export function jsonLine({ level, time, message, fields, trace }: Entry): string {
  // Without prototype: a field named __proto__ must stay a field.
  const record: Record<string, unknown> = Object.create(null);
  if (time !== "") record.timestamp = time;
  if (level !== PRINT) record.level = level.name;
  record.message = message;
  if (fields !== undefined) addFields(record, fields);
  if (trace.length > 0) record.stack = trace.join("\n");
  return safeJSON(record);
}

/**
 * Writes a record or a text as JSON in one line on which no terminal and no editor acts.
 *
 * @param record The record.
 */
export function safeJSON(record: object | string): string {
  return JSON.stringify(record).replace(
    UNSAFE_IN_JSON,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}

/**
 * Writes a moment as lines of text show it: `2026/11/15 02:56:07`, in local time.
 *
 * @param now The moment, in milliseconds.
 */
export function secondTime(now: number): string {
  // The same text for a whole second: built once, not once per line.
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
