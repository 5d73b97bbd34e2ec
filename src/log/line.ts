/**
 * One line of the log: its level, its message and its fields, as text or as JSON.
 *
 * @module
 */

import { bgRed, cyan, magenta, red, white, yellow } from "@std/fmt/colors";
import { describe, escapeControls } from "./describe.ts";

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
 * Builds a line of text: `[INFO] 2026/11/15 02:56:07 message field=value`, and below it, indented, where errors come from.
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

/** The name of a level: each one shows its own lines and those of the levels before it, `disable` shows none. */
export type LevelName = "disable" | "fatal" | "error" | "warn" | "info" | "debug";

/** One level. */
export interface Level {
  /** Its name in {@linkcode Logger.SetLevel} and in lines of JSON. */
  readonly name: LevelName;
  /** Other names for it. */
  readonly aliases: readonly string[];
  /** Its place: a line is shown when its level's rank is not above the logger's. */
  readonly rank: number;
  /** What a line of text begins with. */
  readonly title: string;
  /** Colours it for a terminal. */
  readonly paint: (text: string) => string;
}

/** No line is shown. */
export const DISABLE: Level = row("disable", 0, "", plain, ["disabled"]);
/** The process ends after the line. */
export const FATAL: Level = row("fatal", 1, "[FTAL]", (text) => bgRed(white(text)));
/** Something failed. */
export const ERROR: Level = row("error", 2, "[ERRO]", red);
/** Something is odd. */
export const WARN: Level = row("warn", 3, "[WARN]", magenta, ["warning"]);
/** Something happened. */
export const INFO: Level = row("info", 4, "[INFO]", cyan);
/** Something that only its author wants to know. */
export const DEBUG: Level = row("debug", 5, "[DBUG]", yellow);
/** A line without level, which every level but `disable` shows. */
export const PRINT: Level = row("disable", 1, "", plain);

const LEVELS = [DISABLE, FATAL, ERROR, WARN, INFO, DEBUG];
const BY_NAME = new Map(LEVELS.flatMap((level) => [level.name, ...level.aliases].map((name) => [name, level])));

/**
 * Finds a level by its name or an alias, in any case.
 *
 * @param name The name.
 */
export function levelOf(name: string): Level {
  const level = BY_NAME.get(name) ?? BY_NAME.get(String(name).toLowerCase());
  if (level !== undefined) return level;
  const names = LEVELS.map((each) => `"${each.name}"`).join(", ");
  throw new RangeError(`Cannot find log level "${String(name)}": the levels are ${names}`);
}

function row(
  name: LevelName,
  rank: number,
  title: string,
  paint: (text: string) => string,
  aliases: readonly string[] = [],
): Level {
  return { name, aliases, rank, title, paint };
}

function plain(text: string): string {
  return text;
}

/** Names and values that a line carries beside its message. */
export type LogFields = Readonly<Record<string, unknown>>;

/** The names that a line of JSON gives its own parts; a field of such a name is written with an underscore behind it. */
const RESERVED: ReadonlySet<string> = new Set(["timestamp", "level", "message", "stack"]);
/** A value that needs no quotes in a line of text. */
const BARE = /^[^\s"=\\]+$/;

/**
 * Writes fields as a line of text ends with them: ` user=ada path="/a b"`.
 *
 * @param fields The fields.
 * @returns The text, with a blank before each field, safe to print.
 */
export function textFields(fields: LogFields): string {
  let text = "";
  for (const [name, value] of Object.entries(fields)) {
    if (value !== undefined) text += ` ${escapeControls(name)}=${textValue(value)}`;
  }
  return text;
}

/**
 * Puts fields into the record of a line of JSON, each with its own type.
 *
 * @param record The record.
 * @param fields The fields.
 */
export function addFields(record: Record<string, unknown>, fields: LogFields): void {
  for (const [name, value] of Object.entries(fields)) {
    if (value !== undefined) record[RESERVED.has(name) ? `${name}_` : name] = jsonValue(value);
  }
}

function textValue(value: unknown): string {
  const text = escapeControls(typeof value === "object" && value !== null ? inJSON(value) : describe(value));
  return BARE.test(text) ? text : JSON.stringify(text);
}

/** A value as `JSON.stringify` takes it without a failure. */
function jsonValue(value: unknown): unknown {
  switch (typeof value) {
    case "string":
    case "boolean":
      return value;
    case "number":
      return Number.isFinite(value) ? value : String(value);
    case "bigint":
      return Number.isSafeInteger(Number(value)) ? Number(value) : String(value);
    case "object":
      return value === null ? null : jsonObject(value);
    default:
      return describe(value);
  }
}

function jsonObject(value: object): unknown {
  if (value instanceof Error) return describe(value);
  try {
    // As it is written, so that what changes afterwards or cannot be written does not matter.
    return JSON.parse(inJSON(value));
  } catch {
    return describe(value);
  }
}

function inJSON(value: object): string {
  if (value instanceof Error) return describe(value);
  try {
    return JSON.stringify(value, (_key, inner) => typeof inner === "bigint" ? jsonValue(inner) : inner) ?? "null";
  } catch {
    return describe(value);
  }
}
