/**
 * The log levels.
 *
 * @module
 */

import { bgRed, cyan, magenta, red, white, yellow } from "@std/fmt/colors";

/** The name of a log level. Each level includes the levels before it, and `disable` turns logging off. */
export type LevelName = "disable" | "fatal" | "error" | "warn" | "info" | "debug";

/** A log level. */
export interface Level {
  /** The level's name in {@linkcode Logger.SetLevel} and in JSON lines. */
  readonly name: LevelName;
  /** Alternative names of the level. */
  readonly aliases: readonly string[];
  /** The level's rank. A line is logged if the rank of its level is not above the rank of the logger's level. */
  readonly rank: number;
  /** The title at the start of text lines. */
  readonly title: string;
  /** Colors the title for a terminal. */
  readonly paint: (text: string) => string;
}

/** Logging is turned off. */
export const DISABLE: Level = row("disable", 0, "", plain, ["disabled"]);
/** The process exits after the line is logged. */
export const FATAL: Level = row("fatal", 1, "[FTAL]", (text) => bgRed(white(text)));
/** Errors. */
export const ERROR: Level = row("error", 2, "[ERRO]", red);
/** Warnings. */
export const WARN: Level = row("warn", 3, "[WARN]", magenta, ["warning"]);
/** Informational messages. */
export const INFO: Level = row("info", 4, "[INFO]", cyan);
/** Debugging messages. */
export const DEBUG: Level = row("debug", 5, "[DBUG]", yellow);
/** Lines without a level, logged at every level except `disable`. */
export const PRINT: Level = row("disable", 1, "", plain);

const LEVELS = [DISABLE, FATAL, ERROR, WARN, INFO, DEBUG];
const BY_NAME = new Map(LEVELS.flatMap((level) => [level.name, ...level.aliases].map((name) => [name, level])));

/**
 * Finds a level by its name or an alias, ignoring case.
 *
 * @param name The level's name.
 * @throws {RangeError} If there is no such level.
 */
export function levelOf(name: string): Level {
  const level = find(name);
  if (level !== undefined) return level;
  const names = LEVELS.map((each) => `"${each.name}"`).join(", ");
  throw new RangeError(`Unknown log level "${String(name)}": the levels are ${names}`);
}

/** Reports whether there is a level with a name or alias, ignoring case. */
export function isLevelName(name: string): boolean {
  return find(name) !== undefined;
}

function find(name: string): Level | undefined {
  return BY_NAME.get(name) ?? BY_NAME.get(String(name).toLowerCase());
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
