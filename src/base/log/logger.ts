/**
 * The application's logger.
 *
 * @module
 */

import { describeHead, escapeControls, traceOf } from "./describe.ts";
import { ambientFields } from "./ambient_fields.ts";
import type { LogFields } from "./fields.ts";
import { DEBUG, ERROR, FATAL, INFO, type Level, type LevelName, levelOf, PRINT, WARN } from "./level.ts";
import { jsonLine, secondTime, textLine } from "./line.ts";
import { formatVerbs } from "./printf.ts";
import { maskSecrets } from "./secrets.ts";
import {
  exportsLogs,
  type LogOutput,
  type LogRecord,
  type LogWriter,
  type Sink,
  sinkOf,
  spanIDs,
  writeToConsole,
} from "./sink.ts";

/** The format of log lines. */
export type LogFormat = "text" | "json";

/**
 * The time format of log lines: a function, or an empty string to omit the time. If the function throws or does not
 * return a string, the default format is used.
 */
export type LogTimeFormat = "" | ((time: Date) => string);

/** The settings that a logger shares with its children. */
interface Settings {
  sink: Sink | undefined;
  /** Additional outputs. */
  others: readonly Sink[];
  format: LogFormat;
  time: LogTimeFormat | undefined;
}

/** The content of one log call. */
interface Said {
  readonly level: Level;
  readonly text: string;
  readonly trace: readonly string[];
  /** Whether the text comes from fw and may contain colors. */
  readonly trusted: boolean;
  readonly fields?: LogFields;
  readonly error?: Error | undefined;
  /** The content of the record. It is used instead of the text, which may contain colors. */
  readonly plain?: PlainLine | undefined;
}

/** A log line from fw in machine-readable form. */
export interface PlainLine {
  readonly message: string;
  readonly fields: LogFields;
}

/** Writes a line created by fw. The text may contain colors, so client input in it must already be escaped. */
export let writeTrusted: (logger: Logger, level: LevelName, text: string, plain?: PlainLine) => void;
/** Reports whether one of a logger's outputs accepts records. If so, fw's own lines are also passed as fields. */
export let takesRecords: (logger: Logger) => boolean;
/** Writes a machine-readable line that consists only of its fields. */
export let writeFields: (logger: Logger, level: LevelName, text: string, fields: LogFields) => void;
/** Creates a logger that computes its fields each time a line is written. */
export let withSource: (parent: Logger, source: () => LogFields) => Logger;
/** Reports whether a logger writes JSON lines. */
export let writesJSON: (logger: Logger) => boolean;
/** Returns all fields of a logger, including those of its parents. */
export let fieldsOf: (logger: Logger) => LogFields | undefined;
/** Reports whether a logger writes lines of text to a writer. */
export let writesTo: (logger: Logger, writer: LogWriter) => boolean;
/** Reports whether a logger writes to a terminal that supports colors. */
export let showsColor: (logger: Logger) => boolean;

/**
 * A logger with levels. A line is logged if its level is included in the logger's level, which defaults to `info`.
 * Lines that are not logged are not formatted either.
 *
 * Lines are written to standard output unless {@linkcode SetOutput} changes the output. A text line looks like
 * `[INFO] 2026/11/15 02:56:07 message`. Line breaks and control characters in messages are escaped, so clients cannot
 * forge log lines. An `Error` among the arguments is logged with its stack trace and its causes, indented below the
 * line.
 *
 * @example Capturing log lines
 * ```ts
 * import * as fw from "@fw/web";
 *
 * const lines: string[] = [];
 * const logger = fw.New().Logger();
 * logger.SetOutput((line) => lines.push(line)).SetTimeFormat("");
 * logger.Infof("%s has %d items", "cart", 3);
 * logger.Debug("not shown at this level");
 * logger.Child("db").Warn("slow query");
 * lines; // → ["[INFO] cart has 3 items", "[WARN] db: slow query"]
 * ```
 */
export class Logger {
  #level: Level | undefined = INFO;
  #parent: Logger | undefined = undefined;
  #prefix = "";
  #source: (() => LogFields) | undefined = undefined;
  #fields: LogFields | undefined = undefined;
  #settings: Settings = { sink: undefined, others: [], format: "text", time: undefined };

  /**
   * Sets the log level: `disable`, `fatal`, `error`, `warn`, `info` or `debug`, ignoring case.
   *
   * @param name The level's name.
   * @returns This logger.
   */
  SetLevel(name: LevelName): this {
    this.#level = levelOf(name);
    return this;
  }

  /**
   * Returns the log level. A child logger uses its parent's level unless it has its own.
   *
   * @returns The level's name.
   */
  Level(): LevelName {
    return this.#current().name;
  }

  /**
   * Reports whether lines with a level are logged. Use it if building the message is expensive.
   *
   * @param level The level to check.
   * @returns `true` if lines with the level are logged.
   */
  Enabled(level: LevelName): boolean {
    const asked = levelOf(level);
    return asked.rank > 0 && this.#shows(asked);
  }

  /**
   * Sets the output of this logger, its children and its parents.
   *
   * @param output A function called with each line, or a writer such as `Deno.stderr` or an open file.
   * @returns This logger.
   */
  SetOutput(output: LogOutput): this {
    const sink = sinkOf(output);
    this.Flush();
    this.#settings.sink = sink;
    return this;
  }

  /**
   * Adds another output to this logger, its children and its parents.
   *
   * @param output A function called with each line and its record, or a writer.
   * @returns This logger.
   *
   * @example Reporting errors to a tracker
   * ```ts
   * import * as fw from "@fw/web";
   *
   * const tracked: unknown[] = [];
   * const logger = fw.New().Logger().SetOutput(() => {});
   * logger.AddOutput((_line, { Level, Message, Fields, Error }) => {
   *   if (Level === "error") tracked.push([Message, Fields, Error?.message]);
   * });
   * logger.With({ order: 7 }).Error("Cannot pay:", new Error("no funds"));
   * tracked; // → [["Cannot pay: Error: no funds", { order: 7 }, "no funds"]]
   * ```
   */
  AddOutput(output: LogOutput): this {
    this.#settings.others = [...this.#settings.others, sinkOf(output)];
    return this;
  }

  /**
   * Sets the line format of this logger, its children and its parents.
   *
   * @param format `text`, or `json` for one object per line with `timestamp`, `level` and `message`.
   * @returns This logger.
   */
  SetFormat(format: LogFormat): this {
    if (format !== "text" && format !== "json") {
      throw new RangeError(`Unknown log format "${String(format)}": the formats are "text" and "json"`);
    }
    this.#settings.format = format;
    return this;
  }

  /**
   * Sets the time format of this logger, its children and its parents. By default, text lines use `2026/11/15 02:56:07`
   * and JSON lines use ISO 8601.
   *
   * @param format A function that formats a time, or an empty string to omit the time.
   * @returns This logger.
   */
  SetTimeFormat(format: LogTimeFormat): this {
    if (format !== "" && typeof format !== "function") {
      throw new TypeError(
        `Cannot set the log time format to "${String(format)}": it must be a function or an empty string`,
      );
    }
    this.#settings.time = format;
    return this;
  }

  /**
   * Sets the prefix of this logger's messages.
   *
   * @param prefix The prefix, used as is.
   * @returns This logger.
   */
  SetPrefix(prefix: string): this {
    this.#prefix = escapeControls(String(prefix));
    return this;
  }

  /**
   * Creates a child logger whose messages start with this logger's prefix, the given name and a colon. The child shares
   * this logger's output and formats. It also shares the level, unless the child sets its own.
   *
   * @param prefix The child's name.
   * @returns The new logger.
   */
  Child(prefix: string): Logger {
    return this.#derive(`${this.#prefix}${escapeControls(String(prefix))}: `);
  }

  /**
   * Creates a logger that adds fields to its lines. Text lines show fields as `name=value`, and JSON lines include them
   * as properties. The new logger shares all other settings with this one.
   *
   * @example Adding an order number to log lines
   * ```ts
   * import * as fw from "@fw/web";
   *
   * const lines: string[] = [];
   * const logger = fw.New().Logger().SetOutput((line) => lines.push(line)).SetTimeFormat("");
   * const order = logger.With({ order: 7 });
   * order.Info("paid");
   * logger.SetFormat("json");
   * order.Info("sent");
   * lines; // → ["[INFO] paid order=7", '{"level":"info","message":"sent","order":7}']
   * ```
   *
   * @param fields The fields to add. Fields with the same name are replaced.
   * @returns The new logger.
   */
  With(fields: LogFields): Logger {
    return this.#derive(this.#prefix).AddFields(fields);
  }

  /**
   * Adds fields to the lines of this logger and of the loggers created from it.
   *
   * @param fields The fields to add. Fields with the same name are replaced.
   * @returns This logger.
   */
  AddFields(fields: LogFields): this {
    this.#fields = { ...this.#fields, ...fields };
    return this;
  }

  /** Writes buffered lines immediately. */
  Flush(): void {
    this.#settings.sink?.flush();
    for (const sink of this.#settings.others) sink.flush();
  }

  /**
   * Logs a line without a level, which is shown at every level except `disable`.
   *
   * @param args The values to log, joined by spaces.
   */
  Print(...args: unknown[]): void {
    this.#log(PRINT, args);
  }

  /**
   * Logs a formatted line without a level, which is shown at every level except `disable`.
   *
   * @param format The message, with Go's formatting verbs.
   * @param args The values for the verbs.
   */
  Printf(format: string, ...args: unknown[]): void {
    this.#logf(PRINT, format, args);
  }

  /**
   * Logs a line at level `debug`.
   *
   * @param args The values to log, joined by spaces.
   */
  Debug(...args: unknown[]): void {
    this.#log(DEBUG, args);
  }

  /**
   * Logs a formatted line at level `debug`.
   *
   * @param format The message, with Go's formatting verbs.
   * @param args The values for the verbs.
   */
  Debugf(format: string, ...args: unknown[]): void {
    this.#logf(DEBUG, format, args);
  }

  /**
   * Logs a line at level `info`.
   *
   * @param args The values to log, joined by spaces.
   */
  Info(...args: unknown[]): void {
    this.#log(INFO, args);
  }

  /**
   * Logs a formatted line at level `info`.
   *
   * @param format The message, with Go's formatting verbs.
   * @param args The values for the verbs.
   */
  Infof(format: string, ...args: unknown[]): void {
    this.#logf(INFO, format, args);
  }

  /**
   * Logs a line at level `warn`.
   *
   * @param args The values to log, joined by spaces.
   */
  Warn(...args: unknown[]): void {
    this.#log(WARN, args);
  }

  /**
   * Logs a formatted line at level `warn`.
   *
   * @param format The message, with Go's formatting verbs.
   * @param args The values for the verbs.
   */
  Warnf(format: string, ...args: unknown[]): void {
    this.#logf(WARN, format, args);
  }

  /**
   * Logs a line at level `error`.
   *
   * @param args The values to log, joined by spaces. Errors are logged with their stack trace.
   */
  Error(...args: unknown[]): void {
    this.#log(ERROR, args);
  }

  /**
   * Logs a formatted line at level `error`.
   *
   * @param format The message, with Go's formatting verbs. `%v` shows an error's message, and `%+v` also its stack
   * trace.
   * @param args The values for the verbs.
   */
  Errorf(format: string, ...args: unknown[]): void {
    this.#logf(ERROR, format, args);
  }

  /**
   * Logs a line at level `fatal` and exits the process with code 1.
   *
   * @param args The values to log, joined by spaces.
   */
  Fatal(...args: unknown[]): never {
    this.#log(FATAL, args);
    this.Flush();
    return Deno.exit(1);
  }

  /**
   * Logs a formatted line at level `fatal` and exits the process with code 1.
   *
   * @param format The message, with Go's formatting verbs.
   * @param args The values for the verbs.
   */
  Fatalf(format: string, ...args: unknown[]): never {
    this.#logf(FATAL, format, args);
    this.Flush();
    return Deno.exit(1);
  }

  static {
    writeTrusted = (logger, name, text, plain) => {
      const level = levelOf(name);
      if (logger.#shows(level)) logger.#write({ level, text, trace: [], trusted: true, plain });
    };
    takesRecords = (logger) => logger.#sink().takesRecords || logger.#settings.others.length > 0;
    writeFields = (logger, name, text, fields) => {
      const level = levelOf(name);
      if (logger.#shows(level)) logger.#write({ level, text, trace: [], trusted: false, fields });
    };
    withSource = (parent, source) => {
      const child = parent.#derive(parent.#prefix);
      child.#source = source;
      return child;
    };
    writesJSON = (logger) => logger.#settings.format === "json";
    fieldsOf = (logger) => logger.#allFields();
    writesTo = (logger, writer) => logger.#settings.format === "text" && logger.#sink() === sinkOf(writer);
    showsColor = (logger) => logger.#settings.format === "text" && logger.#sink().color;
  }

  #derive(prefix: string): Logger {
    const child = new Logger();
    child.#level = undefined;
    child.#parent = this;
    child.#prefix = prefix;
    child.#settings = this.#settings;
    return child;
  }

  #allFields(): LogFields | undefined {
    const above = this.#parent === undefined ? ambientFields() : this.#parent.#allFields();
    if (this.#source === undefined && this.#fields === undefined) return above;
    return { ...above, ...this.#source?.(), ...this.#fields };
  }

  #current(): Level {
    return this.#level ?? (this.#parent === undefined ? INFO : this.#parent.#current());
  }

  #shows(level: Level): boolean {
    return level.rank <= (this.#level ?? this.#current()).rank;
  }

  #log(level: Level, args: readonly unknown[]): void {
    if (!this.#shows(level)) return;
    const trace = args.flatMap((value) => value instanceof Error ? traceOf(value) : []);
    const error = args.find((value) => value instanceof Error);
    this.#write({ level, text: args.map(describeHead).join(" "), trace, trusted: false, error });
  }

  #logf(level: Level, format: string, args: readonly unknown[]): void {
    if (!this.#shows(level)) return;
    const trace: string[] = [];
    const message = formatVerbs(format, args, (error) => trace.push(...traceOf(error)));
    const error = args.find((value) => value instanceof Error);
    this.#write({ level, text: message, trace, trusted: false, error });
  }

  #write(said: Said): void {
    const { level, text, trace, trusted, fields } = said;
    const { format, others } = this.#settings;
    const sink = this.#sink();
    const own = this.#allFields();
    const isExported = exportsLogs();
    const ids = isExported && format === "json" ? spanIDs() : undefined;
    const given = own === undefined || fields === undefined ? fields ?? own : { ...fields, ...own };
    const all = ids === undefined ? given : { ...given, ...ids };
    const entry = { level, time: this.#time(), message: this.#prefix + text, fields: all, trace };
    const line = maskSecrets(format === "json" ? jsonLine(entry) : textLine(entry, sink.color, trusted));
    const record = others.length > 0 || sink.takesRecords ? this.#record(said, all) : undefined;
    if (isExported && sink === sinkOf(Deno.stdout)) writeToConsole(level, line);
    else sink.push(line, record);
    for (const other of others) other.push(sink.color && !other.color ? withoutColors(line) : line, record);
  }

  #record({ level, text, error, plain }: Said, fields: LogFields | undefined): LogRecord {
    return {
      Level: level.name === "disable" ? "info" : level.name,
      Time: new Date(),
      Message: maskSecrets(this.#prefix + (plain?.message ?? text)),
      Fields: { ...plain?.fields, ...fields },
      Error: error,
    };
  }

  #time(): string {
    const { time, format } = this.#settings;
    if (time === "") return "";
    const own = time === undefined ? undefined : ownTime(time);
    return own ?? (format === "json" ? new Date().toISOString() : secondTime(Date.now()));
  }

  #sink(): Sink {
    return this.#settings.sink ??= sinkOf(Deno.stdout);
  }
}

/** Returns the time in the format of the application, or `undefined` if its function fails. */
function ownTime(format: (time: Date) => unknown): string | undefined {
  try {
    const text = format(new Date());
    if (typeof text === "string") return text;
    if (text instanceof Promise) text.catch(() => {});
  } catch {
    // Writing a line must not fail the request.
  }
  return undefined;
}

/**
 * Removes the colors from a line for outputs that do not support them. All colors come from fw, because client input is
 * escaped.
 */
function withoutColors(line: string): string {
  // deno-lint-ignore no-control-regex -- colors are control sequences
  return line.replace(/\x1b\[[\d;]*m/g, "");
}
