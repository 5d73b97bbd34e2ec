/**
 * The development pages at `/_fw`. They are only loaded with `fw.WithDevelopment`.
 *
 * @module
 */

import type { RouterWrapper } from "../../context/router_wrapper.ts";
import { quietTimeout } from "../../../base/async/quiet_timeout.ts";
import { policyOf, sandbox } from "../../../http/page/document.ts";
import type { PanelCall } from "../../context/extension.ts";
import { outerCallOf } from "../../exchange/peer/outer_call.ts";
import { obstacleTo, requestOf } from "./again.ts";
import { isOwnForm, refusal, tokenQuery } from "./access.ts";
import { documentIn, explainForm, filterForm, media, renderData, renderPage, renderRequest, ROOT } from "./page.ts";
import type { Registry } from "../record/registry.ts";
import { type History, pathAt } from "./history.ts";
import { type Panel, panelsOf, problemsOf, type Shown } from "./panels.ts";
import { observe, observePlatform } from "./platform.ts";
import { record, recordLogs } from "./recording.ts";

/** Requests that are not recorded: those for files and health checks. */
const unrecorded = /\/(?:health|healthz|livez|readyz)$|\.(?:css|js|mjs|map|png|jpe?g|gif|svg|webp|ico|woff2?)$/;

/** The time after which the page no longer waits for a request that is sent again. */
const AGAIN_MS = 2_000;

const headers: Readonly<Record<string, string>> = {
  "cache-control": "no-store",
  "content-security-policy": policyOf(
    media,
    "connect-src 'self'; frame-src 'self'; form-action 'self'; frame-ancestors 'none'",
  ),
  // Without a referrer, the forms of the page would have an opaque origin.
  "referrer-policy": "same-origin",
  "x-content-type-options": "nosniff",
};

/**
 * Starts to record the requests of an application.
 *
 * @param shown The application.
 * @returns The wrapper that records requests and serves the pages. The requests of a mounted application belong to
 * those of the application around it.
 */
export function openDashboard(shown: Shown): RouterWrapper {
  observePlatform();
  recordAll(shown.registry, shown.history);
  return (request, next, connection, target, link = (path) => path) => {
    if (outerCallOf(connection) !== undefined) return next(request, target);
    const url = target?.URL ?? request.url;
    const [pathname = ""] = url.slice(pathAt(url)).split(/[?#]/, 1);
    if (isOwnPath(pathname)) {
      return refusal(request, connection) ?? serve({ shown, request, pathname, link });
    }
    if (unrecorded.test(pathname)) return next(request, target);
    return record(shown.history, request, () => next(request, target));
  };
}

/** Reports whether a path is one of the pages. */
export function isOwnPath(path: string): boolean {
  return path === ROOT || path.startsWith(`${ROOT}/`);
}

/** Records the log lines, views and dependencies of an application, and of those that it passes requests to. */
function recordAll({ logger, mounts, parties, routes }: Registry, history: History): void {
  recordLogs(logger, history);
  for (const { engine } of parties) if (engine !== undefined) observe(engine, "Render", "view", String);
  for (const { dependent } of routes) {
    if (dependent?.creator !== undefined) observe(dependent.creator, "prepare", "dependencies", planned);
  }
  for (const { registry } of mounts) recordAll(registry, history);
}

/** Returns the names of the dependencies that a function needs. */
function planned(asker: unknown): string {
  const { plan = [] } = asker as { plan?: readonly { binding: { label(): string } }[] };
  return plan.map(({ binding }) => binding.label()).join(", ");
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

async function serve(call: Call): Promise<Response> {
  const { shown, request, pathname, link } = call;
  const [name = "", id, action] = pathname.slice(ROOT.length + 1).split("/");
  const form = request.method === "POST" ? await formOf(request) : undefined;
  if (name === "") return new Response(null, { status: 303, headers: { location: link(`${ROOT}/problems`) } });
  const panels = panelsOf(shown);
  const panel = panels.find((each) => each.name === name || encodeURIComponent(each.name) === name);
  if (panel === undefined) return new Response("There is no such panel.\n", { status: 404, headers });
  if (!/^(?:GET|HEAD|POST)$/.test(request.method)) {
    return new Response("Only GET and POST are supported.\n", { status: 405, headers });
  }
  const isAgain = action === "again" && name === "requests";
  if (form === undefined ? isAgain : !isOwnForm(form)) {
    return new Response("Use the button of the page.\n", { status: 403, headers });
  }
  if (isAgain) return await sendAgain(call, Number(id));
  if (id !== undefined && id !== "document") return serveRequest(call, panels, Number(id));
  const { searchParams } = new URL(request.url);
  const Form = form && Object.fromEntries([...form].map(([key, value]) => [key, String(value)]));
  const asked = { Query: Object.fromEntries(searchParams), Form };
  return id === undefined ? await servePanel(call, panels, panel, asked) : await serveDocument(panel, asked);
}

async function servePanel(call: Call, panels: readonly Panel[], panel: Panel, asked: PanelCall): Promise<Response> {
  const { shown, request, link } = call;
  const { title, name } = panel;
  const data = await panel.read(asked);
  if (wantsJSON(request)) return json(data);
  const { filter = "", method = "GET", path = "" } = asked.Query;
  const form = name === "requests" ? filterForm(filter) : name === "routes" ? explainForm(method, path) : "";
  const place = { link, path: `${ROOT}/${name}`, query: new URL(request.url).search };
  const body = `${form}<div data-live="${name === "requests" || name === "problems"}">${renderData(data, place)}</div>`;
  return html(renderPage({ panels, name, title, problems: problemsOf(shown).length, body }, link));
}

/** Serves the document of a panel, which others may have written. */
async function serveDocument(panel: Panel, asked: PanelCall): Promise<Response> {
  const found = documentIn(await panel.read(asked));
  if (found === undefined) return new Response("There is no document.\n", { status: 404, headers });
  const type = { "content-type": "text/html; charset=utf-8", "content-security-policy": sandbox };
  return new Response(found, { headers: { ...headers, ...type } });
}

function serveRequest(call: Call, panels: readonly Panel[], id: number): Response {
  const { shown, request, link } = call;
  const entry = shown.history.find(id);
  if (entry === undefined) return new Response("The request has been forgotten.\n", { status: 404, headers });
  if (wantsJSON(request)) return json(entry);
  const name = "requests";
  const body = renderRequest(entry, { link, path: `${ROOT}/${name}`, query: "" });
  const problems = problemsOf(shown).length;
  return html(renderPage({ panels, name, title: `Request #${id}`, problems, body }, link));
}

/** Sends a recorded request again, as a visitor without cookies. It is recorded like any other. */
async function sendAgain({ shown, link }: Call, id: number): Promise<Response> {
  const entry = shown.history.find(id);
  if (entry === undefined) return new Response("The request has been forgotten.\n", { status: 404, headers });
  const obstacle = obstacleTo(entry);
  if (obstacle !== undefined) return new Response(`It cannot be sent again: ${obstacle}.\n`, { status: 409, headers });
  const ended = (async () => await (await shown.fetch(requestOf(entry))).body?.cancel())();
  await Promise.race([ended.catch(() => {}), quietTimeout(AGAIN_MS).passed]);
  return new Response(null, { status: 303, headers: { location: link(`${ROOT}/requests`) } });
}

/** Reads the form of a button. A body of another type is a form without fields. */
async function formOf(request: Request): Promise<FormData> {
  try {
    return await request.formData();
  } catch {
    return new FormData();
  }
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
