/**
 * A store whose methods are functions of a database, which all databases have in common.
 *
 * @module
 */

import { claimedOf, type ClaimOutput, kindsOf, recordsOf, type Row, scheduleOf, statsOf } from "./job_columns.ts";
import type * as jobs from "../store.ts";

/** A store of jobs in a database. */
export abstract class DatabaseStore implements jobs.Store {
  readonly Add: jobs.Store["Add"] = this.#method("add", ["Jobs", "Now"]);
  readonly Claim: jobs.Store["Claim"] = this.#method("claim", [""], claimedOf);
  readonly Started: jobs.Store["Started"] = this.#method("started", ["", "Groups", "At"]);
  readonly Renew: jobs.Store["Renew"] = this.#method("renew", ["Claims", "Until"]);
  readonly Finish: jobs.Store["Finish"] = this.#method("finish", ["Endings", "Now"]);
  readonly FinishAndClaim: Required<jobs.Store>["FinishAndClaim"] = this.#method(
    "finish_and_claim",
    ["Endings", ""],
    ([Finished, claimed]: [boolean[], ClaimOutput]) => ({ Finished, Claimed: claimedOf(claimed) }),
  );
  readonly Progress: jobs.Store["Progress"] = this.#method("report", ["", "Progress"], Boolean);
  readonly Cancel: jobs.Store["Cancel"] = this.#method("cancel", ["IDs", "Now"]);
  readonly Retry: jobs.Store["Retry"] = this.#method("retry", ["IDs", "Now"]);
  readonly Hurry: jobs.Store["Hurry"] = this.#method("hurry", ["IDs", "Now"]);
  readonly Delete: jobs.Store["Delete"] = this.#method("remove", ["IDs"]);
  readonly Get: jobs.Store["Get"] = this.#method("get", ["ID"], (rows: Row[]) => recordsOf(rows)[0] ?? null);
  readonly List: jobs.Store["List"] = this.#method("list", [""], recordsOf);
  readonly Stats: jobs.Store["Stats"] = this.#method("stats", ["Now"], statsOf);
  readonly Kinds: jobs.Store["Kinds"] = this.#method("kinds", ["Queue"], kindsOf);
  readonly Pause: jobs.Store["Pause"] = this.#method("pause", ["Queue", "Name", "IsPaused"], Boolean);
  readonly Pauses: jobs.Store["Pauses"] = this.#method("pauses", ["Queue"]);
  readonly Unreported: jobs.Store["Unreported"] = this.#method("unreported", ["Queue", "Now", "Until"], recordsOf);
  readonly Reported: jobs.Store["Reported"] = this.#method("reported", ["IDs"]);
  readonly Sweep: jobs.Store["Sweep"] = this.#method("sweep", ["Now"]);
  readonly Schedule: jobs.Store["Schedule"] = this.#method("schedule", ["", "Now"], scheduleOf);
  readonly Schedules: jobs.Store["Schedules"] = this.#method("schedules", [], (rows: Row[]) => rows.map(scheduleOf));
  readonly Unschedule: jobs.Store["Unschedule"] = this.#method("unschedule", ["Queue", "Name"], Boolean);
  readonly Tick: jobs.Store["Tick"] = this.#method("tick", ["", "Now"]);

  abstract Migrate(): Promise<void>;
  abstract Close(): void;

  /**
   * Calls a function of the database.
   *
   * @param name The name of the function.
   * @param input The arguments by name.
   * @param transaction The transaction of the application.
   */
  abstract call(name: string, input: object, transaction?: unknown): unknown;

  /**
   * Returns a method that calls a function of the database.
   *
   * @param name The name of the function.
   * @param names The names of the arguments, which a transaction may follow. An argument without a name is an object
   * with several of them.
   * @param read Converts the result.
   */
  #method<T = never>(name: string, names: readonly string[], read: (output: never) => T = (output) => output) {
    return async (...values: readonly unknown[]): Promise<T> => {
      const input: Record<string, unknown> = {};
      for (let i = 0; i < names.length; i++) {
        if (names[i] === "") Object.assign(input, values[i]);
        else input[names[i] as string] = values[i];
      }
      return read(await this.call(name, input, values[names.length]) as never);
    };
  }
}
