/**
 * A store whose methods are functions of a database, which all databases have in common.
 *
 * @module
 */

import { claimedOf, type ClaimOutput, objectsOf, recordsOf, type Row } from "./job_columns.ts";
import type * as jobs from "../store.ts";

/** The arguments that results refer to. */
type Input = Record<"Claims" | "Endings", readonly jobs.Claim[]>;

/** Converts the result of a function, with its arguments by name. */
type Reader<T> = (output: never, input: never) => T;

const statsOf = objectsOf<jobs.QueueStats>("Queue Waiting Running Failed Done Due OldestDue");
const kindsOf = objectsOf<jobs.KindStats>("Name Waiting Running Failed Done");
const schedulesOf = objectsOf<jobs.ScheduleRecord>("Queue Name Cron TimeZone Job Data Last");

/** A store of jobs in a database. */
export abstract class DatabaseStore implements jobs.Store {
  readonly Add: jobs.Store["Add"] = this.#method("add", ["Jobs", "Now"], addedOf);
  readonly Claim: jobs.Store["Claim"] = this.#method("claim", [""], claimedOf);
  readonly Started: jobs.Store["Started"] = this.#method("started", ["", "Groups", "At"]);
  readonly Renew: jobs.Store["Renew"] = this.#method("renew", ["Claims", "Until"], renewalsOf);
  readonly Finish: jobs.Store["Finish"] = this.#method("finish", ["Endings", "Now"], finishedOf);
  readonly FinishAndClaim: Required<jobs.Store>["FinishAndClaim"] = this.#method(
    "finish_and_claim",
    ["Endings", ""],
    finishedAndClaimedOf,
  );
  readonly Progress: jobs.Store["Progress"] = this.#method("report", ["", "Progress"], Boolean);
  readonly Cancel: jobs.Store["Cancel"] = this.#method("cancel", ["IDs", "Now", "KeepUntil"]);
  readonly Retry: jobs.Store["Retry"] = this.#method("retry", ["IDs", "Now"]);
  readonly Hurry: jobs.Store["Hurry"] = this.#method("hurry", ["IDs", "Now"]);
  readonly Delete: jobs.Store["Delete"] = this.#method("remove", ["IDs"]);
  readonly Get: jobs.Store["Get"] = this.#method("get", ["ID"], (rows: Row[]) => recordsOf(rows)[0] ?? null);
  readonly List: jobs.Store["List"] = this.#method("list", [""], recordsOf);
  readonly Stats: jobs.Store["Stats"] = this.#method("stats", ["Now"], statsOf);
  readonly Kinds: jobs.Store["Kinds"] = this.#method("kinds", ["Queue"], kindsOf);
  readonly Pause: jobs.Store["Pause"] = this.#method("pause", ["Queue", "Name", "IsPaused"], Boolean);
  readonly Pauses: jobs.Store["Pauses"] = this.#method("pauses", ["Queue"], namesOf);
  readonly Unreported: jobs.Store["Unreported"] = this.#method("unreported", ["Queue", "Now", "Until"], recordsOf);
  readonly Reported: jobs.Store["Reported"] = this.#method("reported", ["IDs"]);
  readonly Sweep: jobs.Store["Sweep"] = this.#method("sweep", ["Now"]);
  readonly Schedule: jobs.Store["Schedule"] = this.#method("schedule", ["", "Now"], scheduleOf);
  readonly Schedules: jobs.Store["Schedules"] = this.#method("schedules", [], schedulesOf);
  readonly Unschedule: jobs.Store["Unschedule"] = this.#method("unschedule", ["Queue", "Name"], Boolean);
  readonly Tick: jobs.Store["Tick"] = this.#method("tick", ["", "Now"]);

  abstract Migrate(): Promise<void>;

  /** Does nothing, because the client of a server belongs to the application. */
  Close(): void {}

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
   * @param read Converts the result, with the arguments by name.
   */
  #method<T = never>(name: string, names: readonly string[], read: Reader<T> = (output) => output) {
    return async (...values: readonly unknown[]): Promise<T> => {
      const input = Object.assign({}, ...names.map((name, i) => name === "" ? values[i] : { [name]: values[i] }));
      return read(await this.call(name, input, values[names.length]) as never, input as never);
    };
  }
}

/** Reads the ID of each job to add, and that of the job which has it or holds its key. */
function addedOf(rows: readonly object[]): jobs.Added[] {
  return rows.map(Object.values).map(([id, ID]) => ({ ID, IsNew: ID === id }));
}

/** Reads the renewed claims and their states. A job may have been claimed twice by one process. */
function renewalsOf(rows: readonly object[], { Claims }: Input): jobs.Renewal[] {
  const renewals = new Map<string, jobs.Renewal>(rows.map((row) => Object.values(row) as [string, jobs.Renewal]));
  return Claims.map(({ ID, Token }) => renewals.get(`${Token} ${ID}`) ?? "lost");
}

/** Reads the claims of attempts that have ended. */
function finishedOf(claims: readonly string[], { Endings }: Input): boolean[] {
  return Endings.map(({ ID, Token }) => claims.includes(`${Token} ${ID}`));
}

function finishedAndClaimedOf([claims, claimed]: [string[], ClaimOutput], input: Input): jobs.FinishedAndClaimed {
  return { Finished: finishedOf(claims, input), Claimed: claimedOf(claimed) };
}

function scheduleOf(rows: readonly object[]): jobs.ScheduleRecord {
  return schedulesOf(rows)[0] as jobs.ScheduleRecord;
}

function namesOf(rows: readonly object[]): string[] {
  return rows.flatMap(Object.values).sort();
}
