/**
 * Measures the cost of a line: 40 lines in one turn, written one by one and in batches, and formatted by the logger.
 *
 * @module
 */

import { setImmediate } from "node:timers/promises";
import { Logger } from "../../../src/base/log/logger.ts";
import { sinkOf } from "../../../src/base/log/sink.ts";

const LINES = 40;
const LINE = "[INFO] 2026/11/15 02:56 200 1.2ms 127.0.0.1 GET /user/123";
const encoder = new TextEncoder();
const output = Deno.openSync("/dev/null", { write: true });
const sink = sinkOf(output);
const logger = new Logger().SetOutput(output);
const quiet = new Logger().SetOutput(output).SetLevel("error");

Deno.bench("40 lines, each with its own write", { group: "sink", baseline: true }, async () => {
  for (let i = 0; i < LINES; i++) output.writeSync(encoder.encode(LINE + "\n"));
  await setImmediate();
});

Deno.bench("40 lines through the sink", { group: "sink" }, async () => {
  for (let i = 0; i < LINES; i++) sink.push(LINE);
  await setImmediate();
});

Deno.bench("Logger.Info()", { group: "logger", baseline: true }, () => {
  logger.Info("200 1.2ms 127.0.0.1 GET /user/123");
});

Deno.bench("Logger.Infof() with five verbs", { group: "logger" }, () => {
  logger.Infof("%d %s %s %s %s", 200, "1.2ms", "127.0.0.1", "GET", "/user/123");
});

Deno.bench("Logger.Infof() that the level hides", { group: "logger" }, () => {
  quiet.Infof("%d %s %s %s %s", 200, "1.2ms", "127.0.0.1", "GET", "/user/123");
});
