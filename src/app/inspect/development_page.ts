/**
 * The pages that developers see instead of a plain status. They show the thrown error and its source, or similar
 * routes.
 *
 * The pages are only loaded and shown with `fw.WithDevelopment`, because they reveal internals.
 *
 * @module
 */

import type { ServedFailure } from "../../exchange/app_runtime.ts";
import type { RouteInfo } from "../../exchange/route_info.ts";
import { escapeHTML } from "../../text/escape_html.ts";
import { placeInTemplate } from "../../view/template_place.ts";
import { nearRoutes } from "./near_routes.ts";
import { type Excerpt, excerptOf } from "./stack_excerpt.ts";

/** The headers whose values are hidden even from developers. */
const secret: ReadonlySet<string> = new Set(["authorization", "cookie", "proxy-authorization", "x-api-key"]);

const style = `
:root { color-scheme: light dark; }
body { margin: 0; font: 16px/1.5 system-ui, sans-serif; background: light-dark(#fafaf9, #16181b);
  color: light-dark(#1f2328, #e6e6e3); overflow-wrap: anywhere; }
main { max-width: 60rem; margin: 0 auto; padding: 2rem 1rem; }
h1 { font-size: 1.4rem; margin: 0; }
h2 { font-size: .8rem; margin: 2rem 0 .4rem; text-transform: uppercase; letter-spacing: .06em;
  color: light-dark(#5c636b, #a2a9b1); }
h2.file { text-transform: none; letter-spacing: 0; }
.status { color: light-dark(#a52222, #f09090); font-weight: 700; }
pre, code { font: .88rem/1.6 ui-monospace, monospace; }
pre { margin: 0; padding: .8rem; border-radius: .5rem; background: light-dark(#f1f1ee, #22262b);
  white-space: pre-wrap; }
mark { display: inline-block; min-width: 100%; color: inherit; background: light-dark(#ffe1dc, #53242a); }
table { border-collapse: collapse; width: 100%; font-size: .92rem; }
td { padding: .25rem .8rem .25rem 0; vertical-align: top; border-top: 1px solid light-dark(#e2e2df, #33373d); }
td:first-child { min-width: 9rem; color: light-dark(#5c636b, #a2a9b1); }
footer { margin-top: 2.5rem; color: light-dark(#5c636b, #a2a9b1); font-size: .88rem; }
@media (max-width: 40rem) { td { display: block; } td + td { border: 0; padding-top: 0; } }
`;

/** Renders the page for a failure. `routes` are all routes of the application. */
export function developmentPage(failure: ServedFailure, routes: readonly RouteInfo[]): string {
  const { status, title, error, request, path } = failure;
  const excerpt = error === undefined ? undefined : excerptOf(error);
  const parts = [
    `<p class="status">${status} ${escapeHTML(title)}</p>`,
    error === undefined ? `<h1>${escapeHTML(`${request.method} ${path}`)}</h1>` : heading(error),
    excerpt === undefined ? "" : `<h2 class="file">${place(excerpt)}</h2>${source(excerpt)}`,
    error?.stack?.includes("\n    at ") !== true ? "" : section("Stack", `<pre>${escapeHTML(error.stack)}</pre>`),
    causes(error),
    status === 404 && error === undefined ? section("Similar routes", near(path, routes)) : "",
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
