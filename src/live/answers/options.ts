/**
 * The options of answers.
 *
 * @module
 */

import { count, formerly, func, methods, milliseconds, timeLimit } from "../../base/config/option_kinds.ts";
import { type Filled, optionTable, readOptions } from "../../base/config/option_table.ts";
import type { Context } from "../../core/context/context.ts";
import { DefaultHub, type Hub } from "../hub/mod.ts";
import type { EndedAnswer } from "./answer.ts";

/** Options for {@linkcode New}. */
export interface AnswersOptions {
  /**
   * The hub that records the answers. With a SQLite backplane, answers survive restarts. With a Redis or NATS
   * backplane, all machines share them. Defaults to `live.DefaultHub()`, which is local to this process.
   */
  readonly Hub?: Hub;
  /**
   * Returns the owner of a request's conversations, such as a user or session ID. A request cannot access other owners'
   * conversations, even if it knows their IDs. If the owner is empty, the response is a 401. Defaults to the ID of
   * `ctx.User()`.
   */
  readonly Owner?: (ctx: Context) => string | undefined | Promise<string | undefined>;
  /**
   * Called when an answer ends, for example to store its message. It is called at least once for every answer. It is
   * called again only if the process ends at that moment.
   */
  readonly OnEnd?: (answer: EndedAnswer) => unknown;
  /**
   * The time for which an answer is stored after its last part, in milliseconds.
   *
   * @default {3600000}
   */
  readonly For?: number;
  /**
   * The time after which another process takes over an answer if the process that was writing it has ended, in
   * milliseconds. It must be longer than any pause in a process's execution.
   *
   * @default {5000}
   */
  readonly Lease?: number;
  /**
   * The maximum number of parts in an answer.
   *
   * @default {20000}
   */
  readonly MaxParts?: number;
  /**
   * The maximum size of an answer's parts, in characters of JSON.
   *
   * @default {4194304}
   */
  readonly MaxAnswer?: number;
}

/** The options with their defaults. */
export type AnswerSettings = Filled<AnswersOptions, "OnEnd">;

const table = optionTable<AnswersOptions>("answers.AnswersOptions", "answers")({
  Hub: methods("Topic", "Presence"),
  Owner: func(userID),
  OnEnd: func(),
  For: milliseconds(3_600_000, { from: 1 }),
  Lease: timeLimit(5_000, { from: 1 }),
  MaxParts: count(20_000),
  MaxAnswer: formerly("MaxSize", count(1 << 22)),
});

/** Checks the options and returns them with their defaults. */
export function settingsOf(options: AnswersOptions): AnswerSettings {
  const settings = readOptions(table, options);
  return { ...settings, Hub: settings.Hub ?? DefaultHub() };
}

function userID(ctx: Context): string | undefined {
  return ctx.User()?.ID;
}
