import { assert, assertEquals, assertMatch, assertThrows } from "@std/assert";
import fc from "npm:fast-check@^4";
import type { LevelName } from "../../../src/base/log/level.ts";
import { Logger, type LogTimeFormat, showsColor, writeTrusted } from "../../../src/base/log/logger.ts";
import type { LogFormat } from "../../../src/base/log/logger.ts";

/** Creates a logger without time, and the list of its lines. */
function newLogger(level: LevelName = "debug"): { logger: Logger; lines: string[] } {
  const lines: string[] = [];
  const logger = new Logger().SetLevel(level).SetTimeFormat("").SetOutput((line) => lines.push(line));
  return { logger, lines };
}

Deno.test("Logger.Info() and similar methods write their level and join their arguments with spaces", () => {
  const { logger, lines } = newLogger();
  logger.Print("p", 1, true);
  logger.Debug("d", { a: 1 });
  logger.Info("i", null);
  logger.Warn("w", [1, 2]);
  logger.Error("e", 5n);
  assertEquals(lines, ["p 1 true", "[DBUG] d { a: 1 }", "[INFO] i null", "[WARN] w [ 1, 2 ]", "[ERRO] e 5n"]);
});

Deno.test("Logger.Infof() and similar methods write their level and support Go's verbs", () => {
  const { logger, lines } = newLogger();
  logger.Printf("%s", "p");
  logger.Debugf("%d", 1);
  logger.Infof("%q", "i");
  logger.Warnf("%.1f", 0.5);
  logger.Errorf("%v", new Error("e"));
  assertEquals(lines, ["p", "[DBUG] 1", '[INFO] "i"', "[WARN] 0.5", "[ERRO] Error: e"]);
});

Deno.test("Logger.Info() writes the local time to the second", () => {
  const lines: string[] = [];
  const logger = new Logger().SetOutput((line) => lines.push(line));
  const before = new Date();
  logger.Info("hello");
  const match = /^\[INFO\] (\d{4})\/(\d{2})\/(\d{2}) (\d{2}):(\d{2}):(\d{2}) hello$/.exec(lines[0] ?? "");
  assert(match, lines[0]);
  const [year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0] = match.slice(1).map(Number);
  const time = new Date(year, month - 1, day, hour, minute, second).getTime();
  assert(time > before.getTime() - 1001 && time <= Date.now(), lines[0]);
});

Deno.test("Logger.SetLevel() logs a level and higher ones, with info as the default", () => {
  const names: LevelName[] = ["disable", "fatal", "error", "warn", "info", "debug"];
  for (const [index, name] of names.entries()) {
    const { logger, lines } = newLogger(name.toUpperCase() as LevelName);
    assertEquals(logger.Level(), name);
    logger.Debug("debug");
    logger.Info("info");
    logger.Warn("warn");
    logger.Error("error");
    logger.Print("fatal");
    assertEquals(lines.map((line) => line.replace(/^\[....\] /, "")), names.slice(1, index + 1).reverse());
    assertEquals(names.filter((each) => logger.Enabled(each)), names.slice(1, index + 1));
  }
  assertEquals(new Logger().Level(), "info");
});

Deno.test("Logger.SetLevel() rejects an unknown level and keeps the old one", () => {
  const logger = new Logger().SetLevel("warn");
  assertThrows(
    () => logger.SetLevel("loud" as LevelName),
    RangeError,
    'Unknown log level "loud": the levels are "disable"',
  );
  assertThrows(() => logger.Enabled("loud" as LevelName), RangeError);
  assertEquals(logger.Level(), "warn");
});

Deno.test("Logger.Debugf() does not evaluate its arguments if the level is disabled", () => {
  const { logger, lines } = newLogger("info");
  const trap = new Proxy({}, {
    get() {
      throw new Error("touched");
    },
  });
  logger.Debug(trap);
  logger.Debugf("%v", trap);
  assertEquals(lines, []);
});

Deno.test("Logger.Info() writes one line for any message", () => {
  const { logger, lines } = newLogger();
  logger.Info("a\r\n[INFO] forged\x1b[2J");
  logger.Infof("%s", "b\n[ERRO] forged");
  assertEquals(lines, ["[INFO] a\\r\\n[INFO] forged\\x1b[2J", "[INFO] b\\n[ERRO] forged"]);
  fc.assert(fc.property(fc.string({ unit: "binary" }), (text) => {
    lines.length = 0;
    logger.Info(text, { text });
    logger.Infof("%v %q", text, text);
    // deno-lint-ignore no-control-regex
    for (const line of lines) assert(!/[\x00-\x08\x0a-\x1f\x7f-\x9f\u2028\u2029]/.test(line), JSON.stringify(line));
  }));
});

Deno.test("Logger.Error() writes the stack trace and the causes of an error below the line, indented", () => {
  const { logger, lines } = newLogger();
  logger.Error("Cannot save:", new TypeError("bad\n[INFO] forged", { cause: new Error("disk") }), "now");
  const [first, ...rest] = (lines[0] ?? "").split("\n");
  assertEquals(lines.length, 1);
  assertEquals(first, "[ERRO] Cannot save: TypeError: bad now");
  assertEquals(rest[0], "    | [INFO] forged");
  assertMatch(rest[1] ?? "", /^ {4}at .*logger_test\.ts:\d+:\d+/);
  assert(rest.includes("    Caused by: Error: disk"), lines[0]);
  assert(rest.every((line) => line.startsWith("    ")), lines[0]);
});

Deno.test("Logger.Errorf() writes the stack trace of an error only for %+v", () => {
  const { logger, lines } = newLogger();
  logger.Errorf("%v", new Error("e"));
  logger.Errorf("%+v", new Error("e"));
  assertEquals(lines[0], "[ERRO] Error: e");
  assertMatch(lines[1] ?? "", /^\[ERRO\] Error: e\n {4}at /);
  logger.Errorf("%v, %+v", new Error("a\nb"), new Error("c\nd"));
  assertMatch(lines[2] ?? "", /^\[ERRO\] Error: a\\nb, Error: c\n {4}\| d\n {4}at /);
});

Deno.test("Logger.SetFormat() writes one JSON object per line", () => {
  const lines: string[] = [];
  const logger = new Logger().SetFormat("json").SetOutput((line) => lines.push(line));
  const before = Date.now();
  logger.Info("a\nb", { c: 1 });
  logger.Warnf("%d %%", 5);
  logger.Error(new Error("e"));
  logger.Print("p");
  const records = lines.map((line) => JSON.parse(line));
  assertEquals(lines.join("").includes("\n"), false);
  assertEquals(records.map(({ level, message }) => [level, message]), [
    ["info", "a\nb { c: 1 }"],
    ["warn", "5 %"],
    ["error", "Error: e"],
    [undefined, "p"],
  ]);
  assertEquals(Object.keys(records[0]), ["timestamp", "level", "message"]);
  assert(Date.parse(records[0].timestamp) >= before);
  assertMatch(records[2].stack, /^ {4}at /);
  logger.SetFormat("text").SetTimeFormat("").Info("back");
  assertEquals(lines.at(-1), "[INFO] back");
});

Deno.test("Logger.SetFormat() preserves every message in JSON", () => {
  const { logger, lines } = newLogger();
  logger.SetFormat("json");
  fc.assert(fc.property(fc.string({ unit: "binary" }), (text) => {
    logger.Info(text);
    const line = lines.at(-1) ?? "";
    assertEquals(JSON.parse(line).message, text);
    // deno-lint-ignore no-control-regex
    assert(!/[\x00-\x1f\x7f-\x9f\u2028\u2029]/.test(line));
  }));
});

Deno.test("Logger.SetFormat() and SetTimeFormat() reject unknown formats", () => {
  assertThrows(() => new Logger().SetFormat("xml" as LogFormat), RangeError, 'Unknown log format "xml"');
  assertThrows(
    () => new Logger().SetTimeFormat("15:04" as LogTimeFormat),
    TypeError,
    "must be a function or an empty string",
  );
});

Deno.test("Logger.SetTimeFormat() formats the time with a function, or omits it, in both formats", () => {
  const { logger, lines } = newLogger();
  logger.SetTimeFormat((time) => `at ${time.getFullYear() > 2000}`);
  logger.Info("a");
  logger.Print("b");
  logger.SetFormat("json").Info("c");
  logger.SetTimeFormat("").Info("d");
  assertEquals(lines, [
    "[INFO] at true a",
    "at true b",
    '{"timestamp":"at true","level":"info","message":"c"}',
    '{"level":"info","message":"d"}',
  ]);
});

Deno.test("Logger.SetPrefix() adds a prefix to every message", () => {
  const { logger, lines } = newLogger();
  logger.SetPrefix("api> ").Info("a");
  logger.SetPrefix("two\nlines ").Infof("%d", 1);
  logger.SetPrefix("").Info("b");
  assertEquals(lines, ["[INFO] api> a", "[INFO] two\\nlines 1", "[INFO] b"]);
});

Deno.test("Logger.Child() adds its name and shares the output, the formats and, unless set, the level", () => {
  const { logger, lines } = newLogger("info");
  const child = logger.SetPrefix("app> ").Child("db").Child("pool");
  child.Info("a");
  child.Debug("hidden");
  logger.SetLevel("debug");
  child.Debug("b");
  child.SetLevel("error").Warn("hidden");
  logger.Warn("c");
  logger.SetFormat("json");
  child.Error("d");
  assertEquals([child.Level(), logger.Level()], ["error", "debug"]);
  assertEquals(lines, [
    "[INFO] app> db: pool: a",
    "[DBUG] app> db: pool: b",
    "[WARN] app> c",
    '{"level":"error","message":"app> db: pool: d"}',
  ]);
});

Deno.test("Logger.SetOutput() flushes buffered lines to the old output first", () => {
  const texts: string[] = [];
  const writer = {
    writeSync(bytes: Uint8Array): number {
      texts.push(new TextDecoder().decode(bytes));
      return bytes.length;
    },
  };
  const logger = new Logger().SetTimeFormat("").SetOutput(writer);
  for (const text of ["a", "b", "c"]) logger.Info(text);
  assertEquals(texts, ["[INFO] a\n"]);
  logger.SetOutput(() => {});
  assertEquals(texts, ["[INFO] a\n", "[INFO] b\n[INFO] c\n"]);
});

Deno.test("Logger.Flush() writes buffered lines immediately", () => {
  let text = "";
  const logger = new Logger().SetTimeFormat("").SetOutput({
    writeSync(bytes) {
      text += new TextDecoder().decode(bytes);
      return bytes.length;
    },
  });
  logger.Info("a");
  logger.Child("c").Info("b");
  logger.Flush();
  assertEquals(text, "[INFO] a\n[INFO] c: b\n");
});

Deno.test("Logger colors only the level if the output is a terminal", {
  ignore: Deno.noColor,
}, () => {
  let text = "";
  const terminal = {
    isTerminal: () => true,
    writeSync(bytes: Uint8Array): number {
      text += new TextDecoder().decode(bytes);
      return bytes.length;
    },
  };
  const logger = new Logger().SetTimeFormat("").SetOutput(terminal);
  assert(showsColor(logger));
  logger.Warn("w");
  writeTrusted(logger, "info", "\x1b[32m200\x1b[39m");
  writeTrusted(logger, "debug", "hidden");
  logger.SetFormat("json").Warn("j");
  logger.Flush();
  assertEquals(
    text,
    '\x1b[35m[WARN]\x1b[39m w\n\x1b[36m[INFO]\x1b[39m \x1b[32m200\x1b[39m\n{"level":"warn","message":"j"}\n',
  );
  assert(!showsColor(logger));
});
