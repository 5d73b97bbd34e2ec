/**
 * The development pages at `/_fw`. They are only loaded with `fw.WithDevelopment`.
 *
 * @module
 */

import type { RouterWrapper } from "../../context/router_wrapper.ts";
import { outerCallOf } from "../../exchange/peer/outer_call.ts";
import { isOwnForm, refusal, tokenQuery } from "./access.ts";
import { History } from "./history.ts";
import { script, style } from "./media.ts";
import { explainForm, filterForm, renderData, renderPage, renderRequest, ROOT } from "./page.ts";
import { type Panel, panelsOf, type Shown } from "./panels.ts";
import { observePlatform, record, recordLogs } from "./recording.ts";

/** Requests that are not recorded: those for files and health checks. */
const unrecorded = /\/(?:health|healthz|livez|readyz)$|\.(?:css|js|mjs|map|png|jpe?g|gif|svg|webp|ico|woff2?)$/;

const headers: Readonly<Record<string, string>> = {
  "cache-control": "no-store",
  "content-security-policy": "default-src 'none'; style-src 'self'; script-src 'self'; img-src data:; " +
    "connect-src 'self'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'",
  "referrer-policy": "no-referrer",
  "x-content-type-options": "nosniff",
};

/**
 * Starts to record the requests of an application.
 *
 * @param app The application.
 * @returns The wrapper that records requests and serves the pages. The requests of a mounted application belong to
 * those of the application around it.
 */
export function openDashboard(app: Omit<Shown, "history">): RouterWrapper {
  const shown: Shown = { ...app, history: new History() };
  observePlatform();
  recordLogs(shown.registry.logger, shown.history);
  return (request, next, connection, target, link = (path) => path) => {
    if (outerCallOf(connection) !== undefined) return next(request, target);
    const { pathname } = new URL(target?.URL ?? request.url);
    if (pathname === ROOT || pathname.startsWith(`${ROOT}/`)) {
      return refusal(request, connection) ?? serve({ shown, request, pathname, link });
    }
    if (unrecorded.test(pathname)) return next(request, target);
    return record(shown.history, request, () => next(request, target));
  };
}

/** Returns the address of the pages for the log. On another host than this one, it contains the token. */
export function dashboardAddress(addr: Deno.Addr, basePath: string): string {
  if (addr.transport !== "tcp") return `${basePath}${ROOT}`;
  const isLocal = /^(?:127\.|::1$|localhost$)/.test(addr.hostname);
  return `http://localhost:${addr.port}${basePath}${ROOT}${isLocal ? "" : tokenQuery()}`;
}

/** A request for one of the pages. */
interface Call {
  readonly shown: Shown;
  readonly request: Request;
  readonly pathname: string;
  link(path: string): string;
}

/** The paths that are not panels. */
const files: Readonly<Record<string, readonly [type: string, text: string]>> = {
  "style.css": ["text/css; charset=utf-8", style],
  "live.js": ["text/javascript; charset=utf-8", script],
};

async function serve(call: Call): Promise<Response> {
  const { shown, request, pathname, link } = call;
  const [name = "", id, action] = pathname.slice(ROOT.length + 1).split("/");
  if (name === "") return new Response(null, { status: 303, headers: { location: link(`${ROOT}/problems`) } });
  const file = files[name];
  if (file !== undefined) return new Response(file[1], { headers: { ...headers, "content-type": file[0] } });
  const panels = panelsOf(shown);
  const panel = panels.find((each) => each.name === name);
  if (panel === undefined) return new Response("There is no such panel.\n", { status: 404, headers });
  if (action === "again" && name === "requests") return await sendAgain(call, Number(id));
  if (request.method !== "GET") return new Response("Only GET is supported.\n", { status: 405, headers });
  return id === undefined ? await servePanel(call, panels, panel) : serveRequest(call, panels, Number(id));
}

async function servePanel(call: Call, panels: readonly Panel[], panel: Panel): Promise<Response> {
  const { shown, request, link } = call;
  const { searchParams: query } = new URL(request.url);
  const data = await panel.read(query);
  if (wantsJSON(request)) return json(data);
  const { title, name } = panel;
  const form = name === "requests"
    ? filterForm(query.get("filter") ?? "")
    : name === "routes"
    ? explainForm(query.get("method") ?? "GET", query.get("path") ?? "")
    : "";
  const body = `${form}<div data-live="${name === "requests" || name === "problems"}">${renderData(data, link)}</div>`;
  return html(renderPage({ panels, name, title, problems: shown.history.problems.length, body }, link));
}

function serveRequest(call: Call, panels: readonly Panel[], id: number): Response {
  const { shown, request, link } = call;
  const entry = shown.history.find(id);
  if (entry === undefined) return new Response("The request has been forgotten.\n", { status: 404, headers });
  if (wantsJSON(request)) return json(entry);
  const page = {
    panels,
    name: "requests",
    title: `Request #${id}`,
    problems: shown.history.problems.length,
    body: renderRequest(entry, link),
  };
  return html(renderPage(page, link));
}

/** Sends a recorded request without a body again, as a visitor without cookies. It is recorded like any other. */
async function sendAgain({ shown, request, link }: Call, id: number): Promise<Response> {
  const entry = shown.history.find(id);
  const isForm = request.method === "POST" && isOwnForm(await request.formData());
  if (!isForm) return new Response("Use the button of the page.\n", { status: 403, headers });
  if (entry === undefined) return new Response("The request has been forgotten.\n", { status: 404, headers });
  const response = await shown.fetch(new Request(new URL(entry.Path, request.url)));
  await response.body?.cancel();
  return new Response(null, { status: 303, headers: { location: link(`${ROOT}/requests`) } });
}

function wantsJSON(request: Request): boolean {
  return (request.headers.get("accept") ?? "").includes("application/json");
}

function json(data: unknown): Response {
  return new Response(JSON.stringify(data, null, 2), { headers: { ...headers, "content-type": "application/json" } });
}

function html(page: string): Response {
  return new Response(page, { headers: { ...headers, "content-type": "text/html; charset=utf-8" } });
}
