/**
 * The door of a queue: a job that runs with the application.
 *
 * @module
 */

import * as fw from "@fw/web";
import * as jobs from "@fw/web/jobs";
import * as mvc from "@fw/web/mvc";
import { act, desk, echo, hold, Journal, pause, type PlainAction, prepare, sum, Ticket } from "./desk.ts";
import type { Action, CallOptions, Door, Setup, Verdict } from "./door.ts";
import { serving } from "./serving.ts";
import { decodeMarked } from "../../src/base/codec/stored.ts";
import { toJSON } from "../../src/base/text/json.ts";

/** Creates a job for an action that needs neither input nor dependencies. */
function plain(action: PlainAction): jobs.JobFunction {
  const run = (_data: unknown, ctx: jobs.Context, journal = mvc.Inject(Journal)) => {
    if (action === "who") return journal.note("who");
    return act(action, { Signal: () => ctx.Signal } as fw.Context, journal);
  };
  return Object.defineProperty(run, "name", { value: action });
}

/** The actions as jobs. */
const actions: Readonly<Record<Action, jobs.JobFunction>> = {
  who: plain("who"),
  secret: plain("secret"),
  conflict: plain("conflict"),
  crash: plain("crash"),
  judge: plain("judge"),
  wait: plain("wait"),
  pause: function pauseJob(_data: unknown, _ctx: jobs.Context, journal = mvc.Inject(Journal)) {
    return pause(journal);
  },
  hold: function holdJob(
    _data: unknown,
    _ctx: jobs.Context,
    journal = mvc.Inject(Journal),
    ticket = mvc.Inject(Ticket),
  ) {
    return hold(journal, ticket);
  },
  echo: jobs.Define("echo", sum, (data, _ctx, journal: Journal = mvc.Inject(Journal)) => echo(journal, data)),
};

/** Creates the queue of an application. */
export function queueOf(app: fw.Application, setup: Setup, journal: Journal, config: jobs.Options = {}): jobs.Queue {
  prepare(app, setup);
  const queue = jobs.New(jobs.NewMemory(), { MaxAttempts: 1, ...config });
  return queue.Handle(...Object.values(actions)).RunWith(desk(app.Party("/desk"), {}, journal));
}

/** Adds the job of an action and waits for its end. */
export async function call(queue: jobs.Queue, action: Action, { data, signal }: CallOptions): Promise<Verdict> {
  const input = data === undefined ? null : JSON.parse(data.replace(/:(\d{16,})/, ':"$1n"'), big);
  let id: string;
  try {
    id = (await queue.Add(actions[action], input as never)).ID;
  } catch (error) {
    const issues = error instanceof fw.ValidationError ? error.Issues : [];
    return { status: issues.length > 0 ? 422 : 500, text: JSON.stringify(issues) };
  }
  signal?.addEventListener("abort", () => void queue.Cancel(id));
  for (;;) {
    const found = await queue.Store.Get(id);
    if (found?.State === "done") {
      return { status: 200, text: found.Result === null ? "" : toJSON(decodeMarked(found.Result)) };
    }
    if (found?.State === "failed" || found?.State === "canceled") return { status: 500, text: found.Error ?? "" };
    await new Promise((resolve) => setTimeout(resolve, 2));
  }
}

function big(_key: string, value: unknown): unknown {
  return typeof value === "string" && /^\d+n$/.test(value) ? BigInt(value.slice(0, -1)) : value;
}

/** Creates the door of a queue with options. */
export function jobDoor(config: jobs.Options = {}): Door {
  return {
    name: "job",
    open: (setup, run) => {
      const journal = new Journal();
      const app = fw.New();
      const queue = queueOf(app, setup, journal, config);
      return serving(app, journal, () => (action, options = {}) => call(queue, action, options), run);
    },
  };
}

export const job: Door = jobDoor();
