/**
 * The application's code behind every door: the same actions, as routes, as socket events and over streams.
 *
 * @module
 */

import type * as fw from "@fw/web";
import { HTTPError } from "@fw/web";
import * as mvc from "@fw/web/mvc";
import * as policy from "@fw/web/policy";
import * as versioning from "@fw/web/versioning";
import type * as websocket from "@fw/web/websocket";
import { z } from "npm:zod@^4";
import type { Action, Setup } from "./door.ts";

/** The events that a test can observe, in order. */
export class Journal {
  readonly entries: string[] = [];
  readonly #waiting = new Set<() => void>();

  note(entry: string): void {
    this.entries.push(entry);
    for (const look of this.#waiting) look();
  }

  /** Waits until an event has been noted. */
  until(entry: string, times = 1): Promise<void> {
    return new Promise((resolve) => {
      const look = () => {
        if (this.count(entry) < times) return;
        this.#waiting.delete(look);
        resolve();
      };
      this.#waiting.add(look);
      look();
    });
  }

  /** Returns the handlers that have run. */
  runs(): string[] {
    return this.entries.filter((entry) => entry in plainActions || /^(?:decoy|echo|hold)$/.test(entry));
  }

  count(entry: string): number {
    return this.entries.filter((each) => each === entry).length;
  }
}

/** A value that belongs to one call. */
export class Ticket implements AsyncDisposable {
  readonly #journal = mvc.Inject(Journal);

  use(): string {
    this.#journal.note("used");
    return "held";
  }

  [Symbol.asyncDispose](): Promise<void> {
    this.#journal.note("disposed");
    return Promise.resolve();
  }
}

/** The input of the echo. The message is a translation key. */
export const sum: z.ZodObject<{ n: z.ZodBigInt }> = z.object({ n: z.bigint("n.wrong") });

type Sum = z.infer<typeof sum>;

/** An action without input and dependencies. */
export type PlainAction = Exclude<Action, "echo" | "hold" | "pause">;

/** Runs an action that needs neither input nor dependencies. */
export function act(action: PlainAction, ctx: fw.Context, journal: Journal): unknown {
  journal.note(action);
  return plainActions[action](ctx, journal);
}

const plainActions: Record<PlainAction, (ctx: fw.Context, journal: Journal) => unknown> = {
  who: (ctx) => ({
    user: ctx.User()?.ID ?? null,
    language: ctx.GetLocale().Language(),
    version: versioning.GetVersion(ctx),
    id: ctx.GetID(),
  }),
  secret: () => ({ name: "Ada", password: "tea" }),
  conflict: () => {
    throw new HTTPError(409, "The seat is taken");
  },
  crash: () => {
    throw new Error("internal detail");
  },
  judge: (_ctx, journal) => {
    policy.Check({ ID: "ada" }, DeskPolicy, "judge", "the desk");
    journal.note("judged");
  },
  wait: async (ctx, journal) => {
    const signal = ctx.Signal();
    journal.note("waiting");
    await new Promise<void>((resolve) => {
      if (signal.aborted) resolve();
      else signal.addEventListener("abort", () => resolve(), { once: true });
    });
    journal.note("aborted");
    return "left";
  },
};

/** A policy that denies everything. All doors ask it in the same way. */
class DeskPolicy {
  judge(user: { readonly ID: string }, desk: string) {
    return policy.Deny(`${user.ID} must not judge ${desk}`);
  }
}

/** Runs until the test lets it finish. */
export async function pause(journal: Journal): Promise<unknown> {
  journal.note("pause");
  await journal.until("go");
  return "finished";
}

export function echo(journal: Journal, { n }: Sum): unknown {
  journal.note("echo");
  return { n };
}

export function hold(journal: Journal, ticket: Ticket): unknown {
  journal.note("hold");
  return ticket.use();
}

/** The actions as routes. */
class Desk {
  Ctx!: fw.Context;
  readonly journal = mvc.Inject(Journal);

  PostWho() {
    return act("who", this.Ctx, this.journal);
  }

  PostEcho(input = mvc.Body(sum)) {
    return echo(this.journal, input);
  }

  PostSecret() {
    return act("secret", this.Ctx, this.journal);
  }

  PostConflict() {
    return act("conflict", this.Ctx, this.journal);
  }

  PostCrash() {
    return act("crash", this.Ctx, this.journal);
  }

  PostJudge() {
    return act("judge", this.Ctx, this.journal);
  }

  PostHold(ticket = mvc.Inject(Ticket)) {
    return hold(this.journal, ticket);
  }

  PostPause() {
    return pause(this.journal);
  }

  PostWait() {
    return act("wait", this.Ctx, this.journal);
  }
}

/** The actions for GET requests, whose responses can be cached. */
class CachedDesk {
  Ctx!: fw.Context;
  readonly journal = mvc.Inject(Journal);

  GetWho() {
    return act("who", this.Ctx, this.journal);
  }

  GetEcho(input = mvc.Query(sum)) {
    return echo(this.journal, input);
  }

  GetSecret() {
    return act("secret", this.Ctx, this.journal);
  }

  GetJudge() {
    return act("judge", this.Ctx, this.journal);
  }

  GetPause() {
    return this.journal.count("asked") > 1 ? pause(this.journal) : "first";
  }

  GetHold(ticket = mvc.Inject(Ticket)) {
    return hold(this.journal, ticket);
  }
}

/** The actions for each value of a JSON stream. Responds with the result for the last value. */
class StreamDesk {
  Ctx!: fw.Context;
  readonly journal = mvc.Inject(Journal);

  PostWho() {
    return this.#each(() => act("who", this.Ctx, this.journal));
  }

  async PostEcho() {
    let last: unknown;
    for await (const value of this.Ctx.ReadJSONStream(sum)) last = echo(this.journal, value);
    return last;
  }

  PostSecret() {
    return this.#each(() => act("secret", this.Ctx, this.journal));
  }

  PostConflict() {
    return this.#each(() => act("conflict", this.Ctx, this.journal));
  }

  PostCrash() {
    return this.#each(() => act("crash", this.Ctx, this.journal));
  }

  PostJudge() {
    return this.#each(() => act("judge", this.Ctx, this.journal));
  }

  PostHold(ticket = mvc.Inject(Ticket)) {
    return this.#each(() => hold(this.journal, ticket));
  }

  PostPause() {
    return this.#each(() => pause(this.journal));
  }

  PostWait() {
    return this.#each(() => act("wait", this.Ctx, this.journal));
  }

  async #each(run: () => unknown): Promise<unknown> {
    let last: unknown;
    for await (const _value of this.Ctx.ReadJSONStream()) last = await run();
    return last;
  }
}

/** The actions as socket events. */
class LiveDesk {
  static Namespace = "desk";
  Conn!: websocket.Conn;
  readonly journal = mvc.Inject(Journal);

  OnWho() {
    return act("who", this.Conn.Context(), this.journal);
  }

  OnEcho(input = mvc.Body(sum)) {
    return echo(this.journal, input);
  }

  OnSecret() {
    return act("secret", this.Conn.Context(), this.journal);
  }

  OnConflict() {
    return act("conflict", this.Conn.Context(), this.journal);
  }

  OnCrash() {
    return act("crash", this.Conn.Context(), this.journal);
  }

  OnJudge() {
    return act("judge", this.Conn.Context(), this.journal);
  }

  OnHold(ticket = mvc.Inject(Ticket)) {
    return hold(this.journal, ticket);
  }

  OnPause() {
    return pause(this.journal);
  }

  OnWait() {
    return act("wait", this.Conn.Context(), this.journal);
  }
}

/** Sets up the languages and the guards of an application. */
export function prepare(app: fw.Application, { configure, observe }: Setup): void {
  app.I18n.LoadKV(
    { en: { n: { wrong: "must be a whole number" } }, el: { n: { wrong: "πρέπει να είναι ακέραιος" } } },
    "en",
    "el",
  );
  observe?.(app);
  configure?.(app);
}

/** Adds the controllers' dependencies and a result handler that removes passwords. */
export function desk(party: fw.Party, { guards = [] }: Setup, journal: Journal): mvc.Application {
  for (const guard of guards) party.Use(guard);
  return mvc.New(party).Register(journal, mvc.PerRequest(Ticket)).UseResultHandler((next) => (ctx, value) =>
    next(ctx, withoutPassword(value))
  );
}

function withoutPassword(value: unknown): unknown {
  if (typeof value !== "object" || value === null || !("password" in value)) return value;
  const { password: _password, ...rest } = value;
  return rest;
}

/** The controllers, by the kind of door. */
export const controllers: Readonly<Record<"Desk" | "CachedDesk" | "StreamDesk" | "LiveDesk", new () => object>> = {
  Desk,
  CachedDesk,
  StreamDesk,
  LiveDesk,
};
