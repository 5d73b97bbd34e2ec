/**
 * The HTML of the page for job queues.
 *
 * @module
 */

import { escapeHTML } from "../text/escape_html.ts";
import type { JobInfo } from "./job_info.ts";
import { style } from "./media.ts";
import type { QueueStats } from "./store.ts";

/** The content of a queue. */
export interface QueueView {
  readonly stats: QueueStats;
  readonly failed: readonly JobInfo[];
}

/** Options for the page. */
export interface PageOptions {
  readonly title: string;
  /** The nonce that allows only the page's own style. */
  readonly nonce: string;
  /** The number of jobs that the last form has made due again, or a negative number. */
  readonly retried: number;
  readonly now: number;
}

const columns = ["Waiting", "Due", "Running", "Failed", "Done"] as const;

/** Renders the page. */
export function pageOf({ title, nonce, retried, now }: PageOptions, queues: readonly QueueView[]): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escapeHTML(title)}</title>
<style nonce="${nonce}">${style}</style>
</head>
<body>
<h1>${escapeHTML(title)}</h1>
${retried < 0 ? "" : `<p role="status">${retried === 1 ? "1 job runs" : `${retried} jobs run`} again.</p>`}
${table(["Queue", ...columns, "Oldest due"], queues.map(({ stats }) => statsRow(stats, now)))}
${queues.filter(({ failed }) => failed.length > 0).map((view) => failures(view, now)).join("\n")}
</body>
</html>
`;
}

function statsRow(stats: QueueStats, now: number): string {
  const numbers = columns.map((name) => `<td>${stats[name]}</td>`).join("");
  return `<tr><td>${escapeHTML(stats.Queue)}</td>${numbers}<td>${age(stats.OldestDue, now)}</td></tr>`;
}

function failures({ stats: { Queue, Failed }, failed }: QueueView, now: number): string {
  const rows = failed.map((job) =>
    `<tr><td>${escapeHTML(job.Name)}<br><small>${escapeHTML(job.ID)}</small></td><td>${job.Attempt}</td>` +
    `<td>${age(job.Finished, now)} ago</td><td>${errorOf(job.Error ?? "")}</td><td>${
      form(Queue, job.ID, "Retry")
    }</td></tr>`
  );
  return `<h2>Failed in ${escapeHTML(Queue)}</h2>
${table(["Job", "Attempts", "Failed", "Error", form(Queue, "", Failed > 1 ? "Retry all" : "Retry")], rows)}`;
}

function table(heads: readonly string[], rows: readonly string[]): string {
  const head = heads.map((html) => `<th scope="col">${html}</th>`).join("");
  return `<div><table><thead><tr>${head}</tr></thead>\n<tbody>${rows.join("\n")}</tbody></table></div>`;
}

function errorOf(text: string): string {
  const [first = "", ...rest] = text.split("\n");
  if (rest.length === 0) return escapeHTML(first);
  return `<details><summary>${escapeHTML(first)}</summary><pre>${escapeHTML(rest.join("\n"))}</pre></details>`;
}

function form(queue: string, id: string, label: string): string {
  const field = (name: string, value: string) => `<input type="hidden" name="${name}" value="${escapeHTML(value)}">`;
  return `<form method="post">${field("queue", queue)}${field("id", id)}<button>${label}</button></form>`;
}

const units: readonly (readonly [number, string])[] = [[86_400_000, "d"], [3_600_000, "h"], [60_000, "min"]];

function age(time: number | null, now: number): string {
  if (time === null) return "–";
  const ms = Math.max(0, now - time);
  const [size, unit] = units.find(([size]) => ms >= size) ?? [1000, "s"];
  return `${Math.floor(ms / size)} ${unit}`;
}
