import { assertEquals, assertStringIncludes } from "@std/assert";
import fc from "npm:fast-check@^4";
import { addFields, textFields } from "../../../src/base/log/fields.ts";
import { Logger } from "../../../src/base/log/logger.ts";

/** Creates a logger without time, and the list of its lines. */
function newLogger(format: "text" | "json"): { logger: Logger; lines: string[] } {
  const lines: string[] = [];
  const logger = new Logger().SetFormat(format).SetTimeFormat("").SetOutput((line) => lines.push(line));
  return { logger, lines };
}

Deno.test("Logger.With() writes fields after the message and does not change the original logger", () => {
  const { logger, lines } = newLogger("text");
  const order = logger.With({ order: 7, user: "ada" });
  order.Info("paid");
  order.With({ user: "bob", step: true }).Infof("%s", "sent");
  order.Child("mail").Warn("late");
  logger.Info("plain");
  assertEquals(lines, [
    "[INFO] paid order=7 user=ada",
    "[INFO] sent order=7 user=bob step=true",
    "[WARN] mail: late order=7 user=ada",
    "[INFO] plain",
  ]);
});

Deno.test("Logger.AddFields() changes the logger and its children", () => {
  const { logger, lines } = newLogger("text");
  const child = logger.Child("db");
  logger.AddFields({ service: "shop" });
  child.Info("a");
  logger.AddFields({ service: "mall", zone: 2 });
  child.Info("b");
  assertEquals(lines, ["[INFO] db: a service=shop", "[INFO] db: b service=mall zone=2"]);
});

Deno.test("Logger.With() uses the level, format and output of the original logger", () => {
  const { logger, lines } = newLogger("text");
  const child = logger.With({ a: 1 });
  child.Debug("hidden");
  logger.SetLevel("debug").SetFormat("json");
  child.Debug("shown");
  assertEquals(lines, ['{"level":"debug","message":"shown","a":1}']);
});

Deno.test("Logger.With() keeps the types of fields in JSON", () => {
  const { logger, lines } = newLogger("json");
  const circle: Record<string, unknown> = {};
  circle.self = circle;
  logger.With({
    text: "a",
    number: 1.5,
    not: NaN,
    big: 5n,
    huge: 2n ** 70n,
    yes: true,
    nothing: null,
    absent: undefined,
    list: [1, "b", { c: 3n }],
    date: new Date(0),
    error: new TypeError("bad"),
    circle,
    symbol: Symbol("s"),
    message: "mine",
    level: 3,
    ["__proto__"]: "field",
  }).Info("all");
  assertEquals(JSON.parse(lines[0] ?? ""), {
    level: "info",
    message: "all",
    text: "a",
    number: 1.5,
    not: "NaN",
    big: 5,
    huge: "1180591620717411303424",
    yes: true,
    nothing: null,
    list: [1, "b", { c: 3 }],
    date: "1970-01-01T00:00:00.000Z",
    error: "TypeError: bad",
    circle: "<ref *1> { self: [Circular *1] }",
    symbol: "Symbol(s)",
    message_: "mine",
    level_: 3,
    ["__proto__"]: "field",
  });
});

Deno.test("Logger.Error() with fields writes the stack trace below the line, or as a member in JSON", () => {
  const { logger, lines } = newLogger("text");
  logger.With({ a: 1 }).Error("Cannot:", new Error("e"));
  assertStringIncludes(lines[0] ?? "", "[ERRO] Cannot: Error: e a=1\n    at ");
  logger.SetFormat("json").With({ a: 1 }).Error(new Error("e"));
  assertEquals(Object.keys(JSON.parse(lines[1] ?? "")), ["level", "message", "a", "stack"]);
});

Deno.test("textFields() quotes values with several words, and prevents forged lines", () => {
  const fields = {
    a: "two words",
    b: "",
    c: 'q"q',
    d: "x=y",
    e: "line\nbreak",
    f: "\x1b[2J",
    g: { h: [1] },
    "i\nj": 1,
  };
  assertEquals(
    textFields(fields),
    ' a="two words" b="" c="q\\"q" d="x=y" e="line\\\\nbreak" f="\\\\x1b[2J" g="{\\"h\\":[1]}" i\\nj=1',
  );
});

Deno.test("textFields() and addFields() never throw and never break a line, for any fields", () => {
  fc.assert(fc.property(fc.dictionary(fc.string({ unit: "binary" }), fc.anything({ withBigInt: true })), (fields) => {
    assertEquals(["\n", "\r", "\x1b", "\u2028"].some((it) => textFields(fields).includes(it)), false);
    const record: Record<string, unknown> = Object.create(null);
    addFields(record, fields);
    JSON.stringify(record);
  }));
});
