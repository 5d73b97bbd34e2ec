/**
 * The pages that developers see instead of a plain status. They show the thrown error and its source, or similar
 * routes.
 *
 * The pages are only loaded and shown with `fw.WithDevelopment`, because they reveal internals.
 *
 * @module
 */

import { escapeHTML } from "../../../base/text/escape_html.ts";
import { placeInTemplate } from "../../../pages/view/template_error.ts";
import type { ServedFailure } from "../../exchange/app_runtime.ts";
import type { RouteInfo } from "../../exchange/compiled_route.ts";
import { style } from "./media.ts";
import { nearRoutes } from "./near_routes.ts";
import { type Excerpt, excerptOf } from "./stack_excerpt.ts";

/** The headers whose values are hidden even from developers. */
const secret: ReadonlySet<string> = new Set(["authorization", "cookie", "proxy-authorization", "x-api-key"]);

/**
 * Renders the page for a failure.
 *
 * @param failure The failure.
 * @param routes All routes of the application.
 * @param timeline The path of the page that shows what the request did, if it was recorded.
 */
export function developmentPage(failure: ServedFailure, routes: readonly RouteInfo[], timeline?: string): string {
  const { status, title, error, request, path } = failure;
  const excerpt = error === undefined ? undefined : excerptOf(error);
  const parts = [
    `<p class="status">${status} ${escapeHTML(title)}</p>`,
    error === undefined ? `<h1>${escapeHTML(`${request.method} ${path}`)}</h1>` : heading(error),
    excerpt === undefined ? "" : `<h2 class="file">${place(excerpt)}</h2>${source(excerpt)}`,
    error?.stack?.includes("\n    at ") !== true ? "" : section("Stack", `<pre>${escapeHTML(error.stack)}</pre>`),
    causes(error),
    status === 404 && error === undefined ? section("Similar routes", near(path, routes)) : "",
    timeline === undefined ? "" : `<p><a href="${escapeHTML(timeline)}">Timeline of this request</a></p>`,
    section("Route", rows([["Route", failure.route?.Name ?? "none"], ["Handlers", chain(failure)]])),
    section("Request", rows([["URL", request.url], ["Method", request.method], ...headers(request)])),
  ];
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>${status} ${escapeHTML(title)}</title><style>${style}</style></head>
<body><main>${parts.join("\n")}
<footer>Shown in place of the application's own error page because it runs with <code>fw.WithDevelopment</code>. Clients
of a real server see none of this.</footer></main></body></html>
`;
}

function section(title: string, body: string): string {
  return `<h2>${escapeHTML(title)}</h2>${body}`;
}

/**
 * Returns the first line of a message as a heading and the rest as preformatted text, because template excerpts are
 * aligned in columns.
 */
function heading(error: Error): string {
  const [first = "", ...others] = error.message.split("\n");
  const shown = placeInTemplate(error) === undefined
    ? others
    : others.filter((line) => line.startsWith("included by "));
  const text = shown.join("\n").trim();
  return `<h1>${escapeHTML(`${error.name}: ${first}`)}</h1>${text === "" ? "" : `<pre>${escapeHTML(text)}</pre>`}`;
}

function place({ file, line, column }: Excerpt): string {
  return escapeHTML(column === undefined ? `${file}:${line}` : `${file}:${line}:${column}`);
}

function source(excerpt: Excerpt): string {
  if (excerpt.lines.length === 0) return "<p>The source is not available.</p>";
  const width = String(excerpt.line + 9).length;
  const lines = excerpt.lines.map(([number, text]) => {
    const line = `${String(number).padStart(width)}  ${escapeHTML(text)}`;
    return number === excerpt.line ? `<mark>${line}</mark>` : line;
  });
  return `<pre>${lines.join("\n")}</pre>`;
}

function causes(error: Error | undefined): string {
  const found: string[] = [];
  for (let cause = error?.cause, depth = 0; cause !== undefined && depth < 8; depth++) {
    found.push(
      section(
        "Caused by",
        `<pre>${escapeHTML(cause instanceof Error ? cause.stack ?? "" : Deno.inspect(cause))}</pre>`,
      ),
    );
    cause = cause instanceof Error ? cause.cause : undefined;
  }
  return found.join("");
}

/** Returns the routes most similar to the requested path, with their methods. */
function near(path: string, routes: readonly RouteInfo[]): string {
  if (routes.length === 0) return "<p>There are no routes yet.</p>";
  const found = nearRoutes(path, routes.map((route) => route.Path));
  if (found.length === 0) return `<p>None of the ${routes.length} routes is similar to this path.</p>`;
  return rows(found.map((each) => [
    routes.filter((route) => route.Path === each).map((route) => route.Method).join(" "),
    each,
  ]));
}

function chain({ chain: handlers }: ServedFailure): string {
  return handlers.map((handler) => handler.name || "(anonymous)").join(" → ") || "none";
}

function headers(request: Request): [string, string][] {
  return [...request.headers].map(([name, value]) => [name, secret.has(name) ? "(hidden)" : value]);
}

function rows(pairs: readonly (readonly [string, string])[]): string {
  const cells = pairs.map(([name, value]) =>
    `<tr><td>${escapeHTML(name)}</td><td><code>${escapeHTML(value)}</code></td></tr>`
  );
  return `<table>${cells.join("")}</table>`;
}
