/**
 * The application's log.
 *
 * @module
 */

import { describeHead, escapeControls, traceOf } from "./describe.ts";
import type { LogFields } from "./fields.ts";
import { DEBUG, ERROR, FATAL, INFO, type Level, type LevelName, levelOf, PRINT, WARN } from "./level.ts";
import { jsonLine, secondTime, textLine } from "./line.ts";
import { formatVerbs } from "./printf.ts";
import type { LogRecord } from "./record.ts";
import { type LogOutput, type Sink, sinkOf } from "./sink.ts";
import { exportsLogs, spanIDs, writeToConsole } from "./telemetry_log.ts";

/** How lines look. */
export type LogFormat = "text" | "json";

/** How the time of a line is written: by a function, or not at all when it is the empty string. */
export type LogTimeFormat = "" | ((time: Date) => string);

/** What a logger shares with its children. */
interface Settings {
  sink: Sink | undefined;
  /** Further outputs. */
  others: readonly Sink[];
  format: LogFormat;
  time: LogTimeFormat | undefined;
}

/** What one call says. */
interface Said {
  readonly level: Level;
  readonly text: string;
  readonly trace: readonly string[];
  /** Whether the text is ours and may hold colours. */
  readonly trusted: boolean;
  readonly fields?: LogFields;
  readonly error?: Error | undefined;
  /** What records say in place of the text, which may hold colours. */
  readonly plain?: PlainLine | undefined;
}

/** What a line of ours says to programs. */
export interface PlainLine {
  readonly message: string;
  readonly fields: LogFields;
}

/** Writes a line whose text is ours: it may hold colours, so whatever a client chose in it must be escaped before. */
export let writeTrusted: (logger: Logger, level: LevelName, text: string, plain?: PlainLine) => void;
/** Reports whether an output of a logger takes records, which then say what there is to say in fields. */
export let takesRecords: (logger: Logger) => boolean;
/** Writes a line for programs, whose fields hold all that there is to say. */
export let writeFields: (logger: Logger, level: LevelName, text: string, fields: LogFields) => void;
/** Creates a logger whose fields are asked for when a line is written. */
export let withSource: (parent: Logger, source: () => LogFields) => Logger;
/** Reports whether the lines of a logger are for programs. */
export let writesJSON: (logger: Logger) => boolean;
/** All fields of a logger, those of its parents included. */
export let fieldsOf: (logger: Logger) => LogFields | undefined;
/** True when the lines of a logger reach a terminal that shows colours. */
export let showsColor: (logger: Logger) => boolean;

/**
 * A log with levels. A line is shown when its level is not below the logger's, which is `info` at first; what is not
 * shown is not formatted either.
 *
 * Lines go to standard output until {@linkcode SetOutput} says otherwise. In text, a line is
 * `[INFO] 2026/11/15 02:56:07 message`, and line breaks and control characters in a message are shown as escapes, so
 * no client can forge a line. An `Error` among the arguments is shown with its stack and its causes, indented below.
 *
 * @example Reading one's own log
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
   * Chooses which lines are shown: `disable`, `fatal`, `error`, `warn`, `info` or `debug`, in any case.
   *
   * @param name The level.
   * @returns This logger.
   */
  SetLevel(name: LevelName): this {
    this.#level = levelOf(name);
    return this;
  }

  /**
   * Tells the level; a child without a level of its own has its parent's.
   *
   * @returns The name of the level.
   */
  Level(): LevelName {
    return this.#current().name;
  }

  /**
   * Reports whether lines of a level are shown, for when building the message is expensive.
   *
   * @param level The level.
   * @returns True when they are shown.
   */
  Enabled(level: LevelName): boolean {
    const asked = levelOf(level);
    return asked.rank > 0 && this.#shows(asked);
  }

  /**
   * Sends the lines elsewhere, also those of the logger's children and parents.
   *
   * @param output A function, which gets each line, or a writer such as `Deno.stderr` or an open file.
   * @returns This logger.
   */
  SetOutput(output: LogOutput): this {
    const sink = sinkOf(output);
    this.Flush();
    this.#settings.sink = sink;
    return this;
  }

  /**
   * Sends the lines to another output too, also those of the logger's children and parents.
   *
   * @param output A function that gets each line and its record, or a writer.
   * @returns This logger.
   *
   * @example Errors for a tracker, beside the lines on the terminal
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
   * Chooses between lines for people and lines for programs, also for the logger's children and parents.
   *
   * @param format `text`, or `json` for one object with `timestamp`, `level` and `message` on each line.
   * @returns This logger.
   */
  SetFormat(format: LogFormat): this {
    if (format !== "text" && format !== "json") {
      throw new RangeError(`Cannot set log format "${String(format)}": the formats are "text" and "json"`);
    }
    this.#settings.format = format;
    return this;
  }

  /**
   * Chooses how the time is written, also for the logger's children and parents. At first it is `2026/11/15 02:56:07`
   * in text and ISO 8601 in JSON.
   *
   * @param format A function that writes a time, or the empty string for no time.
   * @returns This logger.
   */
  SetTimeFormat(format: LogTimeFormat): this {
    if (format !== "" && typeof format !== "function") {
      throw new TypeError(`Cannot set log time format "${String(format)}": it is neither a function nor empty`);
    }
    this.#settings.time = format;
    return this;
  }

  /**
   * Puts a text before every message of this logger.
   *
   * @param prefix The text, as it is to stand there.
   * @returns This logger.
   */
  SetPrefix(prefix: string): this {
    this.#prefix = escapeControls(String(prefix));
    return this;
  }

  /**
   * Creates a logger whose messages begin with this one's prefix, the given name and a colon. It shares output and
   * formats with this one, and its level until it gets one of its own.
   *
   * @param prefix The name.
   * @returns The new logger.
   */
  Child(prefix: string): Logger {
    return this.#derive(`${this.#prefix}${escapeControls(String(prefix))}: `);
  }

  /**
   * Creates a logger whose lines carry more fields than this one's: names and values beside the message, in text as
   * `name=value`, in JSON as members of their own. It shares all else with this one.
   *
   * @example Lines that tell which order they are about
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
   * @param fields The fields; one of a name that this logger has already replaces it.
   * @returns The new logger.
   */
  With(fields: LogFields): Logger {
    return this.#derive(this.#prefix).AddFields(fields);
  }

  /**
   * Gives the lines of this logger, and of those created from it, more fields.
   *
   * @param fields The fields; one of a name that this logger has already replaces it.
   * @returns This logger.
   */
  AddFields(fields: LogFields): this {
    this.#fields = { ...this.#fields, ...fields };
    return this;
  }

  /** Writes at once what still waits to be written. */
  Flush(): void {
    this.#settings.sink?.flush();
    for (const sink of this.#settings.others) sink.flush();
  }

  /**
   * Writes a line without level, which every level but `disable` shows.
   *
   * @param args What to say; the parts are joined by spaces.
   */
  Print(...args: unknown[]): void {
    this.#log(PRINT, args);
  }

  /**
   * Writes a line without level, which every level but `disable` shows.
   *
   * @param format What to say, with Go's formatting verbs.
   * @param args The values for the verbs.
   */
  Printf(format: string, ...args: unknown[]): void {
    this.#logf(PRINT, format, args);
  }

  /**
   * Writes a line of level `debug`.
   *
   * @param args What to say; the parts are joined by spaces.
   */
  Debug(...args: unknown[]): void {
    this.#log(DEBUG, args);
  }

  /**
   * Writes a line of level `debug`.
   *
   * @param format What to say, with Go's formatting verbs.
   * @param args The values for the verbs.
   */
  Debugf(format: string, ...args: unknown[]): void {
    this.#logf(DEBUG, format, args);
  }

  /**
   * Writes a line of level `info`.
   *
   * @param args What to say; the parts are joined by spaces.
   */
  Info(...args: unknown[]): void {
    this.#log(INFO, args);
  }

  /**
   * Writes a line of level `info`.
   *
   * @param format What to say, with Go's formatting verbs.
   * @param args The values for the verbs.
   */
  Infof(format: string, ...args: unknown[]): void {
    this.#logf(INFO, format, args);
  }

  /**
   * Writes a line of level `warn`.
   *
   * @param args What to say; the parts are joined by spaces.
   */
  Warn(...args: unknown[]): void {
    this.#log(WARN, args);
  }

  /**
   * Writes a line of level `warn`.
   *
   * @param format What to say, with Go's formatting verbs.
   * @param args The values for the verbs.
   */
  Warnf(format: string, ...args: unknown[]): void {
    this.#logf(WARN, format, args);
  }

  /**
   * Writes a line of level `error`.
   *
   * @param args What to say; the parts are joined by spaces, errors are shown with their stack.
   */
  Error(...args: unknown[]): void {
    this.#log(ERROR, args);
  }

  /**
   * Writes a line of level `error`.
   *
   * @param format What to say, with Go's formatting verbs; `%v` shows an error's message, `%+v` its stack too.
   * @param args The values for the verbs.
   */
  Errorf(format: string, ...args: unknown[]): void {
    this.#logf(ERROR, format, args);
  }

  /**
   * Writes a line of level `fatal` and ends the process with code 1.
   *
   * @param args What to say; the parts are joined by spaces.
   */
  Fatal(...args: unknown[]): never {
    this.#log(FATAL, args);
    this.Flush();
    return Deno.exit(1);
  }

  /**
   * Writes a line of level `fatal` and ends the process with code 1.
   *
   * @param format What to say, with Go's formatting verbs.
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
    const above = this.#parent === undefined ? undefined : this.#parent.#allFields();
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
    const line = format === "json" ? jsonLine(entry) : textLine(entry, sink.color, trusted);
    const record = others.length > 0 || sink.takesRecords ? this.#record(said, all) : undefined;
    if (isExported && sink === sinkOf(Deno.stdout)) writeToConsole(level, line);
    else sink.push(line, record);
    for (const other of others) other.push(sink.color && !other.color ? withoutColors(line) : line, record);
  }

  #record({ level, text, error, plain }: Said, fields: LogFields | undefined): LogRecord {
    return {
      Level: level.name === "disable" ? "info" : level.name,
      Time: new Date(),
      Message: this.#prefix + (plain?.message ?? text),
      Fields: { ...plain?.fields, ...fields },
      Error: error,
    };
  }

  #time(): string {
    const { time, format } = this.#settings;
    if (time === "") return "";
    if (time !== undefined) return time(new Date());
    return format === "json" ? new Date().toISOString() : secondTime(Date.now());
  }

  #sink(): Sink {
    return this.#settings.sink ??= sinkOf(Deno.stdout);
  }
}

/** A line for an output that shows no colours. All colours are ours: what clients send is escaped. */
function withoutColors(line: string): string {
  // deno-lint-ignore no-control-regex -- colours are control sequences
  return line.replace(/\x1b\[[\d;]*m/g, "");
}
