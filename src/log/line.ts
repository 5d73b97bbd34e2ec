/**
 * Builds one line of the log, as text or as JSON.
 *
 * @module
 */

import { escapeControls } from "./describe.ts";
import { type Level, PRINT } from "./level.ts";

/** What one call of the logger says. */
export interface Entry {
  /** Its level. */
  readonly level: Level;
  /** The time in words; empty for none. */
  readonly time: string;
  /** What is said, control characters and all. */
  readonly message: string;
  /** Where the errors among the arguments come from, as lines that are safe to print. */
  readonly trace: readonly string[];
}

/** What JSON leaves as it is, though a terminal or an editor may act on it. */
const UNSAFE_IN_JSON = /[\x7f-\x9f\u200e\u200f\u2028-\u202e\u2066-\u2069]/g;
const MINUTE = 60_000;

let minute = -1;
let minuteText = "";

/**
 * Builds a line of text: `[INFO] 2026/11/15 02:56 message`, and below it, indented, where errors come from.
 *
 * @param entry What is said.
 * @param color True when the title is to have its colour.
 * @param trusted True when the message is ours and may hold colours.
 */
export function textLine({ level, time, message, trace }: Entry, color: boolean, trusted = false): string {
  const title = color ? level.coloredTitle : level.title;
  let line = title === "" ? time : time === "" ? title : `${title} ${time}`;
  const text = trusted ? message : escapeControls(message);
  line = line === "" ? text : `${line} ${text}`;
  return trace.length === 0 ? line : `${line}\n${trace.join("\n")}`;
}

/**
 * Builds a line of JSON: `{"timestamp":"…","level":"info","message":"…"}`, with a `stack` where an error was given.
 *
 * @param entry What is said.
 */
export function jsonLine({ level, time, message, trace }: Entry): string {
  const record: Record<string, string> = {};
  if (time !== "") record.timestamp = time;
  if (level !== PRINT) record.level = level.name;
  record.message = message;
  if (trace.length > 0) record.stack = trace.join("\n");
  return JSON.stringify(record).replace(
    UNSAFE_IN_JSON,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}

/**
 * Writes a moment as lines of text show it: `2026/11/15 02:56`, in local time.
 *
 * @param now The moment, in milliseconds.
 */
export function minuteTime(now: number): string {
  // The same text for a whole minute: built once, not once per line.
  const current = Math.floor(now / MINUTE);
  if (current !== minute) {
    minute = current;
    const date = new Date(now);
    const day = `${date.getFullYear()}/${two(date.getMonth() + 1)}/${two(date.getDate())}`;
    minuteText = `${day} ${two(date.getHours())}:${two(date.getMinutes())}`;
  }
  return minuteText;
}

function two(value: number): string {
  return String(value).padStart(2, "0");
}
