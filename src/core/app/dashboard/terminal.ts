/**
 * Shows the requests of an application in development in the terminal, each with its log lines.
 *
 * @module
 */

import { cyan, dim, green, red, yellow } from "@std/fmt/colors";
import { quietTimeout } from "../../../base/async/quiet_timeout.ts";
import { escapeControls } from "../../../base/log/describe.ts";
import { type Logger, showsColor, writesTo } from "../../../base/log/logger.ts";
import type { LogRecord } from "../../../base/log/sink.ts";
import type { RequestEntry } from "./history.ts";

/** The time after which the lines of a request are written although it has not ended. */
const PATIENCE_MS = 500;

let isAttached = false;
let hasColor = false;
/** The lines of the requests that have not ended. */
const waiting = new Map<RequestEntry, string[]>();
const encoder = new TextEncoder();

/**
 * Takes over the log lines of an application, unless they are JSON or are written elsewhere.
 *
 * @param logger The logger of the application.
 * @param current Returns the request that the calling code belongs to.
 */
export function attachTerminal(logger: Logger, current: () => RequestEntry | undefined): void {
  if (!writesTo(logger, Deno.stdout)) return;
  isAttached = true;
  hasColor = showsColor(logger);
  logger.SetOutput((line, record) => keep(line, record, current()));
}

/** Writes a line, or keeps it until its request has ended. */
function keep(line: string, { Fields, Level }: LogRecord, entry: RequestEntry | undefined): void {
  // The line of the request contains all of this.
  if ("latency_ms" in Fields) return;
  const shown = Level === "error" || Level === "fatal" ? tint(red, line) : Level === "warn" ? tint(yellow, line) : line;
  if (entry === undefined) return print(shown);
  const lines = waiting.get(entry);
  const own = `  ${shown.replaceAll("\n", "\n  ")}`;
  if (entry.Took !== undefined) return print(`${tint(dim, `  #${entry.ID}`)} ${own.trimStart()}`);
  if (lines !== undefined) return void lines.push(own);
  waiting.set(entry, [own]);
  void quietTimeout(PATIENCE_MS).passed.then(() => release(entry));
}

/** Writes the line of a request that has ended, and its log lines. */
export function printRequest(entry: RequestEntry): void {
  if (!isAttached) return;
  const { Method, Path, Status, Took = 0, User } = entry;
  const color = Status === 0 || Status >= 500 ? red : Status >= 400 ? yellow : Status >= 300 ? cyan : green;
  const time = `${Took.toFixed(Took < 10 ? 1 : 0)} ms`;
  const parts = [Method.padEnd(6), escapeControls(Path), tint(color, String(Status || "–")), tint(dim, time), User];
  print(parts.filter((part) => part !== "").join(" "));
  release(entry);
}

function release(entry: RequestEntry): void {
  for (const line of waiting.get(entry) ?? []) print(line);
  waiting.delete(entry);
}

function tint(color: (text: string) => string, text: string): string {
  return hasColor ? color(text) : text;
}

function print(line: string): void {
  const bytes = encoder.encode(`${line}\n`);
  for (let at = 0; at < bytes.length;) at += Deno.stdout.writeSync(bytes.subarray(at));
}
