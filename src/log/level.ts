/**
 * The levels of the log, one row each.
 *
 * @module
 */

import { bgRed, cyan, magenta, red, white, yellow } from "@std/fmt/colors";

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
