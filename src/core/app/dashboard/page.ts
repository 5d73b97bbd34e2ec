/**
 * Renders the development pages.
 *
 * @module
 */

import { escapeHTML } from "../../../base/text/escape_html.ts";
import { tokenField } from "./access.ts";
import type { RequestEntry } from "./history.ts";
import { inMilliseconds, type Panel } from "./panels.ts";

/** A time, of which only the time of day is shown. */
const instant = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;

/** The path of the pages. */
export const ROOT = "/_fw";

/** A page. */
export interface Page {
  readonly panels: readonly Panel[];
  /** The current panel. */
  readonly name: string;
  readonly title: string;
  /** The number of problems, which every page shows. */
  readonly problems: number;
  readonly body: string;
}

/** Renders a page around its body. `link` adds the prefix of the application to a path. */
export function renderPage({ panels, name, title, problems, body }: Page, link: (path: string) => string): string {
  const items = panels.map((panel) => {
    const count = panel.name === "problems" && problems > 0 ? ` <b>${problems}</b>` : "";
    const current = panel.name === name ? ' aria-current="page"' : "";
    return `<li><a href="${escapeHTML(link(`${ROOT}/${panel.name}`))}"${current}>${
      escapeHTML(panel.title)
    }${count}</a></li>`;
  });
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escapeHTML(title)} – fw</title><link rel="icon" href="data:,"><link rel="stylesheet" href="${
    escapeHTML(link(`${ROOT}/style.css`))
  }">
<script src="${escapeHTML(link(`${ROOT}/live.js`))}" defer></script></head>
<body class="wide"><a class="skip" href="#content">Skip to content</a>
<nav aria-label="Panels"><ul>${items.join("")}</ul></nav>
<main id="content"><h1>${escapeHTML(title)}</h1>
${body}</main></body></html>
`;
}

/** Renders the data of a panel: a string, a list of records, or a record. */
export function renderData(data: unknown, link: (path: string) => string): string {
  if (Array.isArray(data)) return data.length === 0 ? '<p class="empty">Nothing yet.</p>' : table(data, link);
  if (typeof data === "object" && data !== null) return facts(data);
  return text(data);
}

function table(rows: readonly unknown[], link: (path: string) => string): string {
  const records = rows.map((row) => typeof row === "object" && row !== null ? { ...row } : { Value: row });
  const names = [...new Set(records.flatMap((record) => Object.keys(record)))];
  const head = names.map((name) => `<th scope="col">${escapeHTML(name)}</th>`).join("");
  const body = records.map((record: Record<string, unknown>) => {
    const cells = names.map((name) => `<td>${cell(name, record[name], link)}</td>`);
    return `<tr>${cells.join("")}</tr>`;
  });
  return `<div class="scroll" tabindex="0"><table class="list"><thead><tr>${head}</tr></thead><tbody>${
    body.join("")
  }</tbody></table></div>`;
}

/** Renders a cell. The numbers of requests are links to them. */
function cell(name: string, value: unknown, link: (path: string) => string): string {
  const isRequest = (name === "ID" || name === "Request") && typeof value === "number" && value > 0;
  if (!isRequest) return text(value);
  return `<a href="${escapeHTML(link(`${ROOT}/requests/${value}`))}">#${value}</a>`;
}

function facts(record: object): string {
  const rows = Object.entries(record).map(([name, value]) =>
    `<tr><th scope="row">${escapeHTML(name)}</th><td>${text(value)}</td></tr>`
  );
  return `<table>${rows.join("")}</table>`;
}

function text(value: unknown): string {
  if (value === undefined || value === null || value === "") return "";
  if (typeof value === "string" && instant.test(value)) {
    return `<time datetime="${value}" title="${value}">${value.slice(11, -1)}</time>`;
  }
  if (typeof value === "string" && value.includes("\n")) return `<pre>${escapeHTML(value)}</pre>`;
  if (typeof value === "string" || typeof value === "number" || typeof value === "boolean") {
    return escapeHTML(String(value));
  }
  return `<pre>${escapeHTML(Deno.inspect(value, { depth: 6, breakLength: 100 }))}</pre>`;
}

/** Renders the form that filters requests. */
export function filterForm(filter: string): string {
  return `<form method="get" class="tools"><label>Filter <input type="search" name="filter" value="${
    escapeHTML(filter)
  }"></label><button>Apply</button><button type="button" data-pause hidden>Pause</button></form>`;
}

/** Renders the form that explains a request. */
export function explainForm(method: string, path: string): string {
  return `<form method="get" class="tools"><label>Method <input name="method" value="${escapeHTML(method)}"></label>
<label>Path <input name="path" value="${
    escapeHTML(path)
  }" placeholder="/users/7"></label><button>Explain</button></form>`;
}

/** Renders a request with its timeline. */
export function renderRequest(entry: RequestEntry, link: (path: string) => string): string {
  const end = Math.max(entry.Took ?? 0, ...entry.Events.map(({ At, Took }) => At + (Took ?? 0)), 0.001);
  const rows = entry.Events.map(({ Kind, Text, At, Took }) => {
    const [x, width] = [1_000 * At / end, Math.max(1_000 * (Took ?? 0) / end, 4)];
    return `<tr><td>${escapeHTML(Kind)}</td><td>${escapeHTML(Text)}</td><td>${inMilliseconds(At)}</td><td>${
      Took === undefined ? "" : inMilliseconds(Took)
    }</td><td class="bar"><svg viewBox="0 0 1000 10" preserveAspectRatio="none" aria-hidden="true">` +
      `<rect class="${escapeHTML(Kind)}" x="${x.toFixed(1)}" width="${width.toFixed(1)}" height="10"/></svg></td></tr>`;
  });
  const { Method, Path, Time, Status, Took, Route, User, Headers, Response } = entry;
  return [
    facts({ Request: `${Method} ${Path}`, Status, Took: inMilliseconds(Took), Time, Route, User }),
    "<h2>Timeline</h2>",
    rows.length === 0
      ? '<p class="empty">Nothing was recorded.</p>'
      : `<div class="scroll" tabindex="0"><table class="list"><thead><tr><th scope="col">Kind</th><th scope="col">What</th>` +
        `<th scope="col">Start</th><th scope="col">Took</th><th scope="col">Timeline</th></tr></thead><tbody>${
          rows.join("")
        }</tbody></table></div>`,
    "<h2>Request headers</h2>",
    facts(Headers),
    "<h2>Response headers</h2>",
    facts(Response),
    "<h2>Again</h2>",
    `<pre>${escapeHTML(curl(entry))}</pre>`,
    /^(?:GET|HEAD)$/.test(Method)
      ? `<form method="post" action="${
        escapeHTML(link(`${ROOT}/requests/${entry.ID}/again`))
      }" class="tools">${tokenField()}<button>Send again</button></form>`
      : "<p>It cannot be sent again from here, because its body is not recorded.</p>",
  ].join("\n");
}

/** Returns a command that sends the request. Hidden headers and those of the connection are left out. */
function curl({ Method, Path, Headers }: RequestEntry): string {
  const { host = "localhost", ...others } = Headers;
  const given = Object.entries(others).filter(([name, value]) =>
    value !== "(hidden)" && !/^(?:connection|content-length|accept-encoding|sec-.*|upgrade.*)$/.test(name)
  );
  const parts = given.map(([name, value]) => ` \\\n  -H ${quoted(`${name}: ${value}`)}`);
  return `curl -X ${Method} ${quoted(`http://${host}${Path}`)}${parts.join("")}`;
}

function quoted(value: string): string {
  return `'${value.replaceAll("'", `'\\''`)}'`;
}
