/**
 * A page for job queues. It shows the numbers of jobs, the jobs that have failed or are retried, and the schedules.
 * Jobs can be run again, deleted and paused. The page works without JavaScript, and asks before it deletes anything.
 *
 * The page shows names, IDs and errors of jobs, but not their data. Everyone who can open it can use its buttons, so
 * protect its party with a guard. Forms are accepted only from the page itself.
 *
 * @example Add the page to an application
 * ```ts
 * import * as fw from "@fw/web";
 * import * as jobs from "@fw/web/jobs";
 * import * as page from "@fw/web/jobs/page";
 *
 * const queue = jobs.New(jobs.NewMemory());
 * const app = fw.New();
 * page.New(queue).Register(app.Party("/jobs")); // protect the party with a guard, such as basicauth
 *
 * const response = await app.fetch(new Request("http://localhost/jobs"));
 * (await response.text()).includes("<h1>Jobs</h1>"); // → true
 * ```
 *
 * @module
 */

import { listOf, methods, text } from "../../base/config/option_kinds.ts";
import { installable, nonEmpty } from "../../base/config/option_shapes.ts";
import { checkArgument, optionTable, readOptions } from "../../base/config/option_table.ts";
import type { Context } from "../../core/context/context.ts";
import type { CallHandler, Host, HostParty } from "../../core/context/extension.ts";
import { HTTPError } from "../../base/errors/errors.ts";
import { escapeHTML } from "../../base/text/escape_html.ts";
import { buttonOf, documentOf, policyOf, tableOf } from "../../http/page/document.ts";
import * as csrf from "../../middleware/csrf/mod.ts";
import type { JobInfo } from "./job.ts";
import type { JobFilter, Selection } from "./operations.ts";
import type { Queue } from "./queue.ts";

/** The part of a party that {@linkcode Page.Register} uses. */
export type Registrable = Pick<HostParty, "Install">;

/** Options for {@linkcode New}. */
export interface Options {
  /**
   * The page title.
   *
   * @default {"Jobs"}
   */
  Title?: string;
}

const table = optionTable<Options>("jobs/page.Options", "the page of jobs")({ Title: text("Jobs") });

/** The maximum number of failed jobs on the page, and of those that are retried. */
const mostShown = 50;

const jobHeads = ["Job", "State", "Error", ""];
const counts = ["Waiting", "Running", "Failed", "Done"] as const;

/** A button: the name of its outcome in the query, the message for a number of jobs, and its function. */
type Act = readonly [
  outcome: string,
  message: (count: number) => string,
  run: (queue: Queue, id: string, ids: Selection) => Promise<number>,
];

const acts: Readonly<Record<string, Act>> = {
  retry: ["retried", (count) => `${jobsOf(count, "runs", "run")} again.`, (queue, _, ids) => queue.Retry(...ids)],
  run: ["started", (count) => `${jobsOf(count, "runs", "run")} now.`, (queue, _, ids) => queue.RunNow(...ids)],
  delete: ["deleted", (count) => `${jobsOf(count, "was", "were")} deleted.`, (queue, _, ids) => queue.Delete(...ids)],
  pause: ["paused", () => "Paused.", (queue, id) => queue.Pause(id || undefined).then(() => 1)],
  resume: ["resumed", () => "Resumed.", (queue, id) => queue.Resume(id || undefined).then(() => 1)],
  tick: [
    "ticked",
    (count) => count === 0 ? "There is no such schedule." : "The job of the schedule was added.",
    async (queue, id) => await queue.RunSchedule(id) === null ? 0 : 1,
  ],
};

/**
 * Creates a page for one or several queues.
 *
 * @param queues The queue, or several of them.
 * @param options The options.
 * @returns The page. Call `Register` to add it to a party.
 */
export function New(queues: Queue | readonly Queue[], options: Options = {}): Page {
  return new Page("Name" in Object(queues) ? [queues as Queue] : queues as readonly Queue[], options);
}

/** A page for job queues, created by {@linkcode New}. */
export class Page {
  readonly #queues: readonly Queue[];
  readonly #title: string;

  /**
   * Created by {@linkcode New}.
   *
   * @param queues The queues.
   * @param options The options.
   */
  constructor(queues: readonly Queue[], options: Options) {
    checkArgument(queues, nonEmpty(listOf(methods<Queue>("List", "Stats"), "queues")), "queues", "the page of jobs");
    this.#queues = queues;
    this.#title = readOptions(table, options).Title;
  }

  /**
   * Registers the page and its form.
   *
   * @param party The party at whose path the page is served.
   * @returns This page, for chaining.
   */
  Register(party: Registrable): this {
    const Install = (host: Host) => {
      host.Page("/", (ctx: Context) => this.#show(ctx));
      host.Page("POST /", csrf.New() as CallHandler, (ctx: Context) => this.#act(ctx));
    };
    checkArgument(party, installable, "party", "page.Register");
    party.Install({ Name: "jobs page", Many: true, Install });
    return this;
  }

  async #show(ctx: Context): Promise<void> {
    const messages = Object.values(acts).map(([outcome, message]) => {
      const count = ctx.URLParamIntDefault(outcome, -1);
      return count < 0 ? "" : `<p role="status">${escapeHTML(message(count))}</p>\n`;
    });
    const views = await Promise.all(this.#queues.map(viewOf));
    const heads = ["Queue", "", "Waiting", "Due", "Running", "Failed", "Done", "Oldest due"];
    const sections = views.map(({ sections }) => sections).join("\n");
    this.#write(ctx, messages.join("") + tableOf(heads, views.map(({ row }) => row)) + sections);
  }

  /** Does what a button says. Asks before jobs are deleted. */
  async #act(ctx: Context): Promise<void> {
    const [name, id] = [await ctx.PostValue("queue"), await ctx.PostValue("id")];
    const act = await ctx.PostValueDefault("act", "retry");
    const queue = this.#queues.find(({ Name }) => Name === name);
    if (queue === undefined || !Object.hasOwn(acts, act)) throw new HTTPError(404);
    // A store may contain queues that this page does not show.
    const isOwn = id !== "" && (await queue.Get(id))?.Queue === name;
    const ids: Selection = id === "" ? [{ State: "failed" }] : isOwn ? [id] : [];
    if (act === "delete" && await ctx.PostValue("sure") !== "yes") {
      const what = id === "" ? `${(await queue.Stats()).Failed} failed jobs of the queue "${name}"` : `the job ${id}`;
      const question = `<p>Delete ${escapeHTML(what)}? This cannot be undone.</p>\n<p><a href="?">Keep</a></p>\n`;
      return this.#write(ctx, question + buttonOf("Delete", { queue: name, act, id, sure: "yes" }));
    }
    const [outcome, , run] = acts[act] as Act;
    // The form has no action, because only the client knows the path at which it sees the page.
    ctx.Redirect(`?${outcome}=${await run(queue, id, ids)}`, 303);
  }

  #write(ctx: Context, content: string): void {
    ctx.Header("cache-control", "no-store");
    ctx.Header("content-security-policy", policyOf());
    ctx.Header("referrer-policy", "same-origin");
    ctx.HTML(documentOf(this.#title, `<main><h1>${escapeHTML(this.#title)}</h1>\n${content}</main>`));
  }
}

function jobsOf(count: number, one: string, many: string): string {
  return count === 1 ? `1 job ${one}` : `${count} jobs ${many}`;
}

/** Renders the row of a queue and its sections. */
async function viewOf(queue: Queue) {
  const { Queue, Waiting, Due, Running, Failed, Done, OldestDue } = await queue.Stats();
  const [of, now, paused] = [escapeHTML(Queue), queue.Now(), await queue.Paused()];
  const button = (label: string, act: string, id = "") => buttonOf(label, { queue: Queue, act, id });
  const pause = (what: string, id = "") =>
    paused.includes(id) ? `Paused ${button(`Resume ${what}`, "resume", id)}` : button(`Pause ${what}`, "pause", id);
  const all = button(`Retry all failed (${Failed})`, "retry") + button("Delete all failed…", "delete");
  const rowsOf = async (filter: JobFilter, label: string, act: string) =>
    (await queue.List({ ...filter, Limit: mostShown })).map((job) => [
      `${escapeHTML(job.Name)}<br><small>${escapeHTML(job.ID)}</small>`,
      `${stateOf(job, now)}<br><small>attempt ${job.Attempt} of ${job.MaxAttempts}</small>`,
      errorOf(job.Error ?? ""),
      button(label, act, job.ID) + button("Delete…", "delete", job.ID),
    ]);
  const failed = await rowsOf({ State: "failed" }, "Retry", "retry");
  const retried = await rowsOf({ IsRetried: true }, "Run now", "run");
  const kinds = (await queue.Kinds()).map((kind) => [
    escapeHTML(kind.Name),
    pause("job", kind.Name),
    ...counts.map((name) => kind[name]),
  ]);
  const schedules = (await queue.Schedules()).map(({ Name, Cron, TimeZone, Last, Next }) => [
    escapeHTML(Name),
    button("Run now", "tick", Name),
    `${escapeHTML(Cron)}<br><small>${escapeHTML(TimeZone)}</small>`,
    `${age(Last, now)} ago`,
    Next === null ? "–" : `in ${age(now, Next)}<br><small>${new Date(Next).toISOString().slice(0, 19)}Z</small>`,
  ]);
  // On narrow screens, the cells of a job are below each other, so that the error and the buttons are visible.
  const jobs = section(`Failed in ${of}`, jobHeads, failed, all) + section(`Retried in ${of}`, jobHeads, retried);
  return {
    row: [of, pause("queue"), Waiting, Due, Running, Failed, Done, age(OldestDue, now)],
    sections: `<div class="stack">${jobs}</div>` +
      section(`Schedules of ${of}`, ["Schedule", "", "Expression", "Last tick", "Next tick"], schedules) +
      section(`Jobs in ${of}`, ["Job", "", ...counts], kinds),
  };
}

function stateOf({ Due, Finished }: JobInfo, now: number): string {
  if (Finished !== null) return `failed ${age(Finished, now)} ago`;
  return Due <= now ? "runs now" : `runs in ${age(now, Due)}`;
}

function section(title: string, heads: readonly string[], rows: Parameters<typeof tableOf>[1], buttons = ""): string {
  return rows.length === 0 ? "" : `<h2>${title}</h2>\n${buttons}${tableOf(heads, rows)}`;
}

function errorOf(text: string): string {
  const [first = "", ...rest] = text.split("\n");
  if (rest.length === 0) return escapeHTML(first);
  return `<details><summary>${escapeHTML(first)}</summary><pre>${escapeHTML(rest.join("\n"))}</pre></details>`;
}

const units: readonly (readonly [number, string])[] = [[86_400_000, "d"], [3_600_000, "h"], [60_000, "min"]];

function age(time: number | null, now: number): string {
  if (time === null) return "–";
  const ms = Math.max(0, now - time);
  const [size, unit] = units.find(([size]) => ms >= size) ?? [1000, "s"];
  return `${Math.floor(ms / size)} ${unit}`;
}
