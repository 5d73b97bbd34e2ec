import { assertEquals, assertStringIncludes } from "@std/assert";
import * as fw from "../../../mod.ts";
import * as logger from "../../../src/middleware/logger.ts";

function recorded(): { app: fw.Application; records: fw.LogRecord[] } {
  const records: fw.LogRecord[] = [];
  const app = fw.New();
  app.Logger().SetOutput((_line, record) => records.push(record));
  return { app, records };
}

Deno.test("Logger passes the record of each line to a function", () => {
  const { app, records } = recorded();
  const error = new TypeError("no funds");
  const before = Date.now();
  app.Logger().SetLevel("debug");
  app.Logger().Child("shop").With({ order: 7n, list: [1] }).Error("Cannot pay:", error);
  app.Logger().Warnf("%s is slow: %v", "db", error);
  app.Logger().Print("plain\nbreak");
  app.Logger().Debug("quiet");
  app.Logger().SetLevel("info").Debug("not shown");
  assertEquals(records.map(({ Level, Message, Fields, Error }) => [Level, Message, Fields, Error]), [
    ["error", "shop: Cannot pay: TypeError: no funds", { order: 7n, list: [1] }, error],
    ["warn", "db is slow: TypeError: no funds", {}, error],
    ["info", "plain\nbreak", {}, undefined],
    ["debug", "quiet", {}, undefined],
  ]);
  assertEquals(records.every(({ Time }) => Time.getTime() >= before && Time.getTime() <= Date.now()), true);
});

Deno.test("Logger.AddOutput() sends lines and records to several outputs, even if one of them fails", () => {
  const lines: string[] = [];
  const messages: string[] = [];
  const bytes: number[] = [];
  const log = fw.New().Logger().SetTimeFormat("").SetOutput((line) => lines.push(line));
  log.AddOutput(() => {
    throw new Error("on purpose");
  });
  log.AddOutput((_line, { Message }) => messages.push(Message));
  log.AddOutput({ writeSync: (chunk) => (bytes.push(...chunk), chunk.length) });
  log.Child("db").Info("ready");
  log.Flush();
  assertEquals([lines, messages], [["[INFO] db: ready"], ["db: ready"]]);
  assertEquals(new TextDecoder().decode(new Uint8Array(bytes)), "[INFO] db: ready\n");
});

Deno.test("Logger.AddOutput() writes lines without colors, even next to a terminal with colors", () => {
  const shown: string[] = [];
  const seen: [string, fw.LogRecord][] = [];
  const terminal = {
    isTerminal: () => true,
    writeSync: (chunk: Uint8Array) => (shown.push(new TextDecoder().decode(chunk)), chunk.length),
  };
  const log = fw.New().Logger().SetOutput(terminal).SetTimeFormat("");
  log.AddOutput((line, record) => seen.push([line, record]));
  log.Warn("careful");
  log.Flush();
  assertEquals(seen[0]?.[0], "[WARN] careful");
  if (!Deno.noColor) assertStringIncludes(shown.join(""), "\x1b[");
});

Deno.test("logger.New() adds the properties of a request as fields", async () => {
  const { app, records } = recorded();
  app.UseRouter(logger.New());
  app.Get("/teas/{id}", (ctx) => {
    ctx.Logger().AddFields({ tea: "assam" });
    ctx.WriteString("tea");
  });
  app.Get("/broken", () => {
    throw new Error("The kettle is cold");
  });
  await app.fetch(new Request("http://localhost/teas/1"));
  await app.fetch(new Request("http://localhost/broken"));
  const [served, ...failed] = records;
  assertEquals([served?.Level, served?.Message], ["info", "GET /teas/1"]);
  const { status, method, path, tea } = served?.Fields ?? {};
  assertEquals([status, method, path, tea], [200, "GET", "/teas/1", "assam"]);
  assertEquals(failed.some(({ Error }) => Error?.message === "The kettle is cold"), true);
});
