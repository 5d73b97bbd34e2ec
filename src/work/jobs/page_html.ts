/**
 * The HTML of the page for job queues.
 *
 * @module
 */

import { escapeHTML } from "../../base/text/escape_html.ts";
import { tableOf } from "../../http/page/document.ts";
import type { JobInfo } from "./job.ts";
import type { Operations } from "./operations.ts";

/** The maximum number of failed jobs on the page, and of those that are retried. */
const mostShown = 50;

const jobHeads = ["Job", "State", "Error", ""];
const counts = ["Waiting", "Running", "Failed", "Done"] as const;

/**
 * Renders the content of the page.
 *
 * @param message The outcome of the last form, or an empty string.
 * @param queues The queues.
 */
export async function queuesOf(message: string, queues: readonly Operations[]): Promise<string> {
  const status = message === "" ? "" : `<p role="status">${escapeHTML(message)}</p>\n`;
  const views = await Promise.all(queues.map(viewOf));
  const heads = ["Queue", "", "Waiting", "Due", "Running", "Failed", "Done", "Oldest due"];
  return status + tableOf(heads, views.map(({ row }) => row)) + views.map(({ sections }) => sections).join("\n");
}

/** Renders a question before jobs are deleted. */
export function questionOf(queue: string, id: string, what: string): string {
  return `<p>Delete ${escapeHTML(what)}? This cannot be undone.</p>
<p><a href="?">Keep</a></p>
${button(queue, { act: "delete", id, sure: "yes" }, "Delete")}`;
}

/** Renders the row of a queue and its sections. */
async function viewOf(queue: Operations) {
  const { Queue, Waiting, Due, Running, Failed, Done, OldestDue } = await queue.Stats();
  const [of, now, paused] = [escapeHTML(Queue), queue.Now(), await queue.Paused()];
  const all = button(Queue, { act: "retry" }, `Retry all failed (${Failed})`) +
    button(Queue, { act: "delete" }, "Delete all failed…");
  const failed = (await queue.List({ State: "failed", Limit: mostShown })).map((job) => [
    ...jobCells(job, `failed ${age(job.Finished, now)} ago`),
    button(Queue, { act: "retry", id: job.ID }, "Retry") + button(Queue, { act: "delete", id: job.ID }, "Delete…"),
  ]);
  const retried = (await queue.List({ IsRetried: true, Limit: mostShown })).map((job) => [
    ...jobCells(job, job.Due <= now ? "runs now" : `runs in ${age(now, job.Due)}`),
    button(Queue, { act: "run", id: job.ID }, "Run now") + button(Queue, { act: "delete", id: job.ID }, "Delete…"),
  ]);
  const kinds = (await queue.Kinds()).map((kind) => [
    escapeHTML(kind.Name),
    pauseOf(Queue, kind.Name, paused),
    ...counts.map((name) => kind[name]),
  ]);
  const schedules = (await queue.Schedules()).map(({ Name, Cron, TimeZone, Last, Next }) => [
    escapeHTML(Name),
    button(Queue, { act: "tick", id: Name }, "Run now"),
    `${escapeHTML(Cron)}<br><small>${escapeHTML(TimeZone)}</small>`,
    `${age(Last, now)} ago`,
    Next === null ? "–" : `in ${age(now, Next)}<br><small>${new Date(Next).toISOString().slice(0, 19)}Z</small>`,
  ]);
  // On narrow screens, the cells of a job are below each other, so that the error and the buttons are visible.
  const jobs = section(`Failed in ${of}`, jobHeads, failed, all) + section(`Retried in ${of}`, jobHeads, retried);
  return {
    row: [of, pauseOf(Queue, "", paused), Waiting, Due, Running, Failed, Done, age(OldestDue, now)],
    sections: `<div class="stack">${jobs}</div>` +
      section(`Schedules of ${of}`, ["Schedule", "", "Expression", "Last tick", "Next tick"], schedules) +
      section(`Jobs in ${of}`, ["Job", "", ...counts], kinds),
  };
}

function jobCells({ Name, ID, Attempt, MaxAttempts, Error: error }: JobInfo, state: string): string[] {
  return [
    `${escapeHTML(Name)}<br><small>${escapeHTML(ID)}</small>`,
    `${state}<br><small>attempt ${Attempt} of ${MaxAttempts}</small>`,
    errorOf(error ?? ""),
  ];
}

type Rows = readonly (readonly (string | number)[])[];

function section(title: string, heads: readonly string[], rows: Rows, buttons = ""): string {
  return rows.length === 0 ? "" : `<h2>${title}</h2>\n${buttons}${tableOf(heads, rows)}`;
}

function errorOf(text: string): string {
  const [first = "", ...rest] = text.split("\n");
  if (rest.length === 0) return escapeHTML(first);
  return `<details><summary>${escapeHTML(first)}</summary><pre>${escapeHTML(rest.join("\n"))}</pre></details>`;
}

function pauseOf(queue: string, id: string, paused: readonly string[]): string {
  const what = id === "" ? "queue" : "job";
  return paused.includes(id)
    ? `Paused ${button(queue, { act: "resume", id }, `Resume ${what}`)}`
    : button(queue, { act: "pause", id }, `Pause ${what}`);
}

function button(queue: string, fields: Readonly<Record<string, string>>, label: string): string {
  const inputs = Object.entries({ queue, ...fields })
    .map(([name, value]) => `<input type="hidden" name="${name}" value="${escapeHTML(value)}">`).join("");
  return `<form method="post" class="act">${inputs}<button>${label}</button></form>`;
}

const units: readonly (readonly [number, string])[] = [[86_400_000, "d"], [3_600_000, "h"], [60_000, "min"]];

function age(time: number | null, now: number): string {
  if (time === null) return "–";
  const ms = Math.max(0, now - time);
  const [size, unit] = units.find(([size]) => ms >= size) ?? [1000, "s"];
  return `${Math.floor(ms / size)} ${unit}`;
}
