/**
 * Renders the development pages.
 *
 * @module
 */

import { escapeHTML } from "../../../base/text/escape_html.ts";
import { buttonOf, documentOf, factsOf, type Media, tableOf } from "../../../http/page/document.ts";
import type { PanelElement } from "../../context/extension.ts";
import { tokenField } from "./access.ts";
import { editorLink } from "./editor_link.ts";
import type { RequestEntry } from "./history.ts";
import { script, style } from "./media.ts";
import { inMilliseconds, type Panel } from "./panels.ts";
import { curlOf, obstacleTo } from "./again.ts";

/** A time, of which only the time of day is shown. */
const instant = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;

/** The path of the pages. */
export const ROOT = "/_fw";

/** The style sheet and the script. */
export const media: Media = { style, script };

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

/** The page that a value is rendered for. */
export interface Place {
  /** Adds the prefix of the application to a path. */
  link(path: string): string;
  /** The path of the panel. */
  readonly path: string;
  /** The query of the page, with its question mark, or an empty string. */
  readonly query: string;
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
  return documentOf(
    `${title} – fw`,
    `<a class="skip" href="#content">Skip to content</a>
<nav aria-label="Panels"><ul>${items.join("")}</ul></nav>
<main id="content"><h1>${escapeHTML(title)}</h1>
${body}</main>`,
    media,
  );
}

/** Renders the data of a panel: a string, a list of records, or a record. */
export function renderData(data: unknown, place: Place): string {
  if (Array.isArray(data)) return data.length === 0 ? '<p class="soft">Nothing yet.</p>' : table(data, place);
  if (typeof data !== "object" || data === null || "Element" in data) return text(data, place);
  const entries = Object.entries(data);
  const isSection = (value: unknown) =>
    Array.isArray(value) && value.some((each) => typeof each === "object" && !isElement(each));
  const facts = entries.filter(([, value]) => !isSection(value) && !isEmpty(value));
  const sections = entries.filter(([, value]) => isSection(value));
  return [
    facts.length === 0 ? "" : factsOf(facts.map(([name, value]) => [name, text(value, place)])),
    ...sections.map(([name, value]) => `<h2>${escapeHTML(name)}</h2>${renderData(value, place)}`),
  ].join("\n") || '<p class="soft">Nothing yet.</p>';
}

function table(rows: readonly unknown[], place: Place): string {
  const records = rows.map((row) => typeof row === "object" && row !== null ? { ...row } : { Value: row });
  const known = new Set(records.flatMap((record) => Object.keys(record)));
  const names = [...known].filter((name) => records.some((record: Record<string, unknown>) => !isEmpty(record[name])));
  return tableOf(
    names.map(escapeHTML),
    records.map((record: Record<string, unknown>) => names.map((name) => cell(name, record[name], place))),
  );
}

/** Reports whether there is nothing to show. */
function isEmpty(value: unknown): boolean {
  return value === undefined || value === null || value === "" ||
    typeof value === "object" && Object.keys(value).length === 0;
}

/** Renders a cell. Requests are links to their timelines, places are links to the editor, and failures stand out. */
function cell(name: string, value: unknown, place: Place): string {
  if (/^(?:Place|File)$/.test(name) && typeof value === "string" && /:\d+$/.test(value)) return editorLink(value);
  if (name === "Status" && Number(value) >= 400 || name === "Level" && value === "error") {
    return `<span class="bad">${text(value, place)}</span>`;
  }
  const isRequest = (name === "ID" || name === "Request") && typeof value === "number";
  if (!isRequest) return text(value, place);
  return value === 0 ? "" : `<a href="${escapeHTML(place.link(`${ROOT}/requests/${value}`))}">#${value}</a>`;
}

function text(value: unknown, place: Place): string {
  if (isEmpty(value)) return "";
  if (typeof value === "string" && instant.test(value)) {
    return `<time datetime="${value}" title="${value}">${value.slice(11, -1)}</time>`;
  }
  if (typeof value === "string" && value.includes("\n")) return `<pre>${escapeHTML(value)}</pre>`;
  if (typeof value === "string" || typeof value === "number" || typeof value === "boolean") {
    return escapeHTML(String(value));
  }
  if (isElement(value)) return elements[value.Element](value, place);
  if (Array.isArray(value) && value.every(isElement)) return value.map((each) => text(each, place)).join(" ");
  if (Array.isArray(value) && value.every((each) => typeof each === "string")) {
    return `<pre>${escapeHTML(value.join("\n"))}</pre>`;
  }
  return `<pre>${escapeHTML(Deno.inspect(value, { depth: 6, breakLength: 100 }))}</pre>`;
}

function isElement(value: unknown): value is PanelElement {
  const { Element, Text } = Object(value) as Partial<PanelElement>;
  return typeof Text === "string" && typeof Element === "string" && Object.hasOwn(elements, Element);
}

/** The elements of panels. */
const elements: Readonly<Record<PanelElement["Element"], (element: PanelElement, place: Place) => string>> = {
  link: ({ Text, Values = {} }, { link, path }) =>
    `<a href="${escapeHTML(`${link(path)}?${new URLSearchParams({ ...Values })}`)}">${escapeHTML(Text)}</a>`,
  // Its own response has its own policy, because that of the page would apply to the attribute "srcdoc".
  document: (_element, { link, path, query }) =>
    `<iframe sandbox title="Document" src="${escapeHTML(link(`${path}/document${query}`))}"></iframe>`,
  form: ({ Text, Values = {}, Inputs = {} }) => {
    const fields = Object.entries(Inputs).map(([name, value]) =>
      `<label>${escapeHTML(name)} <textarea name="${escapeHTML(name)}">${escapeHTML(String(value))}</textarea></label>`
    );
    return buttonOf(Text, Values, tokenField() + fields.join(""));
  },
};

/** Returns the first document in the data of a panel, or `undefined`. */
export function documentIn(data: unknown): string | undefined {
  if (isElement(data)) return data.Element === "document" ? data.Text : undefined;
  if (typeof data !== "object" || data === null) return undefined;
  return Object.values(data).map(documentIn).find((found) => found !== undefined);
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
export function renderRequest(entry: RequestEntry, place: Place): string {
  const { Method, Path, Time, Status, Took, Route, User, Headers, Body, Response, Events } = entry;
  const obstacle = obstacleTo(entry);
  const end = Math.max(Took ?? 0, ...Events.map(({ At, Took }) => At + (Took ?? 0)), 0.001);
  const rows = Events.map(({ Kind, Text, At, Took }) => {
    const [x, width] = [1_000 * At / end, Math.max(1_000 * (Took ?? 0) / end, 4)];
    return [
      escapeHTML(Kind),
      escapeHTML(Text),
      inMilliseconds(At),
      Took === undefined ? "" : inMilliseconds(Took),
      `<svg viewBox="0 0 1000 10" preserveAspectRatio="none" aria-hidden="true"><rect class="${escapeHTML(Kind)}" x="${
        x.toFixed(1)
      }" width="${width.toFixed(1)}" height="10"/></svg>`,
    ];
  });
  const why = { Element: "link", Text: Route || "none", Values: { method: Method, path: Path } } as const;
  return [
    renderData({
      Request: `${Method} ${Path}`,
      Status,
      Took: inMilliseconds(Took),
      Time,
      User,
      "Request body": bytes(Headers["content-length"]),
      "Response body": bytes(entry.Size),
    }, place),
    `<p>Route: ${elements.link(why, { ...place, path: `${ROOT}/routes` })}</p>`,
    "<h2>Timeline</h2>",
    rows.length === 0
      ? '<p class="soft">Nothing was recorded, or it has been forgotten.</p>'
      : tableOf(["Kind", "What", "Start", "Took", "Timeline"], rows),
    "<h2>Request headers</h2>",
    renderData(Headers, place),
    Body === undefined ? "" : `<h2>Request body</h2><pre>${escapeHTML(Body)}</pre>`,
    "<h2>Response headers</h2>",
    renderData(Response, place),
    "<h2>Again</h2>",
    `<pre>${escapeHTML(curlOf(entry))}</pre>`,
    `<p class="tools"><button type="button" data-copy hidden>Copy as curl</button></p>`,
    obstacle === undefined
      ? `<form method="post" action="${
        escapeHTML(place.link(`${ROOT}/requests/${entry.ID}/again`))
      }" class="tools">${tokenField()}<button>Send again</button> <small>Without cookies and credentials</small></form>`
      : `<p>It cannot be sent again from here: ${obstacle}.</p>`,
  ].join("\n");
}

function bytes(size: string | number | undefined): string {
  return size === undefined ? "" : `${Number(size).toLocaleString("en")} bytes`;
}
